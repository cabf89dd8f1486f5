package dev.quarrel.server.catalog;

import dev.quarrel.calcite.EngineConfig;
import dev.quarrel.calcite.ScalarFunction;
import dev.quarrel.calcite.SqlSession;
import dev.quarrel.calcite.TablePrivileges;
import dev.quarrel.core.table.CatalogSnapshot;
import dev.quarrel.core.table.Table;
import dev.quarrel.server.auth.Users;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Supplier;
import java.util.stream.Stream;

/// The parts of `pg_catalog` and `information_schema` that clients expect: tables for the planner, and the
/// functions used with them.
///
/// An engine that is to be served is opened with `SystemCatalog.install(config, users)`. The tables are made
/// anew for each catalog version; the functions answer for the newest version that was made.
public final class SystemCatalog {
    private final Supplier<Users> users;
    private final List<String> moreNames;
    private final String database;
    private final List<String> databases;
    private final Lazy<Procedures> procedures;
    /// By qualified name.
    private final Map<String, Table> others;

    private volatile ObjectNames names;

    private SystemCatalog(
            Supplier<Users> users, Collection<String> moreNames, Collection<String> databases, EngineConfig config) {
        this.users = users;
        this.moreNames = List.copyOf(moreNames);
        this.database = config.database();
        this.databases = List.copyOf(databases);
        this.procedures = new Lazy<>(() -> Procedures.of(config));
        this.others = new HashMap<>(new RoleRelations(this).all());
        others.put(
                Procedures.RELATION,
                new DeferredTable(
                        CatalogRelation.of(Procedures.RELATION),
                        () -> procedures.get().table()));
    }

    /// Adds the system tables and functions to a configuration, beside the functions it has, which `pg_proc`
    /// then lists.
    ///
    /// @param users to list beside the owner, with their roles; they also say who may read what
    public static EngineConfig install(EngineConfig config, Supplier<Users> users) {
        return install(config, users, List.of(config.database()));
    }

    /// The same for one of several databases of a server.
    ///
    /// @param databases their names; that of the configuration's is among them
    public static EngineConfig install(EngineConfig config, Supplier<Users> users, Collection<String> databases) {
        return new SystemCatalog(users, List.of(), databases, config).installed(config);
    }

    /// The same where nobody has a password, and everybody may read everything.
    ///
    /// @param names of users to list beside the owner
    public static EngineConfig install(EngineConfig config, Collection<String> names) {
        return new SystemCatalog(Users::none, names, List.of(config.database()), config).installed(config);
    }

    private EngineConfig installed(EngineConfig config) {
        List<ScalarFunction> functions = new ArrayList<>(new CatalogFunctions(this, procedures).all());
        functions.addAll(SessionFunctions.all());
        return config.withSystemTables(this::tables, functions);
    }

    private List<Table> tables(CatalogSnapshot snapshot, TablePrivileges privileges) {
        ObjectNames made = new ObjectNames(snapshot);
        if (!snapshot.isOfOneSession()) {
            names = made;
        }
        return SystemTables.of(snapshot, made, privileges, others, database, databases);
    }

    /// What the database is called.
    String database() {
        return database;
    }

    /// The numbers of the server's databases; null for the name of none.
    Long databaseOid(String name) {
        return databases.contains(name) ? ObjectNames.databaseOid(name) : null;
    }

    /// The names that a session's transaction sees: those of the newest version, if it sees none of its own. A function
    /// is never called before a statement was planned over one.
    ObjectNames names(SqlSession session) {
        if (session.systemTable("pg_catalog", "pg_class") instanceof DeferredTable table && table.names() != null) {
            return table.names();
        }
        ObjectNames newest = names;
        if (newest == null) {
            throw new IllegalStateException("a catalog function was called before any catalog was read");
        }
        return newest;
    }

    /// Those who can log in, beside the owner.
    Collection<String> userNames() {
        Set<String> all = new TreeSet<>(moreNames);
        all.addAll(users.get().names());
        return all;
    }

    Users users() {
        return users.get();
    }

    String userName(long oid) {
        String known = knownUserName(oid);
        return known == null ? "unknown (OID=" + oid + ")" : known;
    }

    /// Null for the number of nobody.
    String knownUserName(long oid) {
        return roleNames()
                .filter(name -> SystemTables.roleOid(name) == oid)
                .findFirst()
                .orElse(null);
    }

    /// The number of a user or a role; null for one that is not there.
    Long roleOid(String name) {
        return roleNames().anyMatch(name::equals) ? SystemTables.roleOid(name) : null;
    }

    /// Users and roles, the owner among them.
    Stream<String> roleNames() {
        Stream<String> all = Stream.concat(userNames().stream(), users.get().roleNames().stream());
        return Stream.concat(Stream.of(SystemTables.OWNER_NAME), all).distinct();
    }
}
