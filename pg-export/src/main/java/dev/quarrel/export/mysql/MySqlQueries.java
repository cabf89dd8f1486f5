package dev.quarrel.export.mysql;

import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;
import dev.quarrel.export.config.ExportConfig;
import dev.quarrel.export.snapshot.QueryParts;
import dev.quarrel.export.source.MySqlError;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Collectors;

/// Queries as tables: the statements that give their rows, and the columns that the server says these have.
///
/// The server is asked by preparing a statement: nothing runs, and what has no rows (a change, a COMMIT) is
/// refused before it could.
final class MySqlQueries {
    private final Connection connection;
    private final int workers;
    private final ExportConfig config;

    MySqlQueries(Connection connection, int workers, ExportConfig config) {
        this.connection = connection;
        this.workers = workers;
        this.config = config;
    }

    /// @param parts statements that together give all rows
    record Described(String name, List<String> parts, List<MySqlColumn> columns) {}

    /// - Errors: `QueryException` 42804 where the parts have different columns, 42701 for two of one name.
    Described read(ExportConfig.Query query) {
        List<String> parts = QueryParts.of(query, workers);
        List<MySqlColumn> columns = null;
        for (String part : parts) {
            List<MySqlColumn> described = described(query, part);
            List<MySqlColumn> all = columns == null ? described : merged(columns, described);
            if (all == null) {
                throw new QueryException(
                                SqlState.DATATYPE_MISMATCH,
                                "the parts of the query of table " + query.name() + " have different columns")
                        .withDetail("the first has " + texts(columns) + ", another one " + texts(described))
                        .withHint("give them one type with CAST");
            }
            columns = all;
        }
        return new Described(query.name(), parts, columns);
    }

    /// The same query as a table within another statement, which some columns leave with other types.
    ///
    /// @param query of one part
    Described asDerived(ExportConfig.Query query, Described whole) {
        String sql = "SELECT * FROM " + derived(whole.parts().getFirst());
        return new Described(whole.name(), whole.parts(), described(query, sql));
    }

    /// What FROM takes of a query. Its last line may end in a comment.
    static String derived(String sql) {
        return "(" + sql + "\n) AS `query`";
    }

    private List<MySqlColumn> described(ExportConfig.Query query, String sql) {
        List<MySqlColumn> columns = new ArrayList<>();
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            ResultSetMetaData told = statement.getMetaData();
            if (told == null || told.getColumnCount() == 0) {
                throw new QueryException(
                        SqlState.INVALID_PARAMETER_VALUE,
                        "the query of table " + query.name() + " has no rows to give");
            }
            columns.addAll(columns(told, config));
        } catch (SQLException failure) {
            throw MySqlError.of("could not prepare the query of table " + query.name(), failure);
        }
        Set<String> names = new HashSet<>();
        for (MySqlColumn column : columns) {
            if (column.name().isEmpty()) {
                throw new QueryException(
                                SqlState.SYNTAX_ERROR,
                                "the query of table " + query.name() + " has a column without a name")
                        .withHint("give it a name with AS");
            }
            if (!names.add(column.name())) {
                throw new QueryException(
                                SqlState.DUPLICATE_COLUMN,
                                "the query of table " + query.name() + " has two columns named " + column.name())
                        .withHint("give one of them another name with AS");
            }
        }
        return columns;
    }

    /// The columns of a statement's rows, as the server sends them. Whether there may be NULLs, it does not
    /// promise.
    static List<MySqlColumn> columns(ResultSetMetaData told, ExportConfig config) throws SQLException {
        List<MySqlColumn> columns = new ArrayList<>();
        for (int place = 1; place <= told.getColumnCount(); place++) {
            String type = told.getColumnTypeName(place).toLowerCase(Locale.ROOT);
            columns.add(MySqlTypes.ofResult(
                    new MySqlTypes.Told(
                            told.getColumnLabel(place),
                            type.replace(" unsigned", ""),
                            type.endsWith(" unsigned"),
                            told.getPrecision(place),
                            told.getScale(place),
                            told.getColumnDisplaySize(place),
                            true),
                    config));
        }
        return columns;
    }

    /// Columns that take the values of both; null where there are none.
    static List<MySqlColumn> merged(List<MySqlColumn> some, List<MySqlColumn> others) {
        if (some.size() != others.size()) {
            return null;
        }
        List<MySqlColumn> merged = new ArrayList<>();
        for (int index = 0; index < some.size(); index++) {
            MySqlColumn both = some.get(index).with(others.get(index));
            if (both == null) {
                return null;
            }
            merged.add(both);
        }
        return merged;
    }

    private static String texts(List<MySqlColumn> columns) {
        return columns.stream()
                .map(column -> column.name() + " " + column.declared().text())
                .collect(Collectors.joining(", "));
    }
}
