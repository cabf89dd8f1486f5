package dev.quarrel.server.catalog;

import dev.quarrel.calcite.EngineConfig;
import dev.quarrel.calcite.ScalarFunction;
import dev.quarrel.core.table.CatalogSnapshot;
import dev.quarrel.core.table.Table;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;

/// The parts of `pg_catalog` and `information_schema` that clients expect: tables for the planner, and the
/// functions used with them.
///
/// An engine that is to be served is opened with `SystemCatalog.install(config, users)`. The tables are made
/// anew for each catalog version; the functions answer for the newest version that was made.
public final class SystemCatalog {
    private final Collection<String> users;
    private final Procedures procedures;
    private volatile ObjectNames names;

    private SystemCatalog(Collection<String> users, Procedures procedures) {
        this.users = users;
        this.procedures = procedures;
    }

    /// Adds the system tables and functions to a configuration, beside the functions it has, which `pg_proc`
    /// then lists.
    ///
    /// @param users names of roles to list beside the owner
    public static EngineConfig install(EngineConfig config, Collection<String> users) {
        SystemCatalog catalog = new SystemCatalog(List.copyOf(users), new Procedures(config));
        return config.withSystemTables(catalog::tables, functions(catalog));
    }

    private static List<ScalarFunction> functions(SystemCatalog catalog) {
        List<ScalarFunction> functions = new ArrayList<>(new CatalogFunctions(catalog, catalog.procedures).all());
        functions.addAll(SessionFunctions.all());
        return functions;
    }

    private List<Table> tables(CatalogSnapshot snapshot) {
        ObjectNames made = new ObjectNames(snapshot);
        names = made;
        return SystemTables.of(snapshot, made, users, procedures.table());
    }

    /// The names of the newest version; a function is never called before a statement was planned over one.
    ObjectNames names() {
        ObjectNames newest = names;
        if (newest == null) {
            throw new IllegalStateException("a catalog function was called before any catalog was read");
        }
        return newest;
    }

    String userName(long oid) {
        if (oid == ObjectNames.OWNER) {
            return SystemTables.OWNER_NAME;
        }
        return users.stream()
                .filter(user -> SystemTables.roleOid(user) == oid)
                .findFirst()
                .orElse("unknown (OID=" + oid + ")");
    }
}
