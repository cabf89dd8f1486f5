package dev.quarrel.server.auth;

import java.nio.charset.StandardCharsets;
import java.util.Set;

/// Which names users and roles can have.
///
/// - Source: PostgreSQL's `CreateRole`, `IsReservedName` and `check_rolespec_name`.
public final class UserName {
    /// PostgreSQL's NAMEDATALEN, without the byte that ends a name.
    private static final int MAX_BYTES = 63;

    private static final Set<String> RESERVED =
            Set.of("public", "none", "current_user", "current_role", "session_user");

    private UserName() {}

    /// - Errors: [IllegalArgumentException] saying what is wrong with it.
    public static String checked(String name) {
        if (name.isEmpty()) {
            throw new IllegalArgumentException("a name is empty");
        }
        if (name.getBytes(StandardCharsets.UTF_8).length > MAX_BYTES) {
            throw new IllegalArgumentException("a name has more than " + MAX_BYTES + " bytes");
        }
        if (RESERVED.contains(name) || name.startsWith("pg_")) {
            throw new IllegalArgumentException("the name \"" + name + "\" is reserved");
        }
        boolean isPrintable = name.codePoints().noneMatch(c -> Character.isISOControl(c) || c == ':' || c == '"');
        if (!isPrintable || !name.equals(name.strip()) || name.startsWith("#")) {
            throw new IllegalArgumentException("a name has no colon, quote or control character, does not begin with #,"
                    + " and does not begin or end with a blank");
        }
        return name;
    }
}
