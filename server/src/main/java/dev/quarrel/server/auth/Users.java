package dev.quarrel.server.auth;

import dev.quarrel.calcite.TablePrivileges;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/// The users who may log in, each with the verifier of the password, their roles, and what they may read. Immutable.
///
/// A users file has one `name:verifier` a line, the verifier in PostgreSQL's form (so a line can be made from
/// `pg_authid`), and lines of roles and grants ([Grants]); blank lines and lines that start with `#` do not count.
/// Passwords never stand in it.
public final class Users {
    /// What stands between a user's name and the rest of the verifier.
    static final String VERIFIER_START = ":SCRAM-SHA-256$";

    private static final Users NONE = new Users(Map.of(), new Grants());

    private final Map<String, ScramVerifier> verifiers;
    private final Grants grants;
    private final byte[] mockSecret = new byte[32];

    private Users(Map<String, ScramVerifier> verifiers, Grants grants) {
        this.verifiers = new TreeMap<>(verifiers);
        this.grants = grants;
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
        Grants grants = new Grants();
        for (int index = 0; index < lines.size(); index++) {
            String line = lines.get(index).strip();
            if (line.isEmpty() || line.startsWith("#")) {
                continue;
            }
            int colon = line.indexOf(VERIFIER_START);
            try {
                if (colon < 0) {
                    grants.add(line);
                    continue;
                }
                String name = UserName.checked(line.substring(0, colon));
                if (verifiers.put(name, ScramVerifier.parse(line.substring(colon + 1))) != null) {
                    throw new IllegalArgumentException("the user " + name + " is defined before");
                }
            } catch (IllegalArgumentException wrong) {
                throw new IllegalArgumentException(source + " line " + (index + 1) + ": " + wrong.getMessage(), wrong);
            }
        }
        try {
            grants.check(verifiers.keySet());
        } catch (IllegalArgumentException wrong) {
            throw new IllegalArgumentException(source + ": " + wrong.getMessage(), wrong);
        }
        return new Users(verifiers, grants);
    }

    public Users with(String name, ScramVerifier verifier) {
        Map<String, ScramVerifier> more = new TreeMap<>(verifiers);
        more.put(name, verifier);
        return new Users(more, grants);
    }

    public boolean isEmpty() {
        return verifiers.isEmpty();
    }

    public Collection<String> names() {
        return verifiers.keySet();
    }

    /// Roles, as which nobody logs in.
    public Collection<String> roleNames() {
        return grants.roles();
    }

    /// The roles that a user is in, directly or by another role.
    public Set<String> rolesOf(String name) {
        Set<String> roles = new TreeSet<>(grants.rolesOf(name));
        roles.retainAll(grants.roles());
        return roles;
    }

    /// The roles that were granted to a user or a role itself.
    public Set<String> grantedTo(String name) {
        return grants.grantedTo(name);
    }

    /// What a user or a role may read; everything while nothing is granted to anybody. Where nobody logs in, everybody
    /// may do everything.
    public TablePrivileges privileges(String name) {
        return this == NONE ? TablePrivileges.OWNER : grants.privileges(name);
    }

    /// The verifier of a user's password, or null for nobody.
    public ScramVerifier verifier(String name) {
        return verifiers.get(name);
    }

    /// Whether a password is the user's; for who is none it takes as long to say no.
    public boolean accepts(String name, String password) {
        ScramVerifier known = verifiers.get(name);
        boolean fits = (known == null ? ScramVerifier.mock(mockSecret, name) : known).fits(password);
        return fits && known != null;
    }

    /// @param endPoint what SCRAM can bind the login to; empty for nothing
    ScramExchange exchange(String name, byte[] endPoint) {
        Optional<ScramVerifier> known = Optional.ofNullable(verifiers.get(name));
        return new ScramExchange(
                known.orElseGet(() -> ScramVerifier.mock(mockSecret, name)), known.isPresent(), endPoint);
    }
}
