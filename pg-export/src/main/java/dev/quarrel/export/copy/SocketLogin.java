package dev.quarrel.export.copy;

import com.ongres.scram.client.ScramClient;
import com.ongres.scram.common.exception.ScramException;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;

/// Says who asks, and proves it: no password, one in clear, MD5, or SCRAM-SHA-256.
///
/// - Source: PostgreSQL documentation, "Start-up", "SASL Authentication".
final class SocketLogin {
    private static final int PROTOCOL_3 = 3 << 16;
    private static final int OK = 0;
    private static final int CLEARTEXT = 3;
    private static final int MD5 = 5;
    private static final int SASL = 10;
    private static final int SASL_CONTINUE = 11;
    private static final int SASL_FINAL = 12;
    private static final String SCRAM = "SCRAM-SHA-256";

    private final SocketCopyConnection connection;
    private final CopyTarget target;

    SocketLogin(SocketCopyConnection connection, CopyTarget target) {
        this.connection = connection;
        this.target = target;
    }

    /// @return false where the server asks for what is not known here
    boolean run() throws IOException, SQLException {
        connection.sendRaw(startup());
        while (true) {
            char type = connection.next();
            switch (type) {
                case 'R' -> {
                    if (!authenticate(connection.contents())) {
                        return false;
                    }
                }
                case 'K' -> {}
                case 'Z' -> {
                    return true;
                }
                case 'E' -> throw connection.error();
                default -> {
                    return false;
                }
            }
        }
    }

    private byte[] startup() {
        ByteArrayOutputStream body = new ByteArrayOutputStream();
        body.writeBytes(new byte[4]); // the length
        body.writeBytes(int32(PROTOCOL_3));
        put(body, "user", target.user());
        put(body, "database", target.database());
        put(body, "client_encoding", "UTF8");
        put(body, "application_name", target.property("ApplicationName", "quarrel-export"));
        String options = target.property("options", null);
        if (options != null) {
            put(body, "options", options);
        }
        body.write(0);
        byte[] message = body.toByteArray();
        FieldReader.INT32.set(message, 0, message.length);
        return message;
    }

    private static void put(ByteArrayOutputStream body, String name, String value) {
        body.writeBytes(name.getBytes(StandardCharsets.UTF_8));
        body.write(0);
        body.writeBytes(value.getBytes(StandardCharsets.UTF_8));
        body.write(0);
    }

    private static byte[] int32(int value) {
        byte[] bytes = new byte[4];
        FieldReader.INT32.set(bytes, 0, value);
        return bytes;
    }

    private boolean authenticate(byte[] message) throws IOException, SQLException {
        if (message.length < 4) {
            return false;
        }
        int method = (int) FieldReader.INT32.get(message, 0);
        switch (method) {
            case OK -> {
                return true;
            }
            case CLEARTEXT -> {
                connection.send('p', password().getBytes(StandardCharsets.UTF_8), true);
                return true;
            }
            case MD5 -> {
                if (message.length != 8) {
                    return false;
                }
                connection.send('p', md5(Arrays.copyOfRange(message, 4, 8)).getBytes(StandardCharsets.UTF_8), true);
                return true;
            }
            case SASL -> {
                List<String> mechanisms = mechanisms(message);
                if (!mechanisms.contains(SCRAM)) {
                    return false;
                }
                scram();
                return true;
            }
            default -> {
                return false; // Kerberos and its kin
            }
        }
    }

    private String password() throws SQLException {
        if (target.password() == null) {
            throw new SQLException("the server asks for a password, and none is given", "28P01");
        }
        return target.password();
    }

    private String md5(byte[] salt) throws SQLException {
        String inner = hex(bytes(password()), bytes(target.user()));
        return "md5" + hex(inner.getBytes(StandardCharsets.US_ASCII), salt);
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private static String hex(byte[] first, byte[] second) throws SQLException {
        try {
            MessageDigest digest = MessageDigest.getInstance("MD5");
            digest.update(first);
            digest.update(second);
            return HexFormat.of().formatHex(digest.digest());
        } catch (NoSuchAlgorithmException failure) {
            throw new SQLException("this JVM has no MD5, which the server asks for", "28000", failure);
        }
    }

    private static List<String> mechanisms(byte[] message) {
        List<String> names = new ArrayList<>();
        int start = 4;
        for (int index = start; index < message.length && message[start] != 0; index++) {
            if (message[index] == 0) {
                names.add(new String(message, start, index - start, StandardCharsets.US_ASCII));
                start = index + 1;
            }
        }
        return names;
    }

    private void scram() throws IOException, SQLException {
        try {
            ScramClient client = ScramClient.builder()
                    .advertisedMechanisms(List.of(SCRAM))
                    .username("*") // the server goes by the start-up's
                    .password(password().toCharArray())
                    .build();
            byte[] first = bytes(client.clientFirstMessage().toString());
            ByteArrayOutputStream initial = new ByteArrayOutputStream();
            initial.writeBytes(bytes(SCRAM));
            initial.write(0);
            initial.writeBytes(int32(first.length));
            initial.writeBytes(first);
            connection.send('p', initial.toByteArray(), false);
            client.serverFirstMessage(saslAnswer(SASL_CONTINUE));
            connection.send('p', bytes(client.clientFinalMessage().toString()), false);
            // Whoever does not know the password cannot sign: so this is the server that was meant.
            client.serverFinalMessage(saslAnswer(SASL_FINAL));
        } catch (ScramException | IllegalArgumentException failure) {
            throw new SQLException("SCRAM failed: " + failure.getMessage(), "28000", failure);
        }
    }

    private String saslAnswer(int expected) throws IOException, SQLException {
        char type = connection.next();
        if (type == 'E') {
            throw connection.error();
        }
        byte[] message = connection.contents();
        if (type != 'R' || message.length < 4 || (int) FieldReader.INT32.get(message, 0) != expected) {
            throw new SQLException("the server broke off SCRAM", "08P01");
        }
        return new String(message, 4, message.length - 4, StandardCharsets.UTF_8);
    }
}
