package dev.quarrel.server.catalog;

import dev.quarrel.core.pg.PgType;
import dev.quarrel.core.table.ColumnStats;
import dev.quarrel.core.table.Table;
import dev.quarrel.core.type.DataType;
import dev.quarrel.core.type.Field;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Function;

/// What catalogs say of tables' contents: `pg_stats`, and the counters of `pg_stat_user_tables` and its like.
///
/// Datasets are written once, so counts of what is written, cleaned or analysed are 0; what PostgreSQL counts of reads
/// nobody counts here: NULL.
final class StatisticsRelations {
    /// Above this share of the rows PostgreSQL takes the number of distinct values to grow with the table.
    private static final double SCALES = 0.1;

    private static final List<String> WRITE_COUNTS = List.of(
            "n_tup_ins",
            "n_tup_upd",
            "n_tup_del",
            "n_tup_hot_upd",
            "n_tup_newpage_upd",
            "n_dead_tup",
            "n_mod_since_analyze",
            "n_ins_since_vacuum",
            "vacuum_count",
            "autovacuum_count",
            "analyze_count",
            "autoanalyze_count");

    private final Function<String, RelationRows> rows;

    /// @param rows of a relation, by its qualified name
    StatisticsRelations(Function<String, RelationRows> rows) {
        this.rows = rows;
        for (String counters : List.of("pg_stat_bgwriter", "pg_stat_checkpointer", "pg_stat_archiver", "pg_stat_wal")) {
            RelationRows relation = rows.apply("pg_catalog." + counters);
            relation.add(relation.zeros());
        }
    }

    /// Adds the rows of one table.
    ///
    /// @param isReadable whether whoever asks may read it, and so know its values' statistics
    void add(long oid, Table table, boolean isReadable) {
        for (String relation : List.of("pg_stat_all_tables", "pg_stat_user_tables")) {
            List<Object> values = new ArrayList<>(List.of(
                    "relid",
                    oid,
                    "schemaname",
                    table.schemaName(),
                    "relname",
                    table.name(),
                    "n_live_tup",
                    table.stats().rowCount()));
            WRITE_COUNTS.forEach(name -> values.addAll(Arrays.asList(name, 0L)));
            rows.apply("pg_catalog." + relation).add(values.toArray());
        }
        for (String relation : List.of("pg_statio_all_tables", "pg_statio_user_tables")) {
            rows.apply("pg_catalog." + relation)
                    .add("relid", oid, "schemaname", table.schemaName(), "relname", table.name());
        }
        long rowCount = table.stats().rowCount();
        if (!isReadable || rowCount == 0) {
            return;
        }
        for (int column = 0; column < table.schema().size() - table.hiddenColumns(); column++) {
            ColumnStats stats = table.stats().columns().get(column);
            if (stats.nullCount() < 0 && stats.distinctCount() < 0) {
                continue;
            }
            Field field = table.schema().field(column);
            boolean isAscending = table.sortedBy().contains(column);
            rows.apply("pg_catalog.pg_stats")
                    .add(
                            "schemaname",
                            table.schemaName(),
                            "tablename",
                            table.name(),
                            "attname",
                            field.name(),
                            "inherited",
                            false,
                            "null_frac",
                            stats.nullCount() < 0 ? null : (float) stats.nullCount() / rowCount,
                            "avg_width",
                            width(table, column, field, stats),
                            "n_distinct",
                            distinct(stats, rowCount),
                            "correlation",
                            isAscending ? 1f : null);
        }
    }

    /// As PostgreSQL has it: a number of values, or, below 0, the share of the rows.
    private static float distinct(ColumnStats stats, long rowCount) {
        if (stats.distinctCount() < 0) {
            return 0;
        }
        double share = Math.min(1, (double) stats.distinctCount() / rowCount);
        return share > SCALES ? (float) -share : stats.distinctCount();
    }

    private static Integer width(Table table, int column, Field field, ColumnStats stats) {
        int size = PgType.Declared.of(field).type().size();
        if (size > 0 && !(field.type() instanceof DataType.Utf8)) {
            return size;
        }
        long bytes = field.type() instanceof DataType.Utf8 ? table.textBytes(column) : -1;
        long present = table.stats().rowCount() - Math.max(0, stats.nullCount());
        return bytes < 0 || present <= 0 ? null : Math.toIntExact(Math.min(Integer.MAX_VALUE, bytes / present));
    }
}
