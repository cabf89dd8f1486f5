package dev.quarrel.server.auth;

import com.ongres.scram.common.ScramFunctions;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;
import dev.quarrel.server.wire.ProtocolException;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.util.Arrays;
import java.util.Base64;

/// The server's half of one SCRAM-SHA-256 login: client-first → server-first → client-final → server-final.
///
/// Over TLS a client may bind the login to the channel, by SCRAM-SHA-256-PLUS: then the exchange has a hash of the
/// server's certificate in it, which a man in the middle, with another certificate, cannot make fit. A client that
/// could but thinks that we did not offer it (`y`) was told so by somebody else, and is refused. Without TLS there is
/// no channel to bind to: `p=` is refused, and `y` is fine.
///
/// The user name inside the exchange is ignored, as PostgreSQL ignores it: libpq leaves it empty.
///
/// - Errors: [ProtocolException] for anything that is not the exchange; [QueryException] 28000 where the channel is not
///   the client's.
/// - Source: RFC 5802, sections 5 to 7; RFC 5929, section 4; the messages are those of PostgreSQL's `auth-scram.c`.
final class ScramExchange {
    private static final int NONCE_BYTES = 18;

    private final ScramVerifier verifier;
    private final boolean userExists;
    private final byte[] endPoint;
    private String gs2Header;
    private byte[] bound = new byte[0];
    private String clientFirstBare;
    private String serverFirst;
    private String nonce;

    /// @param endPoint what a login can be bound to; empty where it cannot
    ScramExchange(ScramVerifier verifier, boolean userExists, byte[] endPoint) {
        this.verifier = verifier;
        this.userExists = userExists;
        this.endPoint = endPoint.clone();
    }

    /// Whether SCRAM-SHA-256-PLUS is offered.
    boolean canBind() {
        return endPoint.length > 0;
    }

    /// Reads client-first and answers server-first.
    ///
    /// @param binds whether the client selected SCRAM-SHA-256-PLUS
    byte[] first(byte[] clientFirst, boolean binds, SecureRandom random) {
        String message = text(clientFirst);
        String[] parts = message.split(",", 3);
        if (parts.length < 3) {
            throw malformed();
        }
        requireBinding(parts[0], binds);
        if (!parts[1].isEmpty()) {
            throw new ProtocolException("client uses authorization identity, but it is not supported");
        }
        gs2Header = parts[0] + ",,";
        clientFirstBare = parts[2];
        String[] attributes = clientFirstBare.split(",", -1);
        if (attributes.length < 2 || !attributes[0].startsWith("n=") || !attributes[1].startsWith("r=")) {
            throw malformed();
        }
        String clientNonce = attributes[1].substring(2);
        if (clientNonce.isEmpty() || !clientNonce.chars().allMatch(c -> c > ' ' && c < 127)) {
            throw malformed();
        }
        byte[] serverNonce = new byte[NONCE_BYTES];
        random.nextBytes(serverNonce);
        nonce = clientNonce + Base64.getEncoder().encodeToString(serverNonce);
        serverFirst = "r=" + nonce + ",s=" + Base64.getEncoder().encodeToString(verifier.salt()) + ",i="
                + verifier.iterations();
        return serverFirst.getBytes(StandardCharsets.US_ASCII);
    }

    private void requireBinding(String flag, boolean binds) {
        if (flag.startsWith("p=")) {
            if (!binds) {
                throw malformed();
            }
            if (!flag.equals("p=tls-server-end-point")) {
                throw new ProtocolException("unsupported SCRAM channel-binding type");
            }
            bound = endPoint;
        } else if (!(flag.equals("n") || flag.equals("y")) || binds) {
            throw malformed();
        } else if (flag.equals("y") && canBind()) {
            throw new QueryException(
                            SqlState.INVALID_AUTHORIZATION_SPECIFICATION, "SCRAM channel binding negotiation error")
                    .withDetail(
                            "The client supports SCRAM channel binding but thinks the server does not. However, this"
                                    + " server does support channel binding.");
        }
    }

    /// Reads client-final and answers server-final, or null where the proof is wrong or the user does not exist.
    byte[] last(byte[] clientFinal) {
        String message = text(clientFinal);
        int proofStart = message.lastIndexOf(",p=");
        if (proofStart < 0) {
            throw malformed();
        }
        String withoutProof = message.substring(0, proofStart);
        String[] attributes = withoutProof.split(",", -1);
        if (attributes.length < 2 || !attributes[0].startsWith("c=") || !attributes[1].equals("r=" + nonce)) {
            throw malformed();
        }
        if (!attributes[0].equals("c=" + binding())) {
            if (bound.length == 0) {
                throw malformed();
            }
            throw new QueryException(
                    SqlState.INVALID_AUTHORIZATION_SPECIFICATION, "SCRAM channel binding check failed");
        }
        byte[] proof;
        try {
            proof = Base64.getDecoder().decode(message.substring(proofStart + 3));
        } catch (IllegalArgumentException noBase64) {
            throw malformed();
        }
        if (proof.length != verifier.storedKey().length) {
            throw malformed();
        }
        String authMessage = clientFirstBare + "," + serverFirst + "," + withoutProof;
        // The library compares in constant time; a stranger's proof is computed like anybody's.
        boolean fits =
                ScramFunctions.verifyClientProof(ScramVerifier.MECHANISM, proof, verifier.storedKey(), authMessage);
        if (!fits || !userExists) {
            return null;
        }
        byte[] signature = ScramFunctions.serverSignature(ScramVerifier.MECHANISM, verifier.serverKey(), authMessage);
        return ("v=" + Base64.getEncoder().encodeToString(signature)).getBytes(StandardCharsets.US_ASCII);
    }

    private String binding() {
        byte[] header = gs2Header.getBytes(StandardCharsets.US_ASCII);
        byte[] data = Arrays.copyOf(header, header.length + bound.length);
        System.arraycopy(bound, 0, data, header.length, bound.length);
        return Base64.getEncoder().encodeToString(data);
    }

    private static String text(byte[] message) {
        return new String(message, StandardCharsets.UTF_8);
    }

    private static ProtocolException malformed() {
        return new ProtocolException("malformed SCRAM message");
    }
}
