package dev.quarrel.calcite;

import java.util.Set;

/// Which tables a session may read. The system's own, `pg_catalog` and `information_schema`, are everybody's.
///
/// Sessions with equal privileges share plans, and others do not.
///
/// @param everything whether all tables are, those to come among them
/// @param schemas whose tables are all readable, those to come among them
/// @param tables readable beside those
public record TablePrivileges(boolean everything, Set<String> schemas, Set<TableName> tables) {
    /// All tables.
    public static final TablePrivileges EVERYTHING = new TablePrivileges(true, Set.of(), Set.of());

    private static final Set<String> SYSTEM_SCHEMAS = Set.of("pg_catalog", "information_schema");

    /// A table's name under that of its schema, as the catalog spells them.
    public record TableName(String schemaName, String name) {}

    public TablePrivileges {
        schemas = Set.copyOf(schemas);
        tables = Set.copyOf(tables);
    }

    public boolean maySelect(String schemaName, String name) {
        return everything
                || schemas.contains(schemaName)
                || SYSTEM_SCHEMAS.contains(schemaName)
                || tables.contains(new TableName(schemaName, name));
    }
}
