package dev.quarrel.server.auth;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/// The users who may log in, each with the verifier of the password. Immutable.
///
/// A users file has one `name:verifier` a line, the verifier in PostgreSQL's form (so a line can be made from
/// `pg_authid`);
/// blank lines and lines that start with `#` do not count. Passwords never stand in it.
public final class Users {
    /// What stands between a user's name and the rest of the verifier.
    static final String VERIFIER_START = ":SCRAM-SHA-256$";

    private static final Users NONE = new Users(Map.of());

    private final Map<String, ScramVerifier> verifiers;
    private final byte[] mockSecret = new byte[32];

    private Users(Map<String, ScramVerifier> verifiers) {
        this.verifiers = new TreeMap<>(verifiers);
        new SecureRandom().nextBytes(mockSecret);
    }

    public static Users none() {
        return NONE;
    }

    /// - Errors: [IOException]; [IllegalArgumentException] naming file and line.
    public static Users read(Path file) throws IOException {
        return parse(file.toString(), Files.readAllLines(file));
    }

    /// @param source what the lines are from, for messages
    static Users parse(String source, List<String> lines) {
        Map<String, ScramVerifier> verifiers = new TreeMap<>();
        for (int index = 0; index < lines.size(); index++) {
            String line = lines.get(index).strip();
            if (line.isEmpty() || line.startsWith("#")) {
                continue;
            }
            int colon = line.indexOf(VERIFIER_START);
            try {
                if (colon <= 0) {
                    throw new IllegalArgumentException("expected name:SCRAM-SHA-256$…");
                }
                String name = UserName.checked(line.substring(0, colon));
                if (verifiers.put(name, ScramVerifier.parse(line.substring(colon + 1))) != null) {
                    throw new IllegalArgumentException("the user " + name + " is defined before");
                }
            } catch (IllegalArgumentException wrong) {
                throw new IllegalArgumentException(source + " line " + (index + 1) + ": " + wrong.getMessage(), wrong);
            }
        }
        return new Users(verifiers);
    }

    public Users with(String name, ScramVerifier verifier) {
        Map<String, ScramVerifier> more = new TreeMap<>(verifiers);
        more.put(name, verifier);
        return new Users(more);
    }

    public boolean isEmpty() {
        return verifiers.isEmpty();
    }

    public Collection<String> names() {
        return verifiers.keySet();
    }

    /// @param endPoint what SCRAM can bind the login to; empty for nothing
    ScramExchange exchange(String name, byte[] endPoint) {
        Optional<ScramVerifier> known = Optional.ofNullable(verifiers.get(name));
        return new ScramExchange(
                known.orElseGet(() -> ScramVerifier.mock(mockSecret, name)), known.isPresent(), endPoint);
    }
}
