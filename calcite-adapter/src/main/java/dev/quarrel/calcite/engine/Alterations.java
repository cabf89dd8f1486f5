package dev.quarrel.calcite.engine;

import dev.quarrel.calcite.parse.Statement;
import dev.quarrel.calcite.sql.AnalyzedQuery.OutputColumn;
import dev.quarrel.core.arrow.dataset.StagedTable;
import dev.quarrel.core.budget.Cancellation;
import dev.quarrel.core.table.Catalog;
import dev.quarrel.core.table.CatalogSnapshot;
import dev.quarrel.core.table.Table;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;
import java.util.List;
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
    String alter(Statement.AlterRelation alter, Function<String, OutputColumn> typeOf) {
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
            case Statement.AddColumn add -> addColumn(place, add, typeOf);
        }
        return alter.commandTag();
    }

    /// As PostgreSQL does, ALTER TABLE takes views and foreign tables, too.
    private void requireKind(Statement.AlterRelation alter, Relations.Place place, CatalogSnapshot snapshot) {
        Table table = snapshot.table(place.schema(), place.name());
        table.awaitOpen(() -> {});
        String actual = Relations.kind(table);
        boolean isTable = alter.kind().equals("table") && !(alter.alteration() instanceof Statement.AddColumn);
        if (!isTable && !alter.kind().equals(actual)) {
            if (alter.alteration() instanceof Statement.AddColumn) {
                throw new QueryException(
                                SqlState.WRONG_OBJECT_TYPE,
                                "ALTER action ADD COLUMN cannot be performed on relation \"" + place.name() + "\"")
                        .withDetail("This operation is not supported for " + actual + "s.");
            }
            throw new QueryException(SqlState.WRONG_OBJECT_TYPE, "\"" + place.name() + "\" is not a " + alter.kind());
        }
        if (!relations.privileges().mayCreateIn(place.schema())) {
            throw new QueryException(
                    SqlState.INSUFFICIENT_PRIVILEGE, "must be owner of " + actual + " " + place.name());
        }
        if (alter.alteration() instanceof Statement.AddColumn) {
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

    private void addColumn(Relations.Place place, Statement.AddColumn add, Function<String, OutputColumn> typeOf) {
        String column = add.column().name();
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
        }
        new Definitions(relations, cancellation).addColumn(place, add, typeOf);
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
