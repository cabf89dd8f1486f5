package dev.quarrel.server.auth;

import com.ongres.scram.common.ScramFunctions;
import com.ongres.scram.common.ScramMechanism;
import com.ongres.scram.common.StringPreparation;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.util.Base64;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// The verifier that the server keeps instead of a password, in the text form of PostgreSQL's
/// `pg_authid.rolpassword`: `SCRAM-SHA-256$<iterations>:<salt>$<StoredKey>:<ServerKey>`.
///
/// - Source: RFC 5802 and 7677; PostgreSQL's `scram-common.c`.
public final class ScramVerifier {
    static final ScramMechanism MECHANISM = ScramMechanism.SCRAM_SHA_256;
    /// PostgreSQL's own count since version 10.
    public static final int DEFAULT_ITERATIONS = 4096;

    private static final int MAX_ITERATIONS = 1_000_000; // clients pay for these; more is an attack on them
    private static final int SALT_BYTES = 16;
    private static final int KEY_BYTES = 32;
    private static final Pattern FORM =
            Pattern.compile("SCRAM-SHA-256\\$([0-9]{1,7}):([A-Za-z0-9+/=]+)\\$([A-Za-z0-9+/=]+):([A-Za-z0-9+/=]+)");

    private final int iterations;
    private final byte[] salt;
    private final byte[] storedKey;
    private final byte[] serverKey;

    private ScramVerifier(int iterations, byte[] salt, byte[] storedKey, byte[] serverKey) {
        this.iterations = iterations;
        this.salt = salt;
        this.storedKey = storedKey;
        this.serverKey = serverKey;
    }

    /// Reads PostgreSQL's text form.
    ///
    /// - Errors: [IllegalArgumentException], which does not repeat the text.
    public static ScramVerifier parse(String text) {
        Matcher matcher = FORM.matcher(text);
        if (!matcher.matches()) {
            throw new IllegalArgumentException("not a SCRAM-SHA-256 verifier");
        }
        int iterations = Integer.parseInt(matcher.group(1));
        byte[] salt = Base64.getDecoder().decode(matcher.group(2));
        byte[] storedKey = Base64.getDecoder().decode(matcher.group(3));
        byte[] serverKey = Base64.getDecoder().decode(matcher.group(4));
        if (iterations < DEFAULT_ITERATIONS || iterations > MAX_ITERATIONS) {
            throw new IllegalArgumentException("a SCRAM verifier of " + iterations + " iterations; "
                    + DEFAULT_ITERATIONS + " to " + MAX_ITERATIONS + " are accepted");
        }
        if (storedKey.length != KEY_BYTES || serverKey.length != KEY_BYTES) {
            throw new IllegalArgumentException("not a SCRAM-SHA-256 verifier: its keys are not of 32 bytes");
        }
        return new ScramVerifier(iterations, salt, storedKey, serverKey);
    }

    /// Makes a verifier with a fresh salt. The password is prepared by SASLprep where it can be, else taken as it is.
    public static ScramVerifier ofPassword(String password) {
        SecureRandom random = new SecureRandom();
        byte[] salt = ScramFunctions.salt(SALT_BYTES, random);
        byte[] salted = ScramFunctions.saltedPassword(
                MECHANISM, StringPreparation.POSTGRESQL_PREPARATION, password.toCharArray(), salt, DEFAULT_ITERATIONS);
        byte[] storedKey = ScramFunctions.storedKey(MECHANISM, ScramFunctions.clientKey(MECHANISM, salted));
        return new ScramVerifier(DEFAULT_ITERATIONS, salt, storedKey, ScramFunctions.serverKey(MECHANISM, salted));
    }

    /// A verifier that no password fits, with the same salt for the same name, so that a stranger cannot tell
    /// which users exist.
    ///
    /// @param secret random, one a server
    static ScramVerifier mock(byte[] secret, String user) {
        byte[] digest = ScramFunctions.hmac(MECHANISM, secret, user.getBytes(java.nio.charset.StandardCharsets.UTF_8));
        byte[] salt = java.util.Arrays.copyOf(digest, SALT_BYTES);
        byte[] noKey = new byte[KEY_BYTES];
        new SecureRandom().nextBytes(noKey);
        return new ScramVerifier(DEFAULT_ITERATIONS, salt, noKey, noKey.clone());
    }

    /// Whether it is the verifier of a password. It takes the time of all iterations.
    boolean fits(String password) {
        if (password.isEmpty()) {
            return false;
        }
        byte[] salted = ScramFunctions.saltedPassword(
                MECHANISM, StringPreparation.POSTGRESQL_PREPARATION, password.toCharArray(), salt, iterations);
        return MessageDigest.isEqual(
                storedKey, ScramFunctions.storedKey(MECHANISM, ScramFunctions.clientKey(MECHANISM, salted)));
    }

    int iterations() {
        return iterations;
    }

    byte[] salt() {
        return salt;
    }

    byte[] storedKey() {
        return storedKey;
    }

    byte[] serverKey() {
        return serverKey;
    }

    /// PostgreSQL's text form.
    @Override
    public String toString() {
        Base64.Encoder base64 = Base64.getEncoder();
        return "SCRAM-SHA-256$" + iterations + ":" + base64.encodeToString(salt) + "$"
                + base64.encodeToString(storedKey) + ":" + base64.encodeToString(serverKey);
    }
}
