package dev.quarrel.server.console;

import dev.quarrel.calcite.TablePrivileges;
import dev.quarrel.core.pg.PgType;
import dev.quarrel.core.table.CatalogSnapshot;
import dev.quarrel.core.table.ColumnStats;
import dev.quarrel.core.table.Table;
import dev.quarrel.core.table.UniqueKey;
import dev.quarrel.core.type.Field;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/// What is known of the tables that a user may read, without reading them.
final class TableFacts {
    private static final int MOST_TABLES = 10_000;

    private TableFacts() {}

    /// All tables, by schema and name.
    static List<Map<String, Object>> all(CatalogSnapshot snapshot, TablePrivileges privileges) {
        List<Map<String, Object>> all = new ArrayList<>();
        for (String schema : snapshot.schemaNames()) {
            for (Table table : snapshot.tables(schema)) {
                if (privileges.maySelect(schema, table.name()) && all.size() < MOST_TABLES) {
                    all.add(brief(table));
                }
            }
        }
        return all;
    }

    private static Map<String, Object> brief(Table table) {
        Map<String, Object> facts = Json.object("schema", table.schemaName(), "name", table.name());
        if (!table.isOpen()) {
            facts.put("state", "opening");
        } else if (table.fault() != null) {
            facts.put("state", table.fault().getMessage());
        } else {
            facts.put("rows", table.stats().rowCount());
            facts.put("bytes", table.storedBytes() < 0 ? null : table.storedBytes());
            facts.put("columns", table.schema().size() - table.hiddenColumns());
            facts.put("batches", table.batchCount());
        }
        return facts;
    }

    /// One table with its columns and keys.
    ///
    /// - Errors: `QueryException` 42501 for one that is not the user's to read, 42P01 for none, the table's own
    ///   for one that is broken.
    ///
    /// @param check ends the waiting for files that are being opened
    static Map<String, Object> of(
            CatalogSnapshot snapshot, TablePrivileges privileges, String schema, String name, Runnable check) {
        if (!privileges.maySelect(schema, name)) {
            throw new QueryException(SqlState.INSUFFICIENT_PRIVILEGE, "permission denied for table " + name);
        }
        Table table = snapshot.table(schema, name);
        if (table == null) {
            throw new QueryException(
                    SqlState.UNDEFINED_TABLE, "relation \"" + schema + "." + name + "\" does not exist");
        }
        table.awaitOpen(check);
        if (table.fault() != null) {
            throw table.fault();
        }
        Map<String, Object> facts = brief(table);
        long rows = table.stats().rowCount();
        List<Map<String, Object>> columns = new ArrayList<>();
        for (int index = 0; index < table.schema().size() - table.hiddenColumns(); index++) {
            columns.add(column(table, index, rows));
        }
        facts.put("columns", columns);
        facts.put("keys", table.uniqueKeys().stream().map(TableFacts::key).toList());
        facts.put(
                "sortedBy",
                table.sortedBy().stream()
                        .map(column -> table.schema().fields().get(column).name())
                        .toList());
        return facts;
    }

    private static Map<String, Object> column(Table table, int index, long rows) {
        Field field = table.schema().fields().get(index);
        ColumnStats stats =
                index < table.stats().columns().size() ? table.stats().columns().get(index) : ColumnStats.UNKNOWN;
        return Json.object(
                "name",
                field.name(),
                "type",
                PgType.Declared.of(field).text(),
                "isNullable",
                field.nullable(),
                "nullShare",
                stats.nullCount() < 0 || rows == 0 ? null : (double) stats.nullCount() / rows,
                "distinct",
                stats.distinctCount() < 0 ? null : stats.distinctCount(),
                "width",
                width(table, index, rows));
    }

    /// Bytes of a value in the middle; null where they are not known.
    private static Double width(Table table, int index, long rows) {
        int size = PgType.Declared.of(table.schema().fields().get(index)).type().size();
        if (size > 0) {
            return (double) size;
        }
        long bytes = rows == 0 ? -1 : table.textBytes(index);
        return bytes <= 0 ? null : (double) bytes / rows;
    }

    private static Map<String, Object> key(UniqueKey key) {
        return Json.object("name", key.name(), "kind", key.kind().text(), "columns", key.columns());
    }
}
