package dev.quarrel.server.auth;

import dev.quarrel.calcite.TablePrivileges;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/// Roles, who is in which, and which tables each may read: the lines of a users file that are no users.
///
/// | line | |
/// |---|---|
/// | `role analysts` | there is such a role; nobody logs in as one |
/// | `grant analysts to bob, carol` | they may do what it may |
/// | `grant select on orders, sales.daily to bob` | tables; without a schema those of `public` |
/// | `grant select on sales.* to bob` | all tables of a schema, also those to come |
/// | `grant select on all to analysts` | all tables |
/// | `grant create on schema logs to bob` | he may name tables over files there, and drop them |
/// | `grant create on all to bob` | in all schemas |
///
/// `to public` is to everybody. While there is no grant at all, everybody reads everything.
///
/// Not shared between threads while lines are added.
final class Grants {
    private static final String EVERYBODY = "public";

    private final Set<String> roles = new TreeSet<>();
    private final Map<String, Set<String>> memberships = new TreeMap<>();
    private final Map<String, Readable> readable = new TreeMap<>();
    private final Map<String, Set<String>> creates = new TreeMap<>();
    private boolean any;

    private record Readable(boolean[] everything, Set<String> schemas, Set<TablePrivileges.TableName> tables) {
        Readable() {
            this(new boolean[1], new HashSet<>(), new HashSet<>());
        }

        void addAll(Readable other) {
            everything[0] |= other.everything[0];
            schemas.addAll(other.schemas);
            tables.addAll(other.tables);
        }
    }

    /// - Errors: [IllegalArgumentException] for a line that is none of these.
    void add(String line) {
        GrantWords words = new GrantWords(line);
        if (words.takes("role")) {
            String role = UserName.checked(words.name());
            if (!roles.add(role)) {
                throw new IllegalArgumentException("the role " + role + " is defined before");
            }
        } else if (words.takes("grant", "select", "on")) {
            addSelect(words);
        } else if (words.takes("grant", "create", "on")) {
            addCreate(words);
        } else if (words.takes("grant")) {
            List<String> granted = words.names();
            words.expect("to");
            words.names()
                    .forEach(member -> memberships
                            .computeIfAbsent(member, _ -> new LinkedHashSet<>())
                            .addAll(granted));
            any = true;
        } else {
            throw new IllegalArgumentException("expected name:SCRAM-SHA-256$…, role … or grant … to …");
        }
        words.expectEnd();
    }

    private void addSelect(GrantWords words) {
        Readable objects = new Readable();
        if (words.takes("all", "tables", "in", "schema")) {
            objects.schemas().addAll(words.names());
        } else if (words.takes("all") || words.takes("*")) {
            objects.everything()[0] = true;
        } else {
            boolean _ = words.takes("table");
            do {
                addObject(words, objects);
            } while (words.takes(","));
        }
        words.expect("to");
        words.names()
                .forEach(grantee ->
                        readable.computeIfAbsent(grantee, _ -> new Readable()).addAll(objects));
        any = true;
    }

    private void addCreate(GrantWords words) {
        Set<String> schemas = new HashSet<>();
        if (words.takes("all")) {
            schemas.add(TablePrivileges.ALL_SCHEMAS);
        } else {
            words.expect("schema");
            schemas.addAll(words.names());
        }
        words.expect("to");
        words.names()
                .forEach(grantee ->
                        creates.computeIfAbsent(grantee, _ -> new HashSet<>()).addAll(schemas));
    }

    private static void addObject(GrantWords words, Readable objects) {
        String first = words.name();
        if (!words.takes(".")) {
            objects.tables().add(new TablePrivileges.TableName("public", first));
        } else if (words.takes("*")) {
            objects.schemas().add(first);
        } else {
            objects.tables().add(new TablePrivileges.TableName(first, words.name()));
        }
    }

    /// - Errors: [IllegalArgumentException] for names of nobody, and for roles that are in themselves.
    void check(Set<String> users) {
        for (String role : roles) {
            if (users.contains(role)) {
                throw new IllegalArgumentException(role + " is both a user and a role");
            }
        }
        readable.keySet().forEach(name -> requireKnown(name, users));
        creates.keySet().forEach(name -> requireKnown(name, users));
        memberships.forEach((member, granted) -> {
            requireKnown(member, users);
            granted.forEach(role -> requireKnown(role, users));
            if (granted.stream().anyMatch(role -> rolesOf(role).contains(member))) {
                throw new IllegalArgumentException("the role " + member + " is in itself");
            }
        });
    }

    private void requireKnown(String name, Set<String> users) {
        if (!name.equals(EVERYBODY) && !roles.contains(name) && !users.contains(name)) {
            throw new IllegalArgumentException(
                    "there is no user or role \"" + name + "\", which is granted something or granted to somebody");
        }
    }

    Set<String> roles() {
        return roles;
    }

    /// Itself, all roles that it is in, directly or not, and everybody.
    Set<String> rolesOf(String name) {
        Set<String> all = new TreeSet<>();
        Deque<String> open = new ArrayDeque<>(List.of(name, EVERYBODY));
        while (!open.isEmpty()) {
            String role = open.pop();
            if (all.add(role)) {
                open.addAll(memberships.getOrDefault(role, Set.of()));
            }
        }
        return all;
    }

    /// The roles that it is in directly.
    Set<String> grantedTo(String name) {
        return memberships.getOrDefault(name, Set.of());
    }

    /// Where nobody may read anything by a grant, everybody reads everything; to make tables takes one.
    TablePrivileges privileges(String name) {
        Set<String> schemas = new HashSet<>();
        rolesOf(name).forEach(role -> schemas.addAll(creates.getOrDefault(role, Set.of())));
        Readable all = new Readable();
        rolesOf(name).forEach(role -> all.addAll(readable.getOrDefault(role, new Readable())));
        boolean everything = !any || all.everything()[0];
        return everything
                ? new TablePrivileges(true, Set.of(), Set.of(), schemas)
                : new TablePrivileges(false, all.schemas(), all.tables(), schemas);
    }
}
