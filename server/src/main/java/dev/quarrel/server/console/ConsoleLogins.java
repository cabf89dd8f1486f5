package dev.quarrel.server.console;

import dev.quarrel.server.auth.ScramVerifier;
import dev.quarrel.server.auth.Users;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.security.SecureRandom;
import java.util.Base64;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.LongSupplier;

/// Who is logged in to the console, by the tokens of their cookies, of which it knows hashes alone.
///
/// A login ends when nothing was asked under it for half an hour, after twelve hours, and when its user's password
/// changes or the user goes.
///
/// - Memory: at most [#SIZE], and [#SIZE_OF_USER] of one user; the one that was idle longest goes first.
/// - Threads: share it.
final class ConsoleLogins {
    static final int SIZE = 256;
    static final int SIZE_OF_USER = 16;
    static final long IDLE_NANOS = 30 * 60 * 1_000_000_000L;
    static final long LONGEST_NANOS = 12 * 3600 * 1_000_000_000L;
    private static final int TOKEN_BYTES = 32;
    private static final SecureRandom RANDOM = new SecureRandom();

    private final LongSupplier clockNanos;
    private final Map<String, Login> logins = new LinkedHashMap<>(16, 0.75f, true); // guarded by itself

    /// @param verifier of the password at that time; empty where there were no users
    private record Login(String user, String verifier, long since, long used) {}

    /// @param clockNanos never goes back
    ConsoleLogins(LongSupplier clockNanos) {
        this.clockNanos = clockNanos;
    }

    /// Logs a user in, and answers the token.
    String begin(Users users, String user) {
        byte[] random = new byte[TOKEN_BYTES];
        RANDOM.nextBytes(random);
        String token = Base64.getUrlEncoder().withoutPadding().encodeToString(random);
        long now = clockNanos.getAsLong();
        synchronized (logins) {
            logins.values().removeIf(login -> isOver(login, now));
            if (logins.values().stream()
                            .filter(login -> login.user().equals(user))
                            .count()
                    >= SIZE_OF_USER) {
                removeFirst(user);
            } else if (logins.size() >= SIZE) {
                removeFirst(null);
            }
            logins.put(hash(token), new Login(user, verifier(users, user), now, now));
        }
        return token;
    }

    private void removeFirst(String ofUser) {
        for (var each = logins.values().iterator(); each.hasNext(); ) {
            String user = each.next().user();
            if (ofUser == null || user.equals(ofUser)) {
                each.remove();
                return;
            }
        }
    }

    /// The user of a token; null for one that is nobody's, or no longer.
    ///
    /// @param isUse whether somebody has asked, and not the page by itself
    String user(Users users, String token, boolean isUse) {
        String key = hash(token);
        long now = clockNanos.getAsLong();
        synchronized (logins) {
            Login login = logins.get(key);
            if (login == null) {
                return null;
            }
            if (isOver(login, now) || !login.verifier().equals(verifier(users, login.user()))) {
                logins.remove(key);
                return null;
            }
            if (isUse) {
                logins.put(key, new Login(login.user(), login.verifier(), login.since(), now));
            }
            return login.user();
        }
    }

    void end(String token) {
        synchronized (logins) {
            logins.remove(hash(token));
        }
    }

    private static boolean isOver(Login login, long now) {
        return now - login.used() > IDLE_NANOS || now - login.since() > LONGEST_NANOS;
    }

    private static String verifier(Users users, String user) {
        if (users.isEmpty()) {
            return "";
        }
        ScramVerifier verifier = users.verifier(user);
        return verifier == null ? "gone" : verifier.toString();
    }

    private static String hash(String token) {
        try {
            return HexFormat.of()
                    .formatHex(MessageDigest.getInstance("SHA-256").digest(token.getBytes(StandardCharsets.UTF_8)));
        } catch (NoSuchAlgorithmException impossible) {
            throw new IllegalStateException("every JVM has SHA-256", impossible);
        }
    }
}
