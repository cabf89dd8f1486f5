package dev.quarrel.calcite.engine;

import dev.quarrel.calcite.parse.Statement;
import dev.quarrel.core.table.Catalog;
import dev.quarrel.core.table.CatalogSnapshot;
import dev.quarrel.core.table.Table;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/// Makes schemas, and drops them.
///
/// - Errors: PostgreSQL's of such statements.
final class Schemas {
    private static final Set<String> SYSTEM = Set.of("pg_catalog", "information_schema", Catalog.TEMPORARY_SCHEMA);

    private final Relations relations;

    Schemas(Relations relations) {
        this.relations = relations;
    }

    /// CREATE SCHEMA. Who may create in a schema of the name makes it.
    String create(Statement.CreateSchema create) {
        String name = create.name();
        if (!relations.privileges().mayCreateIn(name)) {
            throw new QueryException(
                    SqlState.INSUFFICIENT_PRIVILEGE,
                    "permission denied for database "
                            + relations.engine().config().database());
        }
        if (name.startsWith("pg_")) {
            throw new QueryException(SqlState.RESERVED_NAME, "unacceptable schema name \"" + name + "\"")
                    .withDetail("The prefix \"pg_\" is reserved for system schemas.");
        }
        if (isThere(name)) {
            if (!create.ifNotExists()) {
                throw new QueryException(SqlState.DUPLICATE_SCHEMA, "schema \"" + name + "\" already exists");
            }
            relations.notice("42P06", "schema \"" + name + "\" already exists, skipping");
            return create.commandTag();
        }
        relations.changes().createSchema(name);
        return create.commandTag();
    }

    private boolean isThere(String name) {
        return SYSTEM.contains(name) || relations.changes().schemaNames().contains(name);
    }

    /// DROP SCHEMA.
    String drop(Statement.DropSchemas drop) {
        List<String> found = new ArrayList<>();
        for (String name : drop.names()) {
            if (isThere(name)) {
                requireDroppable(name);
                found.add(name);
            } else if (drop.ifExists()) {
                relations.notice("00000", "schema \"" + name + "\" does not exist, skipping");
            } else {
                throw new QueryException(SqlState.INVALID_SCHEMA_NAME, "schema \"" + name + "\" does not exist");
            }
        }
        List<List<String>> contents = contents(found);
        if (!contents.isEmpty()) {
            new Drops(relations).dropAll(found, contents, drop.cascade());
        }
        found.forEach(relations.changes()::dropSchema);
        return drop.commandTag();
    }

    private void requireDroppable(String name) {
        if (SYSTEM.contains(name) || name.equals("public")) {
            throw new QueryException(
                    SqlState.DEPENDENT_OBJECTS_STILL_EXIST,
                    "cannot drop schema " + name + " because it is required by the database system");
        }
        if (!relations.privileges().mayCreateIn(name)) {
            throw new QueryException(SqlState.INSUFFICIENT_PRIVILEGE, "must be owner of schema " + name);
        }
    }

    private List<List<String>> contents(List<String> schemas) {
        List<List<String>> contents = new ArrayList<>();
        try (CatalogSnapshot snapshot = relations.snapshot()) {
            for (String schema : schemas) {
                for (Table table : snapshot.tables(schema)) {
                    contents.add(List.of(schema, table.name()));
                }
            }
        }
        return contents;
    }
}
