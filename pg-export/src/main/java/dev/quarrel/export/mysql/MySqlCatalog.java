package dev.quarrel.export.mysql;

import dev.quarrel.core.type.DataType;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;
import dev.quarrel.export.ExportConfig;
import dev.quarrel.export.Selection;
import dev.quarrel.export.copy.Unfit;
import dev.quarrel.export.snapshot.ExportColumn;
import dev.quarrel.export.snapshot.ExportTable;
import dev.quarrel.export.snapshot.RowRange;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.math.RoundingMode;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/// Finds tables and their columns in MySQL's catalog, and cuts tables into ranges of their primary keys.
final class MySqlCatalog {
    private static final String SYSTEM = "('mysql', 'information_schema', 'performance_schema', 'sys', 'ndbinfo')";
    private static final Set<String> INTEGERS = Set.of("tinyint", "smallint", "mediumint", "int", "bigint");
    private static final int RANGES_PER_WORKER = 4;
    private static final long MIN_ROWS_A_RANGE = 20_000;

    private final Connection connection;
    private final String database;
    private final int workers;

    /// @param database the one whose tables go to schema public
    MySqlCatalog(Connection connection, String database, int workers) {
        this.connection = connection;
        this.database = database;
        this.workers = workers;
    }

    /// @param isView whether it is a view, or something else that has no rows of its own
    /// @param rows the server's estimate
    private record Found(String database, String name, boolean isView, boolean isTransactional, long rows) {
        String from() {
            return MySqlColumn.quoted(database) + "." + MySqlColumn.quoted(name);
        }
    }

    /// @param columns gets each table's, by its name for people
    /// @param notices gets what the user should know
    List<ExportTable> tables(ExportConfig config, Map<String, List<MySqlColumn>> columns, List<String> notices)
            throws SQLException {
        List<MySqlName> left =
                config.excluded().stream().map(name -> MySqlName.parse(name, 3)).toList();
        boolean decimalsAsText = config.unfit().numeric() == Unfit.Overflow.TEXT;
        Set<MySqlName> met = new HashSet<>();
        List<ExportTable> tables = new ArrayList<>();
        for (Found found : select(config.selection())) {
            String schema = found.database().equals(database) ? "public" : found.database();
            List<MySqlColumn> selected = columns(found, left, met, decimalsAsText);
            List<ExportColumn> exported = new ArrayList<>();
            for (MySqlColumn column : selected) {
                boolean mayTurnNull =
                        column.form() == MySqlColumn.Form.DATE || column.form() == MySqlColumn.Form.MOMENT;
                exported.add(ExportColumn.of(
                        column.name(),
                        column.declared(),
                        column.dataType(),
                        null,
                        column.nullable(),
                        column.nullable() || mayTurnNull,
                        -1));
            }
            ExportTable table =
                    new ExportTable(schema, found.name(), exported, found.isView() ? -1 : found.rows(), ranges(found));
            if (columns.put(table.qualifiedName(), selected) != null) {
                throw new QueryException(
                        SqlState.DUPLICATE_TABLE, "two exported tables are named " + table.qualifiedName());
            }
            if (!found.isTransactional() && !found.isView()) {
                notices.add("table " + found.name()
                        + " keeps no transactions (its engine is not InnoDB): its rows may be newer than the snapshot");
            }
            tables.add(table);
        }
        for (MySqlName name : left) {
            if (!met.contains(name)) {
                throw new QueryException(
                        SqlState.UNDEFINED_COLUMN, "no exported table has column " + name.text() + " to leave out");
            }
        }
        return tables;
    }

    private List<Found> select(Selection wanted) throws SQLException {
        List<Found> all = new ArrayList<>();
        String sql = "SELECT t.table_schema, t.table_name, t.table_type <> 'BASE TABLE',"
                + " COALESCE(e.transactions, 'NO') = 'YES', COALESCE(t.table_rows, -1)"
                + " FROM information_schema.tables t LEFT JOIN information_schema.engines e ON e.engine = t.engine"
                + " WHERE t.table_schema NOT IN " + SYSTEM
                + " AND t.table_type IN ('BASE TABLE', 'VIEW', 'SYSTEM VERSIONED') ORDER BY 1, 2";
        try (Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(sql)) {
            while (rows.next()) {
                boolean isView = rows.getString(3).equals("1");
                all.add(new Found(
                        rows.getString(1),
                        rows.getString(2),
                        isView,
                        rows.getString(4).equals("1"),
                        rows.getLong(5)));
            }
        }
        List<Found> selected = new ArrayList<>();
        for (String text : wanted.tables()) {
            MySqlName name = MySqlName.parse(text, 2);
            add(
                    all.stream()
                            .filter(each -> name.isTable(database, each.database(), each.name()))
                            .filter(each -> name.isExact() || !each.isView())
                            .toList(),
                    selected,
                    text);
        }
        for (String text : wanted.schemas()) {
            MySqlName name = MySqlName.parse(text, 1);
            add(
                    all.stream()
                            .filter(each -> name.parts().getFirst().matches(each.database()) && !each.isView())
                            .toList(),
                    selected,
                    text);
        }
        if (wanted.everything()) {
            all.stream()
                    .filter(each -> !each.isView() && !selected.contains(each))
                    .forEach(selected::add);
        }
        for (String text : wanted.excluded()) {
            MySqlName name = MySqlName.parse(text, 2);
            if (!selected.removeIf(each -> name.isTable(database, each.database(), each.name())) && name.isExact()) {
                throw missing(text);
            }
        }
        return selected;
    }

    private static void add(List<Found> matching, List<Found> selected, String text) {
        if (matching.isEmpty()) {
            throw missing(text);
        }
        matching.stream().filter(each -> !selected.contains(each)).forEach(selected::add);
    }

    private static QueryException missing(String text) {
        return new QueryException(SqlState.UNDEFINED_TABLE, "there is no table " + text + ", or it may not be read");
    }

    private List<MySqlColumn> columns(Found table, List<MySqlName> left, Set<MySqlName> met, boolean decimalsAsText)
            throws SQLException {
        List<MySqlColumn> columns = new ArrayList<>();
        String sql = "SELECT column_name, data_type, column_type, COALESCE(numeric_precision, 0),"
                + " COALESCE(numeric_scale, 0), COALESCE(character_maximum_length, 0), is_nullable"
                + " FROM information_schema.columns WHERE table_schema = ? AND table_name = ? ORDER BY ordinal_position";
        try (PreparedStatement query = connection.prepareStatement(sql)) {
            query.setString(1, table.database());
            query.setString(2, table.name());
            try (ResultSet rows = query.executeQuery()) {
                while (rows.next()) {
                    String name = rows.getString(1);
                    List<MySqlName> excluding = left.stream()
                            .filter(each -> each.isColumn(table.database(), table.name(), name))
                            .toList();
                    met.addAll(excluding);
                    if (!excluding.isEmpty()) {
                        continue;
                    }
                    MySqlColumn column = MySqlColumn.of(
                            name,
                            rows.getString(2),
                            rows.getString(3),
                            rows.getInt(4),
                            rows.getInt(5),
                            rows.getLong(6),
                            rows.getString(7).equals("YES"));
                    checkDigits(table, column, rows.getString(2), rows.getInt(4), decimalsAsText);
                    columns.add(column);
                }
            }
        }
        if (columns.isEmpty()) {
            throw new QueryException(
                    SqlState.FEATURE_NOT_SUPPORTED, "table " + table.name() + " has no column to export");
        }
        return columns;
    }

    private static void checkDigits(
            Found table, MySqlColumn column, String type, int precision, boolean decimalsAsText) {
        boolean isDecimal = type.toLowerCase(Locale.ROOT).equals("decimal");
        if (isDecimal && precision > DataType.Decimal.MAX_PRECISION && !decimalsAsText) {
            String name = table.name() + "." + column.name();
            throw new QueryException(
                            SqlState.NUMERIC_VALUE_OUT_OF_RANGE,
                            "column " + name + " has decimals of " + precision + " digits; files hold "
                                    + DataType.Decimal.MAX_PRECISION)
                    .withHint("make them texts with --numeric-overflow text, or leave the column out with --exclude "
                            + name);
        }
    }

    /// Ranges of the primary key where it is one integer, and the table is worth several.
    private List<RowRange> ranges(Found table) throws SQLException {
        long count = Math.min((long) workers * RANGES_PER_WORKER, Math.max(1, table.rows() / MIN_ROWS_A_RANGE));
        String key = table.isView() || workers == 1 || count < 2 ? null : key(table);
        BigDecimal[] ends = key == null ? null : ends(table, key);
        if (ends == null) {
            return List.of(new RowRange.OfRelation(0, table.from(), "", RowRange.UNKNOWN));
        }
        List<RowRange> ranges = new ArrayList<>();
        BigInteger least = ends[0].toBigInteger();
        BigInteger span = ends[1].toBigInteger().subtract(least);
        String before = null;
        for (long part = 1; part <= count; part++) {
            String cut = part == count
                    ? null
                    : least.add(new BigDecimal(span.multiply(BigInteger.valueOf(part)))
                                    .divide(BigDecimal.valueOf(count), 0, RoundingMode.FLOOR)
                                    .toBigInteger())
                            .toString();
            if (cut != null && cut.equals(before)) {
                continue;
            }
            String condition = (before == null ? "" : key + " >= " + before)
                    + (before == null || cut == null ? "" : " AND ")
                    + (cut == null ? "" : key + " < " + cut);
            ranges.add(
                    new RowRange.OfRelation(ranges.size(), table.from(), condition, Math.max(1, table.rows() / count)));
            before = cut;
        }
        return ranges;
    }

    /// The table's primary key, quoted, if it is one column of integers; otherwise null.
    private String key(Found table) throws SQLException {
        String sql = "SELECT k.column_name, c.data_type FROM information_schema.statistics k"
                + " JOIN information_schema.columns c ON c.table_schema = k.table_schema"
                + " AND c.table_name = k.table_name AND c.column_name = k.column_name"
                + " WHERE k.table_schema = ? AND k.table_name = ? AND k.index_name = 'PRIMARY'";
        try (PreparedStatement query = connection.prepareStatement(sql)) {
            query.setString(1, table.database());
            query.setString(2, table.name());
            try (ResultSet rows = query.executeQuery()) {
                if (!rows.next()) {
                    return null;
                }
                String name = rows.getString(1);
                boolean isInteger = INTEGERS.contains(rows.getString(2).toLowerCase(Locale.ROOT));
                return isInteger && !rows.next() ? MySqlColumn.quoted(name) : null;
            }
        }
    }

    /// The least and the greatest key; null for a table without rows.
    private BigDecimal[] ends(Found table, String key) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet rows =
                        statement.executeQuery("SELECT MIN(" + key + "), MAX(" + key + ") FROM " + table.from())) {
            rows.next();
            BigDecimal least = rows.getBigDecimal(1);
            return least == null ? null : new BigDecimal[] {least, rows.getBigDecimal(2)};
        }
    }
}
