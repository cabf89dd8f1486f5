package dev.quarrel.export.snapshot;

import dev.quarrel.core.table.UniqueKey;
import dev.quarrel.core.type.DataType;
import dev.quarrel.export.config.ExportConfig;
import dev.quarrel.export.copy.Unfit;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;

/// The primary keys and unique indexes of tables, as far as they hold in what is exported of them.
///
/// Only indexes over plain columns and all rows, which are checked at once. One whose idea of equal values is finer
/// than that of the column's `=` does not count: an index in another collation than the column's, where that is not
/// deterministic, or of another operator class than the type's own.
final class DeclaredKeys {
    private static final int KEY_COLUMNS_SINCE = 110_000;
    private static final int DETERMINISM_SINCE = 120_000;
    private static final int NULLS_NOT_DISTINCT_SINCE = 150_000;

    private final Connection leader;
    private final ExportConfig config;
    private final String sql;

    DeclaredKeys(Connection leader, int serverVersion, ExportConfig config) {
        this.leader = leader;
        this.config = config;
        this.sql = """
                SELECT x.relname, i.indisprimary,
                       EXISTS (SELECT FROM pg_constraint k WHERE k.conindid = i.indexrelid AND k.contype IN ('p', 'u')),
                       %s, a.attname,
                       (o.opcdefault OR o.opcname IN ('text_pattern_ops', 'varchar_pattern_ops', 'bpchar_pattern_ops'))
                       AND (a.attcollation = 0 OR a.attcollation = i.indcollation[place] OR %s)
                FROM pg_index i JOIN pg_class x ON x.oid = i.indexrelid
                    CROSS JOIN LATERAL generate_series(0, i.%s - 1) AS place
                    JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = i.indkey[place]
                    JOIN pg_opclass o ON o.oid = i.indclass[place]
                WHERE i.indrelid = ?::int8::oid AND i.indisunique AND i.indisvalid AND i.indisready AND i.indimmediate
                    AND NOT i.indisexclusion AND i.indpred IS NULL AND i.indexprs IS NULL
                ORDER BY NOT i.indisprimary, x.relname, place""".formatted(
                        serverVersion >= NULLS_NOT_DISTINCT_SINCE ? "NOT i.indnullsnotdistinct" : "true",
                        serverVersion >= DETERMINISM_SINCE
                                ? "(SELECT c.collisdeterministic FROM pg_collation c WHERE c.oid = a.attcollation)"
                                : "true",
                        serverVersion >= KEY_COLUMNS_SINCE ? "indnkeyatts" : "indnatts");
    }

    /// - Nulls: a key that claims more than that rows without NULL are unique is one of columns that the export makes
    ///   no NULLs in.
    ///
    /// @param columns those that are exported, as they are
    List<UniqueKey> of(SelectedTable table, TableTree tree, List<ExportColumn> columns) throws SQLException {
        boolean isWhole = table.kind().equals("p") || table.kind().equals("r") && !tree.isParent();
        if (!isWhole) { // inherited rows are in no index of the parent, and a materialized view cannot be locked
            return List.of();
        }
        Map<String, ExportColumn> byName =
                columns.stream().collect(Collectors.toMap(ExportColumn::name, Function.identity()));
        List<UniqueKey> keys = new ArrayList<>();
        for (Found found : found(table.oid())) {
            boolean isExported =
                    found.columns().stream().map(byName::get).allMatch(column -> column != null && isTrue(column));
            boolean hasNull = isExported
                    && found.columns().stream()
                            .anyMatch(name -> byName.get(name).nullable());
            if (found.isUsable() && isExported && !(found.isPrimary() && hasNull)) {
                keys.add(new UniqueKey(
                        found.name(),
                        found.isPrimary()
                                ? UniqueKey.Kind.PRIMARY
                                : found.isConstraint() ? UniqueKey.Kind.CONSTRAINT : UniqueKey.Kind.INDEX,
                        found.columns(),
                        found.nullsDistinct() || hasNull && makesNulls()));
            }
        }
        return keys;
    }

    /// Whether different values stay different: one that is rounded may be another one then.
    private static boolean isTrue(ExportColumn column) {
        boolean isRounded = column.layout().isHalf()
                || column.dataType() instanceof DataType.Decimal
                        && !column.declared().dataType().equals(column.dataType());
        return !isRounded && column.expression().equals(ExportTable.quoted(column.name()));
    }

    private boolean makesNulls() {
        return config.unfit().numeric() == Unfit.Overflow.NULL || config.unfit().infinity() == Unfit.Infinity.NULL;
    }

    private record Found(
            String name,
            boolean isPrimary,
            boolean isConstraint,
            boolean nullsDistinct,
            List<String> columns,
            boolean isUsable) {}

    private List<Found> found(long oid) throws SQLException {
        List<Found> found = new ArrayList<>();
        try (PreparedStatement query = leader.prepareStatement(sql)) {
            query.setLong(1, oid);
            try (ResultSet rows = query.executeQuery()) {
                while (rows.next()) {
                    String name = rows.getString(1);
                    Found last = found.isEmpty() || !found.getLast().name().equals(name) ? null : found.removeLast();
                    List<String> columns = new ArrayList<>(last == null ? List.of() : last.columns());
                    // An index may have a column twice.
                    if (!columns.contains(rows.getString(5))) {
                        columns.add(rows.getString(5));
                    }
                    found.add(new Found(
                            name,
                            rows.getBoolean(2),
                            rows.getBoolean(3),
                            rows.getBoolean(4),
                            columns,
                            rows.getBoolean(6) && (last == null || last.isUsable())));
                }
            }
        }
        return found;
    }
}
