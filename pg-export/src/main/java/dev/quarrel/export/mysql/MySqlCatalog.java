package dev.quarrel.export.mysql;

import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;
import dev.quarrel.export.config.ExportConfig;
import dev.quarrel.export.config.Selection;
import dev.quarrel.export.snapshot.ColumnFilter;
import dev.quarrel.export.snapshot.ExportColumn;
import dev.quarrel.export.snapshot.ExportTable;
import dev.quarrel.export.snapshot.RowRange;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/// Finds tables and their columns in MySQL's catalog, and cuts tables into ranges of their primary keys, or
/// of a column that was named.
final class MySqlCatalog {
    private static final String SYSTEM = "('mysql', 'information_schema', 'performance_schema', 'sys', 'ndbinfo')";
    private static final Set<String> INTEGERS = Set.of("tinyint", "smallint", "mediumint", "int", "bigint");
    private static final int RANGES_PER_WORKER = 4;
    private static final long MIN_ROWS_A_RANGE = 20_000;

    private final Connection connection;
    private final String database;
    private final int workers;
    private final ExportConfig config;
    private final MySqlShapes shapes;
    private final ColumnFilter excluded;
    private final ColumnFilter keys;
    private final MySqlKeys keysBefore;
    private final Map<String, Sent> sent = new HashMap<>(); // by the table's name for people
    private final List<String> notices = new ArrayList<>();

    /// @param database the one whose tables go to schema public
    /// @param keysBefore the unique keys that there were before the snapshot
    MySqlCatalog(Connection connection, String database, int workers, ExportConfig config, MySqlKeys keysBefore) {
        this.keysBefore = keysBefore;
        this.connection = connection;
        this.database = database;
        this.workers = workers;
        this.config = config;
        this.shapes = new MySqlShapes(config.columns());
        this.excluded = MySqlName.filter("excluded", config.excluded());
        this.keys = MySqlName.filter("split by", config.splitBy());
    }

    /// @param isView whether it is a view, or something else that has no rows of its own
    /// @param rows the server's estimate
    private record Found(String database, String name, boolean isView, boolean isTransactional, long rows) {
        String from() {
            return MySqlColumn.quoted(database) + "." + MySqlColumn.quoted(name);
        }
    }

    /// What the server sends of a table or query.
    ///
    /// @param columns as they are exported
    /// @param described a query's, as the server has described them; null for a table
    record Sent(List<MySqlColumn> columns, List<MySqlColumn> described) {}

    /// What is sent of each of the [#tables], by its name for people.
    Map<String, Sent> sent() {
        return sent;
    }

    /// What the user should know.
    List<String> notices() {
        return notices;
    }

    /// The tables that were selected, and the queries.
    ///
    /// - Errors: `QueryException` 42P01 and 42703 for what does not exist; 0A000 for what cannot be split,
    ///   42804 for columns that cannot have the form that is asked for.
    List<ExportTable> tables() throws SQLException {
        List<ExportTable> tables = new ArrayList<>();
        MySqlKeys uniqueKeys = MySqlKeys.read(connection);
        for (Found found : select(config.selection())) {
            ExportTable table = table(found);
            // Without transactions a row may change its place, and come twice.
            add(
                    found.isTransactional() && !found.isView()
                            ? table.withUniqueKeys(
                                    uniqueKeys.of(found.database(), found.name(), keysBefore, table.columns()))
                            : table,
                    tables);
            if (!found.isTransactional() && !found.isView()) {
                notices.add("table " + found.name()
                        + " keeps no transactions (its engine is not InnoDB): its rows may be newer than the snapshot");
            }
        }
        MySqlQueries queries = new MySqlQueries(connection, workers, config);
        for (ExportConfig.Query query : config.queries()) {
            add(table(query, queries), tables);
        }
        excluded.checkAllMatched();
        keys.checkAllMatched();
        shapes.checkAllMatched();
        return tables;
    }

    private static void add(ExportTable table, List<ExportTable> tables) {
        if (tables.stream().anyMatch(each -> each.qualifiedName().equals(table.qualifiedName()))) {
            throw new QueryException(
                    SqlState.DUPLICATE_TABLE, "two exported tables are named " + table.qualifiedName());
        }
        tables.add(table);
    }

    private ExportTable table(Found found) throws SQLException {
        List<MySqlColumn> all = columns(found);
        Map<String, Long> distinct = found.isView() ? Map.of() : distinctEstimates(found);
        List<MySqlColumn> kept = new ArrayList<>();
        List<ExportColumn> exported = new ArrayList<>();
        for (MySqlColumn column : all) {
            if (!excluded.matches(found.database(), found.name(), column.name())) {
                MySqlColumn shaped = shapes.shaped(found.database(), found.name(), column);
                kept.add(shaped);
                exported.add(shaped.exported(config.unfit(), distinct.getOrDefault(column.name(), -1L)));
            }
        }
        if (kept.isEmpty()) {
            throw new QueryException(
                    SqlState.FEATURE_NOT_SUPPORTED, "table " + found.name() + " has no column to export");
        }
        String schema = found.database().equals(database) ? "public" : found.database();
        ExportTable table =
                new ExportTable(schema, found.name(), exported, found.isView() ? -1 : found.rows(), ranges(found, all));
        sent.put(table.qualifiedName(), new Sent(kept, null));
        return table;
    }

    private ExportTable table(ExportConfig.Query wanted, MySqlQueries queries) throws SQLException {
        MySqlQueries.Described whole = queries.read(wanted);
        MySqlColumn key = key(database, whole.name(), whole.columns());
        if (key != null && whole.parts().size() > 1) {
            throw new QueryException(
                    SqlState.INVALID_PARAMETER_VALUE,
                    "the query of table " + whole.name() + " is to be split in several ways");
        }
        MySqlQueries.Described query = key == null || workers == 1 ? whole : queries.asDerived(wanted, whole);
        List<MySqlColumn> kept = new ArrayList<>();
        List<ExportColumn> exported = new ArrayList<>();
        for (MySqlColumn column : query.columns()) {
            if (excluded.matches(database, query.name(), column.name())) {
                throw new QueryException(
                                SqlState.FEATURE_NOT_SUPPORTED,
                                "column " + query.name() + "." + column.name() + " of a query cannot be excluded")
                        .withHint("leave it out of the query");
            }
            MySqlColumn shaped = shapes.shaped(database, query.name(), column);
            kept.add(shaped);
            exported.add(shaped.exported(config.unfit(), -1));
        }
        List<RowRange> ranges = new ArrayList<>();
        if (query == whole) {
            query.parts().forEach(part -> ranges.add(new RowRange.OfQuery(ranges.size(), part, "")));
        } else {
            String sql = query.parts().getFirst();
            List<String> conditions = new MySqlRanges(connection)
                    .conditions(MySqlQueries.derived(sql), query.name(), key, rangesAskedFor());
            for (String condition : conditions) {
                ranges.add(new RowRange.OfQuery(ranges.size(), sql, condition));
            }
        }
        ExportTable table = new ExportTable("public", query.name(), exported, -1, ranges);
        sent.put(table.qualifiedName(), new Sent(kept, query.columns()));
        return table;
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

    private List<MySqlColumn> columns(Found table) throws SQLException {
        List<MySqlColumn> found = new ArrayList<>();
        String sql = "SELECT column_name, data_type, column_type, COALESCE(numeric_precision, 0),"
                + " COALESCE(numeric_scale, 0), COALESCE(character_maximum_length, 0), is_nullable"
                + " FROM information_schema.columns WHERE table_schema = ? AND table_name = ? ORDER BY ordinal_position";
        try (PreparedStatement query = connection.prepareStatement(sql)) {
            query.setString(1, table.database());
            query.setString(2, table.name());
            try (ResultSet rows = query.executeQuery()) {
                while (rows.next()) {
                    MySqlTypes.Told told = new MySqlTypes.Told(
                            rows.getString(1),
                            rows.getString(2),
                            rows.getString(3).toLowerCase(Locale.ROOT).contains("unsigned"),
                            rows.getInt(4),
                            rows.getInt(5),
                            rows.getLong(6),
                            rows.getString(7).equals("YES"));
                    found.add(MySqlTypes.of(told, config));
                }
            }
        }
        return found;
    }

    /// How many distinct values a table's columns have, where an index begins with one of them and tells.
    private Map<String, Long> distinctEstimates(Found table) throws SQLException {
        Map<String, Long> estimates = new HashMap<>();
        String sql = "SELECT column_name, MAX(cardinality) FROM information_schema.statistics WHERE table_schema = ?"
                + " AND table_name = ? AND seq_in_index = 1 AND cardinality IS NOT NULL GROUP BY column_name";
        try (PreparedStatement query = connection.prepareStatement(sql)) {
            query.setString(1, table.database());
            query.setString(2, table.name());
            try (ResultSet rows = query.executeQuery()) {
                while (rows.next()) {
                    estimates.put(rows.getString(1), rows.getLong(2));
                }
            }
        }
        return estimates;
    }

    /// Ranges of a column that was named; else of the primary key where it is one integer, and the table is
    /// worth several.
    private List<RowRange> ranges(Found table, List<MySqlColumn> all) throws SQLException {
        MySqlColumn named = key(table.database(), table.name(), all);
        String primary = named != null || table.isView() ? null : primaryKey(table);
        int worth = (int) Math.min((long) workers * RANGES_PER_WORKER, Math.max(1, table.rows() / MIN_ROWS_A_RANGE));
        int count = named != null ? rangesAskedFor() : workers == 1 || primary == null ? 1 : worth;
        if (count == 1) {
            return List.of(new RowRange.OfRelation(0, table.from(), "", RowRange.UNKNOWN));
        }
        MySqlColumn key = named != null
                ? named
                : all.stream()
                        .filter(column -> column.name().equals(primary))
                        .findFirst()
                        .orElseThrow();
        List<String> conditions = new MySqlRanges(connection).conditions(table.from(), table.name(), key, count);
        long weight = table.isView() || conditions.size() == 1
                ? RowRange.UNKNOWN
                : Math.max(1, table.rows() / conditions.size());
        List<RowRange> ranges = new ArrayList<>();
        for (String condition : conditions) {
            ranges.add(new RowRange.OfRelation(ranges.size(), table.from(), condition, weight));
        }
        return ranges;
    }

    private int rangesAskedFor() {
        return workers == 1 ? 1 : workers * RANGES_PER_WORKER;
    }

    /// The column that the rows are cut by, if one was named.
    private MySqlColumn key(String tableDatabase, String table, List<MySqlColumn> all) {
        MySqlColumn key = null;
        for (MySqlColumn column : all) {
            if (keys.matches(tableDatabase, table, column.name())) {
                if (key != null) {
                    throw new QueryException(
                            SqlState.INVALID_PARAMETER_VALUE,
                            "table " + table + " is to be split by " + key.name() + " and by " + column.name());
                }
                key = column;
            }
        }
        return key;
    }

    /// The name of the table's primary key, if it is one column of integers; otherwise null.
    private String primaryKey(Found table) throws SQLException {
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
                return isInteger && !rows.next() ? name : null;
            }
        }
    }
}
