package dev.quarrel.server.catalog;

import static dev.quarrel.core.pg.PgType.BOOL;
import static dev.quarrel.core.pg.PgType.INT2;
import static dev.quarrel.core.pg.PgType.NAME;
import static dev.quarrel.core.pg.PgType.OID;
import static dev.quarrel.core.pg.PgType.TEXT;

import dev.quarrel.calcite.ScalarFunction;
import dev.quarrel.calcite.SqlSession;
import dev.quarrel.calcite.TablePrivileges;
import dev.quarrel.core.pg.Identifiers;
import dev.quarrel.core.pg.PgType;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;
import dev.quarrel.server.auth.Users;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/// `has_table_privilege` and its like: nobody may write, and who may read what is granted in the users file.
///
/// - Source: PostgreSQL 18's `acl.c`.
final class PrivilegeFunctions {
    private static final Set<String> READ_PRIVILEGES = Set.of("SELECT", "USAGE", "CONNECT");
    private static final Set<String> WRITE_PRIVILEGES = Set.of(
            "INSERT",
            "UPDATE",
            "DELETE",
            "TRUNCATE",
            "REFERENCES",
            "TRIGGER",
            "CREATE",
            "TEMPORARY",
            "TEMP",
            "EXECUTE");

    private final SystemCatalog catalog;
    private final List<ScalarFunction> functions = new ArrayList<>();

    PrivilegeFunctions(SystemCatalog catalog) {
        this.catalog = catalog;
        for (String what : List.of(
                "schema",
                "database",
                "sequence",
                "type",
                "tablespace",
                "language",
                "function",
                "foreign_data_wrapper",
                "server")) {
            String name = "has_" + what + "_privilege";
            boolean isFunction = what.equals("function"); // Everybody may call all of them.
            for (PgType object : List.of(TEXT, OID)) {
                add(name, List.of(object, TEXT), (_, values) -> mayDo((String) values[1]) || isFunction);
                add(name, List.of(NAME, object, TEXT), (_, values) -> mayDo((String) values[2]) || isFunction);
                add(name, List.of(OID, object, TEXT), (_, values) -> mayDo((String) values[2]) || isFunction);
            }
        }
        for (PgType table : List.of(TEXT, OID)) {
            for (String name : List.of("has_table_privilege", "has_any_column_privilege")) {
                add(
                        name,
                        List.of(table, TEXT),
                        (session, values) -> mayRead(session, values[0], (String) values[1], session.privileges()));
                add(
                        name,
                        List.of(NAME, table, TEXT),
                        (session, values) ->
                                mayRead(session, values[1], (String) values[2], of((String) values[0], session)));
            }
            for (PgType column : List.of(TEXT, INT2)) {
                add(
                        "has_column_privilege",
                        List.of(table, column, TEXT),
                        (session, values) -> mayRead(session, values[0], (String) values[2], session.privileges()));
            }
        }
        functions.add(new ScalarFunction(
                "acldefault",
                List.of(PgType.CHAR, OID),
                TEXT,
                true,
                (_, values) -> defaults((String) values[0], catalog.userName((Long) values[1]))));
        add("pg_has_role", List.of(NAME, TEXT), (session, values) -> isIn(session.user(), (String) values[0]));
        add("pg_has_role", List.of(NAME, NAME, TEXT), (_, values) -> isIn((String) values[0], (String) values[1]));
        add(
                "pg_has_role",
                List.of(OID, TEXT),
                (session, values) -> isIn(session.user(), catalog.userName((Long) values[0])));
        add(
                "pg_has_role",
                List.of(NAME, OID, TEXT),
                (_, values) -> isIn((String) values[0], catalog.userName((Long) values[1])));
    }

    List<ScalarFunction> all() {
        return List.copyOf(functions);
    }

    private void add(String name, List<PgType> arguments, ScalarFunction.Body body) {
        functions.add(new ScalarFunction(name, arguments, BOOL, true, body));
    }

    private boolean isIn(String user, String role) {
        Users users = catalog.users();
        return !users.isEmpty() && (user.equals(role) || users.rolesOf(user).contains(role));
    }

    private TablePrivileges of(String user, SqlSession session) {
        Users users = catalog.users();
        boolean isKnown = users.isEmpty()
                || user.equals(SystemTables.OWNER_NAME)
                || user.equals("public")
                || users.names().contains(user)
                || users.roleNames().contains(user);
        if (!isKnown) {
            throw new QueryException(SqlState.UNDEFINED_OBJECT, "role \"" + user + "\" does not exist");
        }
        boolean ownsAll = user.equals(SystemTables.OWNER_NAME) && !users.names().contains(user);
        return user.equals(session.user())
                ? session.privileges()
                : ownsAll ? TablePrivileges.OWNER : users.privileges(user);
    }

    /// - Returns: null for the number of no table.
    /// - Errors: 42P01 for the name of none.
    private Boolean mayRead(SqlSession session, Object table, String asked, TablePrivileges privileges) {
        boolean may = mayDo(asked);
        ObjectNames.Named named;
        if (table instanceof String text) {
            named = CatalogFunctions.relation(catalog, text, session);
            if (named == null) {
                throw new QueryException(SqlState.UNDEFINED_TABLE, "relation \"" + text + "\" does not exist");
            }
        } else {
            named = catalog.names(session).relation((Long) table);
            if (named == null) {
                return null;
            }
        }
        return may && privileges.maySelect(named.schemaName(), named.name());
    }

    /// Whether it is a privilege to read that is asked for.
    private static boolean mayDo(String privileges) {
        boolean may = false;
        for (String each : privileges.split(",", -1)) {
            String privilege = each.strip().toUpperCase(Locale.ROOT);
            String plain = privilege.endsWith(" WITH GRANT OPTION")
                    ? privilege.substring(0, privilege.length() - " WITH GRANT OPTION".length())
                    : privilege;
            if (!READ_PRIVILEGES.contains(plain) && !WRITE_PRIVILEGES.contains(plain)) {
                throw new QueryException(
                        SqlState.INVALID_PARAMETER_VALUE, "unrecognized privilege type: \"" + each.strip() + "\"");
            }
            may |= READ_PRIVILEGES.contains(privilege);
        }
        return may;
    }

    /// What everybody, and the owner, may do with an object to which nothing was granted, as an array of aclitem.
    ///
    /// - Errors: XX000 for a kind that is none, as in PostgreSQL.
    private static String defaults(String kind, String owner) {
        String everybody =
                switch (kind) {
                    case "d" -> "Tc";
                    case "f" -> "X";
                    case "l", "T" -> "U";
                    default -> "";
                };
        String own =
                switch (kind) {
                    case "c" -> "";
                    case "r" -> "arwdDxtm";
                    case "s" -> "rwU";
                    case "d" -> "CTc";
                    case "f" -> "X";
                    case "l", "T", "F", "S" -> "U";
                    case "L" -> "rw";
                    case "n" -> "UC";
                    case "t" -> "C";
                    case "p" -> "sA";
                    default ->
                        throw new QueryException(
                                SqlState.INTERNAL_ERROR, "unrecognized object type abbreviation: " + kind);
                };
        String name = Identifiers.quoted(owner);
        String items = (everybody.isEmpty() ? "" : "=" + everybody + "/" + name)
                + (everybody.isEmpty() || own.isEmpty() ? "" : ",")
                + (own.isEmpty() ? "" : name + "=" + own + "/" + name);
        return "{" + items + "}";
    }
}
