package dev.quarrel.calcite;

import dev.quarrel.core.table.Catalog;
import java.util.Set;

/// Which tables a session may read. The system's own, `pg_catalog` and `information_schema`, are everybody's; its
/// temporary ones are its own.
///
/// Sessions with equal privileges share plans, and others do not.
///
/// @param everything whether all tables are, those to come among them
/// @param schemas whose tables are all readable, those to come among them
/// @param tables readable beside those
/// @param creates schemas in which tables may be made and dropped; [#ALL_SCHEMAS] for all of them
public record TablePrivileges(boolean everything, Set<String> schemas, Set<TableName> tables, Set<String> creates) {
    public static final String ALL_SCHEMAS = "*";

    /// All tables are read, and none made.
    public static final TablePrivileges EVERYTHING = new TablePrivileges(true, Set.of(), Set.of());

    /// What may be done at all.
    public static final TablePrivileges OWNER = new TablePrivileges(true, Set.of(), Set.of(), Set.of(ALL_SCHEMAS));

    private static final Set<String> SYSTEM_SCHEMAS =
            Set.of("pg_catalog", "information_schema", Catalog.TEMPORARY_SCHEMA);

    /// A table's name under that of its schema, as the catalog spells them.
    public record TableName(String schemaName, String name) {}

    public TablePrivileges {
        schemas = Set.copyOf(schemas);
        tables = Set.copyOf(tables);
        creates = Set.copyOf(creates);
    }

    public TablePrivileges(boolean everything, Set<String> schemas, Set<TableName> tables) {
        this(everything, schemas, tables, Set.of());
    }

    /// Whether there is a schema, beside that of its temporary tables, in which it may create.
    public boolean mayCreate() {
        return !creates.isEmpty();
    }

    public boolean mayCreateIn(String schemaName) {
        return creates.contains(ALL_SCHEMAS)
                || creates.contains(schemaName)
                || schemaName.equals(Catalog.TEMPORARY_SCHEMA);
    }

    public boolean maySelect(String schemaName, String name) {
        return everything
                || schemas.contains(schemaName)
                || SYSTEM_SCHEMAS.contains(schemaName)
                || tables.contains(new TableName(schemaName, name));
    }
}
