package dev.quarrel.export.snapshot;

import dev.quarrel.core.arrow.dataset.Watermark;
import dev.quarrel.core.pg.PgType;
import dev.quarrel.core.table.UniqueKey;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;
import dev.quarrel.export.config.RowRules;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/// Finds out how the tables of an incremental export are read.
///
/// Not thread-safe: the leader's connection is asked.
final class Increments {
    static final String CONDITION = "condition";

    private static final int VIRTUAL_COLUMNS_SINCE = 180_000;

    private final ExportSnapshot snapshot;
    private final RowRules rules;
    private final ColumnFilter columns;
    private final TableTexts keys;
    private String source;

    Increments(ExportSnapshot snapshot, RowRules rules) {
        this.snapshot = snapshot;
        this.rules = rules;
        this.columns = ColumnFilter.of("gone by", rules.incremental());
        this.keys = new TableTexts("the key", rules.keys());
    }

    void checkAllMatched() {
        columns.checkAllMatched();
        keys.checkAllMatched();
    }

    /// What is known of a table.
    ///
    /// @param where the condition that its rows are chosen by, or empty
    /// @param whole its ranges, one a partition
    record Known(SelectedTable selected, TableTree tree, ExportTable table, String where, List<RowRange> whole) {}

    /// The table with how it is read when a run was before; as it is where no column for it was named, or where that is
    /// not possible, with a notice.
    ExportTable of(Known known) throws SQLException {
        ExportTable table = known.table();
        boolean isXmin = columns.matches(table.schema(), table.name(), Increment.XMIN);
        List<ExportColumn> named = table.columns().stream()
                .filter(column -> columns.matches(table.schema(), table.name(), column.name()))
                .toList();
        List<String> keyTexts = keys.of(table.schema(), table.name());
        if (!rules.isIncremental()) {
            return table;
        }
        if (named.size() + (isXmin ? 1 : 0) > 1) {
            throw new QueryException(
                    SqlState.INVALID_PARAMETER_VALUE,
                    "table " + table.qualifiedName() + " is to go by several columns: "
                            + named.stream().map(ExportColumn::name).collect(Collectors.joining(", "))
                            + (isXmin ? ", xmin" : ""));
        }
        if (named.isEmpty() && !isXmin) {
            return inFull(table, "it has no column to go by");
        }
        if (!"rp".contains(known.selected().kind())) {
            return inFull(table, "it is no table");
        }
        if (hasOthers(known.tree().oids())) {
            return inFull(
                    table, "rows of it are not PostgreSQL's own: of a foreign table, or of another access method");
        }
        UniqueKey key = keyTexts.isEmpty() ? declared(table) : named(table, keyTexts.getLast());
        if (key == null) {
            return inFull(table, "it declares no key that its rows are told apart by; --key names one");
        }
        String column =
                isXmin ? Increment.XMIN : ExportTable.quoted(named.getFirst().name());
        String type = isXmin ? null : type(table, named.getFirst());
        OpenTransactions open = snapshot.openTransactions();
        String value = isXmin ? snapshot.origin().snapshot() : value(known, column, type, open);
        Watermark now = new Watermark(
                column,
                value == null ? "" : value,
                snapshot.origin().snapshot(),
                known.tree().oids(),
                settings(known, key));
        boolean isLooked =
                !isXmin && hasIndex(known.tree().oids(), named.getFirst().name());
        return table.withIncrement(new Increment(
                column,
                type,
                !isXmin && named.getFirst().nullable(),
                key,
                keyTexts.isEmpty(),
                now,
                isXmin ? null : doubt(type, open),
                table.ranges(),
                isLooked ? known.whole() : List.of()));
    }

    private ExportTable inFull(ExportTable table, String why) {
        snapshot.tell(table.qualifiedName() + " is exported in full: " + why);
        return table;
    }

    private static UniqueKey declared(ExportTable table) {
        Map<String, Boolean> nullable =
                table.columns().stream().collect(Collectors.toMap(ExportColumn::name, ExportColumn::nullable));
        return table.uniqueKeys().stream()
                .filter(key -> key.columns().stream().noneMatch(nullable::get))
                .findFirst()
                .orElse(null);
    }

    private static UniqueKey named(ExportTable table, String text) {
        List<String> names = new ArrayList<>();
        for (String name : PartitionedTables.split(text)) {
            String column = ColumnFilter.parts(name).getLast();
            if (table.columns().stream().noneMatch(each -> each.name().equals(column))) {
                throw new QueryException(
                        SqlState.UNDEFINED_COLUMN,
                        "column \"" + column + "\" of the key of table " + table.qualifiedName()
                                + " is not exported to its files");
            }
            names.add(column);
        }
        return new UniqueKey("key", UniqueKey.Kind.INDEX, names, false);
    }

    private static String type(ExportTable table, ExportColumn column) {
        PgType type = column.declared().other() != null
                ? PgType.OTHER
                : column.declared().type();
        return switch (type) {
            case INT2, INT4, INT8, DATE, TIMESTAMP, TIMESTAMPTZ -> type.formatName();
            default ->
                throw new QueryException(
                                SqlState.FEATURE_NOT_SUPPORTED,
                                "column " + table.qualifiedName() + "." + column.name() + " of type "
                                        + column.declared().text() + " does not say which rows are new")
                        .withHint("--incremental takes integers, dates and timestamps; and xmin, which each"
                                + " PostgreSQL table has");
        };
    }

    /// The value from which the next run reads on: the greatest, but before whatever may still come.
    private String value(Known known, String column, String type, OpenTransactions open) throws SQLException {
        if (!open.isKnown()) {
            return null;
        }
        String overlap =
                rules.overlap().map(text -> "'" + text.replace("'", "''") + "'").orElse(null);
        String oldest = "'" + open.oldest() + "'::timestamptz";
        String finite = type.startsWith("timestamp") || type.equals("date") ? " WHERE isfinite(" + column + ")" : "";
        String greatest = "max(" + column + ")";
        String value =
                switch (type) {
                    // Of clocks that are set differently, the earliest.
                    case "timestamp with time zone" ->
                        "least(" + greatest + ", " + oldest + ")" + (overlap == null ? "" : " - interval " + overlap);
                    case "timestamp without time zone" ->
                        "least(" + greatest + " - interval '" + open.age() + "', (" + oldest
                                + " AT TIME ZONE 'UTC') + interval '14 hours')"
                                + (overlap == null ? "" : " - interval " + overlap);
                    case "date" ->
                        "(least(" + greatest + " - interval '" + open.age() + "', (" + oldest
                                + " AT TIME ZONE 'UTC') + interval '1 day') - interval '1 day'"
                                + (overlap == null ? "" : " - interval " + overlap) + ")::date";
                    default -> greatest + (overlap == null ? "" : " - " + overlap + "::int8");
                };
        return ExportSnapshot.single(
                snapshot.leader(),
                "SELECT (" + value + ")::text FROM " + known.selected().relation() + finite);
    }

    private String doubt(String type, OpenTransactions open) {
        if (open.doubt() != null) {
            return open.doubt();
        }
        boolean isTime = type.startsWith("timestamp") || type.equals("date");
        return isTime || rules.overlap().isPresent()
                ? null
                : "rows that a transaction commits later than one with greater numbers are not seen; --overlap N reads"
                        + " so many numbers again, and --incremental xmin misses none";
    }

    /// Whether rows lie where no transaction's number is kept with them.
    private boolean hasOthers(List<Long> oids) throws SQLException {
        String sql = """
                SELECT count(*) FROM pg_class WHERE oid = ANY (?::int8[]::oid[])
                    AND relkind <> 'p' AND (relkind <> 'r' OR relam NOT IN (0, 2))""";
        try (PreparedStatement query = snapshot.leader().prepareStatement(sql)) {
            query.setString(1, array(oids));
            try (ResultSet rows = query.executeQuery()) {
                rows.next();
                return rows.getInt(1) > 0;
            }
        }
    }

    private static String array(List<Long> oids) {
        return oids.stream().map(String::valueOf).collect(Collectors.joining(",", "{", "}"));
    }

    /// What virtual columns are made of: another expression changes values and no row.
    private String virtualColumns(List<Long> oids) throws SQLException {
        if (snapshot.serverVersion() < VIRTUAL_COLUMNS_SINCE) {
            return "";
        }
        String sql = """
                SELECT coalesce(string_agg(pg_get_expr(d.adbin, d.adrelid), '; ' ORDER BY d.adrelid, d.adnum), '')
                FROM pg_attrdef d JOIN pg_attribute a ON a.attrelid = d.adrelid AND a.attnum = d.adnum
                WHERE d.adrelid = ANY (?::int8[]::oid[]) AND a.attgenerated = 'v'""";
        try (PreparedStatement query = snapshot.leader().prepareStatement(sql)) {
            query.setString(1, array(oids));
            try (ResultSet rows = query.executeQuery()) {
                rows.next();
                return rows.getString(1);
            }
        }
    }

    /// Whether an index finds the column's values in each table.
    private boolean hasIndex(List<Long> oids, String column) throws SQLException {
        String sql = """
                SELECT count(*) FROM pg_class c WHERE c.oid = ANY (?::int8[]::oid[]) AND c.relkind = 'r' AND NOT EXISTS (
                    SELECT FROM pg_index i JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = i.indkey[0]
                        JOIN pg_class x ON x.oid = i.indexrelid JOIN pg_am m ON m.oid = x.relam
                    WHERE i.indrelid = c.oid AND i.indisvalid AND i.indpred IS NULL AND a.attname = ?
                        AND m.amname IN ('btree', 'brin'))""";
        try (PreparedStatement query = snapshot.leader().prepareStatement(sql)) {
            query.setString(1, array(oids));
            query.setString(2, column);
            try (ResultSet rows = query.executeQuery()) {
                rows.next();
                return rows.getInt(1) == 0;
            }
        }
    }

    /// What must be the same in the next run.
    private Map<String, String> settings(Known known, UniqueKey key) throws SQLException {
        if (source == null) {
            String database = ExportSnapshot.single(
                    snapshot.leader(), "SELECT oid::text FROM pg_database WHERE datname = current_database()");
            String cluster = snapshot.origin().systemIdentifier();
            source = (cluster == null ? snapshot.origin().source() : cluster) + "/" + database;
        }
        Map<String, String> settings = new HashMap<>();
        settings.put("source", source + "/" + known.selected().oid());
        settings.put(
                "list of columns",
                columns(known.table()) + "; " + virtualColumns(known.tree().oids()));
        settings.put(CONDITION, known.where());
        settings.put("key", String.join(", ", key.columns()));
        return settings;
    }

    /// All that decides how values lie in the files.
    private static String columns(ExportTable table) {
        return table.columns().stream()
                        .map(column -> String.join(
                                " ",
                                column.name(),
                                column.selected(),
                                column.declared().text(),
                                String.valueOf(column.declared().other()),
                                column.dataType().toString(),
                                String.valueOf(column.nested()),
                                String.valueOf(column.layout().isHalf()),
                                String.valueOf(column.nullable()),
                                String.valueOf(column.collation())))
                        .collect(Collectors.joining("; "))
                + "; " + table.keys().expressions();
    }
}
