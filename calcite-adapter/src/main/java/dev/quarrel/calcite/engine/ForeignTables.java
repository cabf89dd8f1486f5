package dev.quarrel.calcite.engine;

import dev.quarrel.calcite.parse.Statement;
import dev.quarrel.core.arrow.OtherTypeMetadata;
import dev.quarrel.core.arrow.dataset.NamedTable;
import dev.quarrel.core.pg.PgType;
import dev.quarrel.core.table.Catalog;
import dev.quarrel.core.table.CatalogSnapshot;
import dev.quarrel.core.table.Table;
import dev.quarrel.core.type.Field;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.SequencedMap;
import java.util.Set;

/// Runs the statements that name tables over files, and forget them.
///
/// - Errors: PostgreSQL's of such statements; 42501 for a schema that the user may not create in, and for files outside
///   of the folders that may be read.
final class ForeignTables {
    private final Relations relations;

    ForeignTables(Relations relations) {
        this.relations = relations;
    }

    void run(Statement statement) {
        switch (statement) {
            case Statement.CreateForeignTable create -> create(create);
            case Statement.DropForeignTable drop -> drop(drop);
            case Statement.ImportForeignSchema schema -> importSchema(schema);
            default -> throw new IllegalArgumentException(statement.commandTag());
        }
    }

    private void create(Statement.CreateForeignTable create) {
        Relations.Place place = relations.make(create.name());
        requireLasting(place.schema());
        requireServer(create.server());
        List<NamedTable.Column> columns = new ArrayList<>();
        for (Statement.ForeignColumn column : create.columns()) {
            columns.add(new NamedTable.Column(field(column), column.options()));
        }
        NamedTable table = new NamedTable(place.schema(), place.name(), columns, create.server(), create.options());
        try {
            make(table);
        } catch (QueryException e) {
            if (e.state() != SqlState.DUPLICATE_TABLE || !create.ifNotExists()) {
                throw e;
            }
            relations.notice("42P07", "relation \"" + place.name() + "\" already exists, skipping");
        }
    }

    /// Named tables are everybody's.
    private static void requireLasting(String schema) {
        if (schema.equals(Catalog.TEMPORARY_SCHEMA)) {
            throw new QueryException(SqlState.FEATURE_NOT_SUPPORTED, "a temporary foreign table is not supported");
        }
    }

    private static Field field(Statement.ForeignColumn column) {
        PgType.Declared declared = PgType.parse(column.type());
        return OtherTypeMetadata.field(
                column.name(), declared.dataType(), !column.isNotNull(), Map.of("pg.type", declared.text()));
    }

    private void make(NamedTable table) {
        relations.changes().name(table, importRoots());
    }

    private List<Path> importRoots() {
        return relations.engine().config().writes().importRoots();
    }

    private void importSchema(Statement.ImportForeignSchema schema) {
        requireServer(schema.server());
        requireLasting(schema.local());
        relations.requireSchema(schema.local());
        relations.requireCreate(schema.local());
        // There is one table in it, which has the schema's name.
        boolean isNamed = schema.names().contains(schema.remote());
        if (!schema.names().isEmpty() && isNamed != schema.limit()) {
            return;
        }
        SequencedMap<String, String> options = schema.options();
        NamedTable table = new NamedTable(schema.local(), schema.remote(), List.of(), schema.server(), options);
        make(relations.changes().described(table, importRoots()));
    }

    private void drop(Statement.DropForeignTable drop) {
        List<List<String>> found = new ArrayList<>();
        try (CatalogSnapshot snapshot = relations.snapshot()) {
            for (List<String> name : drop.names()) {
                Relations.Place place = relations.find(name, snapshot);
                if (place == null) {
                    if (!drop.ifExists()) {
                        throw new QueryException(
                                SqlState.UNDEFINED_TABLE, "foreign table \"" + name.getLast() + "\" does not exist");
                    }
                    relations.notice("00000", "foreign table \"" + name.getLast() + "\" does not exist, skipping");
                    continue;
                }
                Table table = snapshot.table(place.schema(), place.name());
                table.awaitOpen(() -> {});
                if (table.foreign() == null) {
                    throw new QueryException(
                                    SqlState.WRONG_OBJECT_TYPE, "\"" + name.getLast() + "\" is not a foreign table")
                            .withHint("Use DROP TABLE to remove a table.");
                }
                if (!relations.privileges().mayCreateIn(place.schema())) {
                    throw new QueryException(
                            SqlState.INSUFFICIENT_PRIVILEGE, "must be owner of foreign table " + name.getLast());
                }
                found.add(List.of(place.schema(), place.name()));
            }
        }
        if (!found.isEmpty()) {
            requireUnread(found);
            relations.changes().dropNamed(found);
        }
    }

    private void requireUnread(List<List<String>> found) {
        try (CatalogSnapshot snapshot = relations.snapshot()) {
            Set<List<String>> dropped = new LinkedHashSet<>(found);
            Map<List<String>, List<String>> dependent = Drops.dependent(dropped, snapshot);
            if (!dependent.isEmpty()) {
                throw Drops.stillNeeded(dropped, dependent, snapshot);
            }
        }
    }

    private static void requireServer(String name) {
        if (!NamedTable.SERVERS.contains(name)) {
            throw new QueryException(SqlState.UNDEFINED_OBJECT, "server \"" + name + "\" does not exist")
                    .withHint("The servers are "
                            + String.join(
                                    " and ",
                                    NamedTable.SERVERS.stream().sorted().toList()) + ".");
        }
    }
}
