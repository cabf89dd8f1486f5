package dev.quarrel.server.auth;

import com.ongres.scram.common.ScramFunctions;
import dev.quarrel.server.wire.ProtocolException;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.util.Base64;

/// The server's half of one SCRAM-SHA-256 login: client-first → server-first → client-final → server-final.
///
/// Without TLS there is no channel to bind to, so `p=` is refused and `y` (the client could, but we did not offer
/// it) is fine.
/// The user name inside the exchange is ignored, as PostgreSQL ignores it: libpq leaves it empty.
///
/// - Errors: [ProtocolException] for anything that is not the exchange.
/// - Source: RFC 5802, sections 5 and 7.
final class ScramExchange {
    private static final int NONCE_BYTES = 18;

    private final ScramVerifier verifier;
    private final boolean userExists;
    private String gs2Header;
    private String clientFirstBare;
    private String serverFirst;
    private String nonce;

    ScramExchange(ScramVerifier verifier, boolean userExists) {
        this.verifier = verifier;
        this.userExists = userExists;
    }

    /// Reads client-first and answers server-first.
    byte[] first(byte[] clientFirst, SecureRandom random) {
        String message = text(clientFirst);
        String[] parts = message.split(",", 3);
        if (parts.length < 3 || !(parts[0].equals("n") || parts[0].equals("y"))) {
            throw malformed();
        }
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

    /// Reads client-final and answers server-final, or null where the proof is wrong or the user does not exist.
    byte[] last(byte[] clientFinal) {
        String message = text(clientFinal);
        int proofStart = message.lastIndexOf(",p=");
        if (proofStart < 0) {
            throw malformed();
        }
        String withoutProof = message.substring(0, proofStart);
        String[] attributes = withoutProof.split(",", -1);
        String binding = "c=" + Base64.getEncoder().encodeToString(gs2Header.getBytes(StandardCharsets.US_ASCII));
        if (attributes.length < 2 || !attributes[0].equals(binding) || !attributes[1].equals("r=" + nonce)) {
            throw malformed();
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

    private static String text(byte[] message) {
        return new String(message, StandardCharsets.UTF_8);
    }

    private static ProtocolException malformed() {
        return new ProtocolException("malformed SCRAM message");
    }
}
