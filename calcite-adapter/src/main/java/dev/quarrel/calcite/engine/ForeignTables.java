package dev.quarrel.calcite.engine;

import dev.quarrel.calcite.Notice;
import dev.quarrel.calcite.TablePrivileges;
import dev.quarrel.calcite.parse.Statement;
import dev.quarrel.core.arrow.OtherTypeMetadata;
import dev.quarrel.core.arrow.dataset.DatasetCatalog;
import dev.quarrel.core.arrow.dataset.NamedTable;
import dev.quarrel.core.arrow.dataset.OverDataset;
import dev.quarrel.core.pg.PgType;
import dev.quarrel.core.table.CatalogSnapshot;
import dev.quarrel.core.table.Table;
import dev.quarrel.core.type.Field;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.SequencedMap;
import java.util.Set;
import java.util.function.Consumer;

/// Runs the statements that name tables over files, and forget them: each at once, as a transaction of its own.
///
/// - Errors: PostgreSQL's of such statements; 42501 for a schema that the user may not create in, and for files outside
///   of the folders that may be read.
final class ForeignTables {
    private final LocalEngine engine;
    private final TablePrivileges privileges;
    private final List<String> searchPath;
    private final Consumer<Notice> notices;

    ForeignTables(LocalEngine engine, TablePrivileges privileges, List<String> searchPath, Consumer<Notice> notices) {
        this.engine = engine;
        this.privileges = privileges;
        this.searchPath = searchPath;
        this.notices = notices;
    }

    void run(Statement statement) {
        switch (statement) {
            case Statement.CreateForeignTable create -> create(create);
            case Statement.DropForeignTable drop -> drop(drop);
            case Statement.ImportForeignSchema schema -> importSchema(schema);
            default -> throw new IllegalArgumentException(statement.commandTag());
        }
    }

    private DatasetCatalog catalog() {
        if (engine.catalog() instanceof OverDataset over) {
            return over.dataset();
        }
        throw new QueryException(SqlState.FEATURE_NOT_SUPPORTED, "this database keeps no foreign tables");
    }

    private void create(Statement.CreateForeignTable create) {
        String schema = schema(create.name());
        requireCreate(schema);
        requireServer(create.server());
        List<NamedTable.Column> columns = new ArrayList<>();
        for (Statement.ForeignColumn column : create.columns()) {
            columns.add(new NamedTable.Column(field(column), column.options()));
        }
        String name = create.name().getLast();
        NamedTable table = new NamedTable(schema, name, columns, create.server(), create.options());
        try {
            make(table);
        } catch (QueryException e) {
            if (e.state() != SqlState.DUPLICATE_TABLE || !create.ifNotExists()) {
                throw e;
            }
            notice("42P07", "relation \"" + name + "\" already exists, skipping");
        }
    }

    private static Field field(Statement.ForeignColumn column) {
        PgType.Declared declared = PgType.parse(column.type());
        return OtherTypeMetadata.field(
                column.name(), declared.dataType(), !column.isNotNull(), Map.of("pg.type", declared.text()));
    }

    private void make(NamedTable table) {
        catalog().create(table, engine.config().writes().importRoots());
    }

    private void importSchema(Statement.ImportForeignSchema schema) {
        requireServer(schema.server());
        requireSchema(schema.local());
        requireCreate(schema.local());
        // There is one table in it, which has the schema's name.
        boolean isNamed = schema.names().contains(schema.remote());
        if (!schema.names().isEmpty() && isNamed != schema.limit()) {
            return;
        }
        SequencedMap<String, String> options = schema.options();
        NamedTable table = new NamedTable(schema.local(), schema.remote(), List.of(), schema.server(), options);
        make(catalog().described(table, engine.config().writes().importRoots()));
    }

    private void drop(Statement.DropForeignTable drop) {
        DatasetCatalog catalog = catalog();
        List<List<String>> found = new ArrayList<>();
        try (CatalogSnapshot snapshot = catalog.snapshot()) {
            for (List<String> name : drop.names()) {
                List<String> place = place(name, snapshot);
                if (place == null) {
                    if (!drop.ifExists()) {
                        throw new QueryException(
                                SqlState.UNDEFINED_TABLE, "foreign table \"" + name.getLast() + "\" does not exist");
                    }
                    notice("00000", "foreign table \"" + name.getLast() + "\" does not exist, skipping");
                    continue;
                }
                Table table = snapshot.table(place.getFirst(), place.getLast());
                table.awaitOpen(() -> {});
                if (table.foreign() == null) {
                    throw new QueryException(
                                    SqlState.WRONG_OBJECT_TYPE, "\"" + name.getLast() + "\" is not a foreign table")
                            .withHint("Use DROP TABLE to remove a table.");
                }
                if (!privileges.mayCreateIn(place.getFirst())) {
                    throw new QueryException(
                            SqlState.INSUFFICIENT_PRIVILEGE, "must be owner of foreign table " + name.getLast());
                }
                found.add(place);
            }
        }
        if (!found.isEmpty()) {
            requireUnread(found);
            catalog.drop(found);
        }
    }

    private void requireUnread(List<List<String>> found) {
        try (CatalogSnapshot snapshot = engine.catalog().snapshot()) {
            Set<List<String>> dropped = new LinkedHashSet<>(found);
            Map<List<String>, List<String>> dependent = Drops.dependent(dropped, snapshot);
            if (!dependent.isEmpty()) {
                throw Drops.stillNeeded(dropped, dependent, snapshot);
            }
        }
    }

    /// The schema and name of the table that is meant, or null.
    private List<String> place(List<String> name, CatalogSnapshot snapshot) {
        List<String> schemas = name.size() > 1 ? List.of(name.get(name.size() - 2)) : searchPath;
        return schemas.stream()
                .filter(schema -> snapshot.table(schema, name.getLast()) != null)
                .map(schema -> List.of(schema, name.getLast()))
                .findFirst()
                .orElse(null);
    }

    /// Where a new table of that name is made.
    private String schema(List<String> name) {
        if (name.size() > 1) {
            requireSchema(name.get(name.size() - 2));
            return name.get(name.size() - 2);
        }
        try (CatalogSnapshot snapshot = catalog().snapshot()) {
            return searchPath.stream()
                    .filter(snapshot.schemaNames()::contains)
                    .findFirst()
                    .orElseThrow(() -> new QueryException(
                            SqlState.INVALID_SCHEMA_NAME, "no schema has been selected to create in"));
        }
    }

    private void requireSchema(String name) {
        try (CatalogSnapshot snapshot = catalog().snapshot()) {
            if (!snapshot.schemaNames().contains(name)) {
                throw new QueryException(SqlState.INVALID_SCHEMA_NAME, "schema \"" + name + "\" does not exist");
            }
        }
    }

    private void requireCreate(String schema) {
        if (!privileges.mayCreateIn(schema)) {
            throw new QueryException(SqlState.INSUFFICIENT_PRIVILEGE, "permission denied for schema " + schema);
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

    private void notice(String code, String message) {
        notices.accept(new Notice("NOTICE", code, message));
    }
}
