package dev.quarrel.server.catalog;

import dev.quarrel.calcite.SqlSession;
import dev.quarrel.server.auth.Users;
import java.util.Collection;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/// Users, roles and who is in which, as the users file has them at the moment.
final class RoleRelations {
    private final SystemCatalog catalog;

    RoleRelations(SystemCatalog catalog) {
        this.catalog = catalog;
    }

    /// By qualified name.
    Map<String, LiveTable> all() {
        return Stream.of(
                        LiveTable.of("pg_catalog.pg_roles", (_, rows) -> addRoles(rows)),
                        LiveTable.of("pg_catalog.pg_user", (_, rows) -> addUsers(rows)),
                        LiveTable.of("pg_catalog.pg_group", (_, rows) -> addGroups(rows)),
                        LiveTable.of("pg_catalog.pg_auth_members", (_, rows) -> addMembers(rows)),
                        LiveTable.of("information_schema.enabled_roles", this::addEnabled),
                        LiveTable.of("information_schema.applicable_roles", this::addApplicable))
                .collect(Collectors.toMap(LiveTable::qualifiedName, Function.identity()));
    }

    private void addRoles(RelationRows rows) {
        Collection<String> users = catalog.userNames();
        catalog.roleNames()
                .forEach(name -> rows.add(
                        "oid",
                        SystemTables.roleOid(name),
                        "rolname",
                        name,
                        "rolsuper",
                        false,
                        "rolinherit",
                        true,
                        "rolcreaterole",
                        false,
                        "rolcreatedb",
                        false,
                        "rolcanlogin",
                        name.equals(SystemTables.OWNER_NAME) || users.contains(name),
                        "rolreplication",
                        false,
                        "rolconnlimit",
                        -1,
                        "rolpassword",
                        "********",
                        "rolbypassrls",
                        false));
    }

    private void addUsers(RelationRows rows) {
        Stream.concat(Stream.of(SystemTables.OWNER_NAME), catalog.userNames().stream())
                .distinct()
                .forEach(name -> rows.add(
                        "usename", name,
                        "usesysid", SystemTables.roleOid(name),
                        "usecreatedb", false,
                        "usesuper", false,
                        "userepl", false,
                        "usebypassrls", false,
                        "passwd", "********"));
    }

    private void addGroups(RelationRows rows) {
        Users users = catalog.users();
        for (String role : users.roleNames()) {
            String members = catalog.roleNames()
                    .filter(member -> users.grantedTo(member).contains(role))
                    .map(member -> Long.toString(SystemTables.roleOid(member)))
                    .collect(Collectors.joining(",", "{", "}"));
            rows.add("groname", role, "grosysid", SystemTables.roleOid(role), "grolist", members);
        }
    }

    private void addMembers(RelationRows rows) {
        Users users = catalog.users();
        catalog.roleNames()
                .forEach(member -> users.grantedTo(member)
                        .forEach(role -> rows.add(
                                "oid",
                                ObjectNames.unnamedOid("member\0" + role + "\0" + member),
                                "roleid",
                                SystemTables.roleOid(role),
                                "member",
                                SystemTables.roleOid(member),
                                "grantor",
                                ObjectNames.OWNER,
                                "admin_option",
                                false,
                                "inherit_option",
                                true,
                                "set_option",
                                true)));
    }

    private void addEnabled(SqlSession session, RelationRows rows) {
        Stream.concat(Stream.of(session.user()), catalog.users().rolesOf(session.user()).stream())
                .distinct()
                .forEach(name -> rows.add("role_name", name));
    }

    private void addApplicable(SqlSession session, RelationRows rows) {
        Users users = catalog.users();
        Stream.concat(Stream.of(session.user()), users.rolesOf(session.user()).stream())
                .distinct()
                .forEach(grantee -> users.grantedTo(grantee)
                        .forEach(role -> rows.add("grantee", grantee, "role_name", role, "is_grantable", "NO")));
    }
}
