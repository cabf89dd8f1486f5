package dev.quarrel.calcite.engine;

import dev.quarrel.calcite.parse.Statement;
import dev.quarrel.core.table.CatalogSnapshot;
import dev.quarrel.core.table.Table;
import dev.quarrel.core.table.UniqueKey;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;
import java.util.List;

/// Does what is to be done for CREATE INDEX, VACUUM and ANALYZE, which programs send of their own accord: nothing.
/// Statistics are made with the rows, files are merged in the background, and what is read is found by both.
///
/// - Errors: 3F000, 42P01, 42703, 42501; 25001 for VACUUM in a transaction block; 42704 for an index to be dropped.
final class Upkeep {
    private final Relations relations;

    Upkeep(Relations relations) {
        this.relations = relations;
    }

    /// @param isBlock whether a transaction block is open
    String keep(Statement.Upkeep upkeep, boolean isBlock) {
        if (isBlock && upkeep.commandTag().equals("VACUUM")) {
            throw new QueryException(SqlState.ACTIVE_SQL_TRANSACTION, "VACUUM cannot run inside a transaction block");
        }
        try (CatalogSnapshot snapshot = relations.snapshot()) {
            for (Statement.Kept kept : upkeep.tables()) {
                Relations.Place place = relations.require(kept.name(), "relation", snapshot);
                relations.requireCreate(place.schema());
                Table table = snapshot.table(place.schema(), place.name());
                if (upkeep.isIndex() && (table.view() != null || table.foreign() != null)) {
                    throw new QueryException(
                                    SqlState.WRONG_OBJECT_TYPE,
                                    "cannot create index on relation \"" + place.name() + "\"")
                            .withDetail("This operation is not supported for "
                                    + (table.view() != null ? "views." : "foreign tables."));
                }
                requireColumns(table, kept.columns(), upkeep.isIndex());
            }
        }
        if (upkeep.isIndex()) {
            relations.notice(
                    "00000",
                    (upkeep.index() == null ? "the index" : "index \"" + upkeep.index() + "\"")
                            + " is not made: tables are read by their files' order and statistics");
        }
        return upkeep.commandTag();
    }

    private static void requireColumns(Table table, List<String> columns, boolean isIndex) {
        if (columns.isEmpty()) {
            return;
        }
        table.awaitOpen(() -> {});
        if (table.fault() != null) {
            throw table.fault();
        }
        for (String column : columns) {
            if (table.shownSchema().indexOf(column) < 0) {
                String relation = isIndex ? "" : " of relation \"" + table.name() + "\"";
                throw new QueryException(
                        SqlState.UNDEFINED_COLUMN, "column \"" + column + "\"" + relation + " does not exist");
            }
        }
    }

    /// Drops a unique index; false where there is none.
    private boolean dropKey(List<String> name) {
        List<String> schemas = name.size() > 1 ? List.of(name.get(name.size() - 2)) : relations.searchPath();
        try (CatalogSnapshot snapshot = relations.snapshot()) {
            for (String schema : schemas) {
                for (Table table : snapshot.tables(schema)) {
                    UniqueKey key = !table.isOpen() || table.fault() != null || table.view() != null
                            ? null
                            : table.uniqueKeys().stream()
                                    .filter(each ->
                                            each.enforced() && each.name().equals(name.getLast()))
                                    .findFirst()
                                    .orElse(null);
                    if (key == null) {
                        continue;
                    }
                    relations.requireCreate(schema);
                    if (key.kind() != UniqueKey.Kind.INDEX) {
                        throw new QueryException(
                                        SqlState.DEPENDENT_OBJECTS_STILL_EXIST,
                                        "cannot drop index " + key.name() + " because constraint " + key.name()
                                                + " on table " + table.name() + " requires it")
                                .withHint("You can drop constraint " + key.name() + " on table " + table.name()
                                        + " instead.");
                    }
                    relations.changes().dropKey(schema, table.name(), key.name());
                    return true;
                }
            }
        }
        return false;
    }

    String drop(Statement.DropIndexes drop) {
        for (List<String> name : drop.names()) {
            if (dropKey(name)) {
                continue;
            }
            String missing = "index \"" + name.getLast() + "\" does not exist";
            if (!drop.ifExists()) {
                throw new QueryException(SqlState.UNDEFINED_OBJECT, missing);
            }
            relations.notice("00000", missing + ", skipping");
        }
        return drop.commandTag();
    }
}
