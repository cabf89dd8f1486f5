package dev.quarrel.calcite.engine;

import dev.quarrel.calcite.parse.Statement;
import dev.quarrel.calcite.sql.AnalyzedQuery.OutputColumn;
import dev.quarrel.core.arrow.dataset.StagedTable;
import dev.quarrel.core.budget.Cancellation;
import dev.quarrel.core.table.Catalog;
import dev.quarrel.core.table.CatalogSnapshot;
import dev.quarrel.core.table.ColumnDefault;
import dev.quarrel.core.table.Table;
import dev.quarrel.core.table.UniqueKey;
import dev.quarrel.core.type.Field;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiFunction;
import java.util.function.Function;

/// Changes tables and views without a look at their rows: names, columns, and that there are none left.
///
/// - Errors: PostgreSQL's of such statements.
final class Alterations {
    private final Relations relations;
    private final Cancellation cancellation;

    Alterations(Relations relations, Cancellation cancellation) {
        this.relations = relations;
        this.cancellation = cancellation;
    }

    /// ALTER TABLE, VIEW or FOREIGN TABLE. What views read is found by its name, also afterwards.
    ///
    /// @param typeOf the type that a text names, as the column of a query
    /// @param checked what a written default is of a column
    /// @param values evaluates it
    String alter(
            Statement.AlterRelation alter,
            Function<String, OutputColumn> typeOf,
            BiFunction<Field, Statement.WrittenDefault, String> checked,
            DefaultValues values) {
        Relations.Place place;
        try (CatalogSnapshot snapshot = relations.snapshot()) {
            place = alter.ifExists()
                    ? relations.maybe(alter.name(), "relation", snapshot)
                    : relations.require(alter.name(), "relation", snapshot);
            if (place == null) {
                return alter.commandTag();
            }
            requireKind(alter, place, snapshot);
        }
        switch (alter.alteration()) {
            case Statement.RenameTo(String name) -> rename(place, new Relations.Place(place.schema(), name));
            case Statement.SetSchema(String schema) -> {
                if (schema.equals(Catalog.TEMPORARY_SCHEMA) || place.schema().equals(Catalog.TEMPORARY_SCHEMA)) {
                    throw new QueryException(
                            SqlState.FEATURE_NOT_SUPPORTED, "cannot move objects into or out of temporary schemas");
                }
                relations.requireSchema(schema);
                relations.requireCreate(schema);
                if (!schema.equals(place.schema())) {
                    rename(place, new Relations.Place(schema, place.name()));
                }
            }
            case Statement.AddColumn add -> addColumn(place, add, typeOf, checked, values);
            case Statement.AddKey(Statement.KeyDefinition key) -> addKey(place, key);
            case Statement.DropConstraint drop -> dropConstraint(place, drop);
            case Statement.SetDefault set -> setDefault(place, set, checked);
            case Statement.SetNotNull(String column, boolean isNotNull) -> setNotNull(place, column, isNotNull);
        }
        return alter.commandTag();
    }

    /// As PostgreSQL does, ALTER TABLE takes views and foreign tables, too.
    private void requireKind(Statement.AlterRelation alter, Relations.Place place, CatalogSnapshot snapshot) {
        Table table = snapshot.table(place.schema(), place.name());
        table.awaitOpen(() -> {});
        String actual = Relations.kind(table);
        String action =
                switch (alter.alteration()) {
                    case Statement.RenameTo _, Statement.SetSchema _ -> null;
                    case Statement.AddColumn _ -> "ADD COLUMN";
                    case Statement.AddKey _ -> "ADD CONSTRAINT";
                    case Statement.DropConstraint _ -> "DROP CONSTRAINT";
                    case Statement.SetDefault _ -> "ALTER COLUMN ... SET DEFAULT";
                    case Statement.SetNotNull(String _, boolean isNotNull) ->
                        isNotNull ? "ALTER COLUMN ... SET NOT NULL" : "ALTER COLUMN ... DROP NOT NULL";
                };
        boolean isTable = alter.kind().equals("table") && action == null;
        if (!isTable && !alter.kind().equals(actual)) {
            if (actual.equals("view") && alter.alteration() instanceof Statement.SetDefault) {
                throw new QueryException(
                        SqlState.FEATURE_NOT_SUPPORTED, "a default of a view's column is not supported");
            }
            if (action != null) {
                throw new QueryException(
                                SqlState.WRONG_OBJECT_TYPE,
                                "ALTER action " + action + " cannot be performed on relation \"" + place.name() + "\"")
                        .withDetail("This operation is not supported for " + actual + "s.");
            }
            throw new QueryException(SqlState.WRONG_OBJECT_TYPE, "\"" + place.name() + "\" is not a " + alter.kind());
        }
        if (!relations.privileges().mayCreateIn(place.schema())) {
            throw new QueryException(
                    SqlState.INSUFFICIENT_PRIVILEGE, "must be owner of " + actual + " " + place.name());
        }
        if (action != null) {
            relations.requireStill(place);
        } else {
            relations.requireNoEvents(place);
        }
    }

    private void rename(Relations.Place from, Relations.Place to) {
        if (relations.isThere(to)) {
            boolean isMoved = !from.schema().equals(to.schema());
            throw isMoved
                    ? new QueryException(
                            SqlState.DUPLICATE_TABLE,
                            "relation \"" + to.name() + "\" already exists in schema \"" + to.schema() + "\"")
                    : Relations.alreadyThere(to);
        }
        relations.changes().rename(List.of(from.schema(), from.name()), List.of(to.schema(), to.name()));
    }

    private void addColumn(
            Relations.Place place,
            Statement.AddColumn add,
            Function<String, OutputColumn> typeOf,
            BiFunction<Field, Statement.WrittenDefault, String> checked,
            DefaultValues values) {
        String column = add.column().name();
        List<Field> fields;
        try (CatalogSnapshot snapshot = relations.snapshot()) {
            Table table = snapshot.table(place.schema(), place.name());
            if (table.fault() == null && table.shownSchema().indexOf(column) >= 0) {
                String message = "column \"" + column + "\" of relation \"" + place.name() + "\" already exists";
                if (!add.ifNotExists()) {
                    throw new QueryException(SqlState.DUPLICATE_COLUMN, message);
                }
                relations.notice("42701", message + ", skipping");
                return;
            }
            fields = new ArrayList<>(table.fault() == null ? table.shownSchema().fields() : List.of());
        }
        Field field = Definitions.field(add.column(), typeOf);
        ColumnDefault given = Definitions.defaultOf(place, add.column(), field, checked);
        boolean hasRows = given != null && relations.changes().rowCount(place.schema(), place.name()) > 0;
        String value = hasRows ? values.constant(given, field) : null;
        relations.changes().addColumn(place.schema(), place.name(), field, value, given);
        fields.add(field);
        for (Statement.KeyDefinition key : add.column().keys()) {
            relations
                    .changes()
                    .addKey(place.schema(), place.name(), TableKeys.key(relations, place, key, fields, List.of()));
        }
    }

    /// ADD PRIMARY KEY or UNIQUE.
    private void addKey(Relations.Place place, Statement.KeyDefinition key) {
        Relations.Taker table = relations.taker(List.of(place.schema(), place.name()), List.of(), "change");
        if (key.isPrimary() && table.keys().stream().anyMatch(UniqueKey::isPrimary)) {
            throw new QueryException(
                    SqlState.INVALID_TABLE_DEFINITION,
                    "multiple primary keys for table \"" + place.name() + "\" are not allowed");
        }
        relations
                .changes()
                .addKey(
                        place.schema(),
                        place.name(),
                        TableKeys.key(relations, place, key, table.all().fields(), List.of()));
    }

    /// CREATE UNIQUE INDEX.
    String createUniqueIndex(Statement.CreateUniqueIndex create) {
        Relations.Place place;
        try (CatalogSnapshot snapshot = relations.snapshot()) {
            place = relations.require(create.table(), "relation", snapshot);
            Table found = snapshot.table(place.schema(), place.name());
            if (found.view() != null || found.foreign() != null) {
                throw new QueryException(
                                SqlState.WRONG_OBJECT_TYPE, "cannot create index on relation \"" + place.name() + "\"")
                        .withDetail("This operation is not supported for "
                                + (found.view() != null ? "views." : "foreign tables."));
            }
        }
        Relations.Taker table = relations.taker(List.of(place.schema(), place.name()), List.of(), "change");
        String name = create.index();
        boolean isThere = name != null
                && (relations.changes().isIndex(place.schema(), name)
                        || relations.changes().isThere(place.schema(), name));
        if (isThere && create.ifNotExists()) {
            relations.notice("42P07", "relation \"" + name + "\" already exists, skipping");
            return create.commandTag();
        }
        UniqueKey key = TableKeys.index(
                relations, place, name, create.columns(), table.all().fields());
        relations.changes().addKey(place.schema(), place.name(), key);
        return create.commandTag();
    }

    private void dropConstraint(Relations.Place place, Statement.DropConstraint drop) {
        Relations.Taker table = relations.taker(List.of(place.schema(), place.name()), List.of(), "change");
        String said = "constraint \"" + drop.constraint() + "\" of relation \"" + place.name() + "\" does not exist";
        boolean isConstraint = table.keys().stream()
                .anyMatch(key -> key.name().equals(drop.constraint()) && key.kind() != UniqueKey.Kind.INDEX);
        if (!isConstraint) {
            if (!drop.ifExists()) {
                throw new QueryException(SqlState.UNDEFINED_OBJECT, said);
            }
            relations.notice("00000", said + ", skipping");
            return;
        }
        relations.changes().dropKey(place.schema(), place.name(), drop.constraint());
    }

    private Field column(Relations.Taker table, String column) {
        int index = table.all().indexOf(column);
        if (index < 0) {
            throw new QueryException(
                    SqlState.UNDEFINED_COLUMN,
                    "column \"" + column + "\" of relation \"" + table.place().name() + "\" does not exist");
        }
        return table.all().field(index);
    }

    /// SET DEFAULT and DROP DEFAULT.
    private void setDefault(
            Relations.Place place,
            Statement.SetDefault set,
            BiFunction<Field, Statement.WrittenDefault, String> checked) {
        Relations.Taker table = relations.taker(List.of(place.schema(), place.name()), List.of(), "change");
        Field field = column(table, set.column());
        ColumnDefault known = table.defaultOf(set.column());
        if (known != null && known.counter() != null && known.counter().isIdentity()) {
            throw new QueryException(
                            SqlState.SYNTAX_ERROR,
                            "column \"" + set.column() + "\" of relation \"" + place.name()
                                    + "\" is an identity column")
                    .withHint(
                            set.byDefault() == null
                                    ? "Use ALTER TABLE ... ALTER COLUMN ... DROP IDENTITY instead."
                                    : null);
        }
        ColumnDefault given =
                set.byDefault() == null ? null : new ColumnDefault(set.column(), checked.apply(field, set.byDefault()));
        relations.changes().setDefault(place.schema(), place.name(), set.column(), given);
    }

    private void setNotNull(Relations.Place place, String column, boolean isNotNull) {
        Relations.Taker table = relations.taker(List.of(place.schema(), place.name()), List.of(), "change");
        Field field = column(table, column);
        boolean isOfKey = table.keys().stream()
                .anyMatch(key -> key.isPrimary() && key.columns().contains(column));
        if (!isNotNull && isOfKey) {
            throw new QueryException(
                    SqlState.INVALID_TABLE_DEFINITION, "column \"" + column + "\" is in a primary key");
        }
        ColumnDefault known = table.defaultOf(column);
        if (!isNotNull
                && known != null
                && known.counter() != null
                && known.counter().isIdentity()) {
            throw new QueryException(
                    SqlState.SYNTAX_ERROR,
                    "column \"" + column + "\" of relation \"" + place.name() + "\" is an identity column");
        }
        if (field.nullable() == isNotNull) {
            relations.changes().setNullable(place.schema(), place.name(), column, !isNotNull);
        }
    }

    private void requireTable(List<String> name) {
        try (CatalogSnapshot snapshot = relations.snapshot()) {
            Relations.Place place = relations.require(name, "relation", snapshot);
            Table table = snapshot.table(place.schema(), place.name());
            if (table.view() != null) {
                throw new QueryException(SqlState.WRONG_OBJECT_TYPE, "\"" + place.name() + "\" is not a table");
            }
            if (table.foreign() != null) {
                throw new QueryException(
                        SqlState.FEATURE_NOT_SUPPORTED, "cannot truncate foreign table \"" + place.name() + "\"");
            }
        }
    }

    /// TRUNCATE.
    String truncate(Statement.Truncate truncate) {
        for (List<String> name : truncate.names()) {
            requireTable(name);
            empty(name);
            if (truncate.restarts()) {
                Relations.Place place =
                        relations.taker(name, List.of(), "truncate").place();
                relations.changes().restartCounters(place.schema(), place.name());
            }
        }
        return truncate.commandTag();
    }

    /// Leaves a table without rows.
    void empty(List<String> name) {
        Relations.Taker taker = relations.taker(name, List.of(), "truncate");
        Relations.Place place = taker.place();
        relations.requireNoEvents(place);
        StagedTable rows = null;
        if (taker.structs().isEmpty()) {
            rows = relations.changes().stage(place.schema());
            new RowWriting(rows, 1, true, cancellation).empty(taker.all());
        }
        relations.changes().truncate(place.schema(), place.name(), rows);
    }
}
