package dev.quarrel.server.auth;

import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;
import dev.quarrel.server.wire.BackendMessage;
import dev.quarrel.server.wire.ProtocolException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.util.List;

/// The authentication of one connection: trust while no user is defined, SCRAM-SHA-256 from then on, over TLS also
/// bound to it (SCRAM-SHA-256-PLUS).
///
/// - Errors: [QueryException] 28P01 when the proof is wrong or the user unknown, the same for both;
///   [ProtocolException] for
///   answers out of form. Either ends the connection.
public final class Login {
    private static final String MECHANISM = "SCRAM-SHA-256";
    private static final String BINDING_MECHANISM = "SCRAM-SHA-256-PLUS";
    private static final SecureRandom RANDOM = new SecureRandom();

    private enum Step {
        EXPECT_FIRST,
        EXPECT_FINAL,
        OVER
    }

    private final String user;
    private final ScramExchange exchange;
    private Step step;

    private Login(String user, ScramExchange exchange) {
        this.user = user;
        this.exchange = exchange;
        this.step = exchange == null ? Step.OVER : Step.EXPECT_FIRST;
    }

    /// @param endPoint what SCRAM can bind the login to over TLS: the hash of the server's certificate; empty for
    ///     nothing
    public static Login begin(Users users, String user, byte[] endPoint) {
        return new Login(user, users.isEmpty() ? null : users.exchange(user, endPoint));
    }

    /// What to send first.
    public BackendMessage request() {
        return exchange == null
                ? new BackendMessage.AuthenticationOk()
                : new BackendMessage.AuthenticationSasl(
                        exchange.canBind() ? List.of(BINDING_MECHANISM, MECHANISM) : List.of(MECHANISM));
    }

    public boolean isOver() {
        return step == Step.OVER;
    }

    /// What to send next.
    public List<BackendMessage> answer(byte[] bytes) {
        switch (step) {
            case EXPECT_FIRST -> {
                step = Step.EXPECT_FINAL;
                return List.of(new BackendMessage.AuthenticationSaslContinue(first(bytes)));
            }
            case EXPECT_FINAL -> {
                byte[] last = exchange.last(bytes);
                if (last == null) {
                    throw new QueryException(
                            SqlState.INVALID_PASSWORD, "password authentication failed for user \"" + user + "\"");
                }
                step = Step.OVER;
                return List.of(new BackendMessage.AuthenticationSaslFinal(last), new BackendMessage.AuthenticationOk());
            }
            case OVER -> throw new ProtocolException("unexpected authentication response");
        }
        throw new IllegalStateException(step.toString());
    }

    /// Reads SASLInitialResponse: the mechanism's name, then a length and the data.
    private byte[] first(byte[] bytes) {
        ByteBuffer in = ByteBuffer.wrap(bytes);
        int nameLength = 0;
        while (nameLength < bytes.length && bytes[nameLength] != 0) {
            nameLength++;
        }
        if (bytes.length - nameLength < 5) {
            throw new ProtocolException("malformed SASL response");
        }
        String mechanism = new String(bytes, 0, nameLength, StandardCharsets.UTF_8);
        boolean binds = mechanism.equals(BINDING_MECHANISM) && exchange.canBind();
        if (!binds && !mechanism.equals(MECHANISM)) {
            throw new ProtocolException("client selected an invalid SASL authentication mechanism");
        }
        in.position(nameLength + 1);
        int length = in.getInt();
        if (length < 0 || length != in.remaining()) {
            throw new ProtocolException("malformed SASL response");
        }
        byte[] data = new byte[length];
        in.get(data);
        return exchange.first(data, binds, RANDOM);
    }
}
