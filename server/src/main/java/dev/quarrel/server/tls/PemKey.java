package dev.quarrel.server.tls;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.InvalidKeyException;
import java.security.KeyFactory;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.Signature;
import java.security.spec.InvalidKeySpecException;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// A private key in a PEM file, in PKCS #8 form: `BEGIN PRIVATE KEY`.
///
/// - Errors: `IllegalArgumentException` saying the file, and the command that makes a usable key of it. None repeats
///   what stands in the file.
/// - Source: RFC 7468, section 10.
final class PemKey {
    private static final Pattern BLOCK =
            Pattern.compile("-----BEGIN ([A-Z0-9 ]*PRIVATE KEY)-----([^-]*)-----END \\1-----");
    private static final List<String> ALGORITHMS = List.of("RSA", "EC", "EdDSA");
    private static final Map<String, String> SIGNATURES =
            Map.of("RSA", "SHA256withRSA", "EC", "SHA256withECDSA", "EdDSA", "EdDSA");

    private PemKey() {}

    static PrivateKey read(Path file) throws IOException {
        Matcher block = BLOCK.matcher(Files.readString(file, java.nio.charset.StandardCharsets.ISO_8859_1));
        if (!block.find()) {
            throw new IllegalArgumentException("there is no private key in " + file + ": tls_key is a PEM file with a"
                    + " line -----BEGIN PRIVATE KEY-----");
        }
        if (!block.group(1).equals("PRIVATE KEY")) {
            throw new IllegalArgumentException("the key in " + file + " is a \"" + block.group(1)
                    + "\", which is not read; openssl pkcs8 -topk8 -nocrypt -in " + file + " -out NEW makes a usable"
                    + " one of it");
        }
        byte[] encoded;
        try {
            encoded = Base64.getMimeDecoder().decode(block.group(2));
        } catch (IllegalArgumentException _) {
            throw new IllegalArgumentException("the private key in " + file + " is damaged");
        }
        for (String algorithm : ALGORITHMS) {
            try {
                return KeyFactory.getInstance(algorithm).generatePrivate(new PKCS8EncodedKeySpec(encoded));
            } catch (InvalidKeySpecException _) {
                // of another algorithm, or damaged
            } catch (GeneralSecurityException impossible) {
                throw new IllegalStateException(algorithm, impossible);
            }
        }
        throw new IllegalArgumentException(
                "the private key in " + file + " is damaged, or not of RSA, EC or Ed25519, which are supported");
    }

    /// Whether a signature by the one is valid by the other.
    static boolean belongTogether(PrivateKey privateKey, PublicKey publicKey) {
        String algorithm = SIGNATURES.get(privateKey.getAlgorithm());
        try {
            byte[] message = {1, 2, 3};
            Signature signature = Signature.getInstance(algorithm);
            signature.initSign(privateKey);
            signature.update(message);
            byte[] signed = signature.sign();
            signature.initVerify(publicKey);
            signature.update(message);
            return signature.verify(signed);
        } catch (InvalidKeyException _) {
            return false; // keys of two algorithms
        } catch (GeneralSecurityException _) {
            return false;
        }
    }
}
