package dev.quarrel.export.snapshot;

import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;
import dev.quarrel.export.config.ExportConfig;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// A query, and for each of its rows the rows of further queries beside it.
///
/// In a further query `$(name)` is the column of that name of the rows so far; PostgreSQL does the joining.
final class QueryJoins {
    private static final Pattern REFERENCE = Pattern.compile("\\$\\(([^()]+)\\)");

    private final Connection connection;

    QueryJoins(Connection connection) {
        this.connection = connection;
    }

    String joined(String query, List<ExportConfig.Join> joins) throws SQLException {
        if (joins.isEmpty()) {
            return query;
        }
        StringBuilder from = new StringBuilder("(" + query + "\n) AS \"q0\"");
        Map<String, String> known = new LinkedHashMap<>();
        describe("SELECT * FROM " + from).forEach(name -> known.put(name, "\"q0\"." + ExportTable.quoted(name)));
        for (int index = 1; index <= joins.size(); index++) {
            ExportConfig.Join join = joins.get(index - 1);
            String alias = "\"q" + index + '"';
            from.append(join.isOuter() ? " LEFT JOIN LATERAL (" : " CROSS JOIN LATERAL (")
                    .append(replaced(join.sql().strip(), known))
                    .append("\n) AS ")
                    .append(alias)
                    .append(join.isOuter() ? " ON true" : "");
            for (String name : describe("SELECT " + alias + ".* FROM " + from)) {
                known.putIfAbsent(name, alias + "." + ExportTable.quoted(name));
            }
        }
        return "SELECT * FROM " + from;
    }

    private static String replaced(String sql, Map<String, String> known) {
        return REFERENCE.matcher(sql).replaceAll(match -> {
            String column = known.get(match.group(1));
            if (column == null) {
                throw new QueryException(
                                SqlState.UNDEFINED_COLUMN,
                                "a joined query has " + match.group() + ", and no column before it is named so")
                        .withHint("there are " + String.join(", ", known.keySet()));
            }
            return Matcher.quoteReplacement(column);
        });
    }

    private List<String> describe(String sql) throws SQLException {
        List<String> names = new ArrayList<>();
        try (Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(sql + " LIMIT 0")) {
            ResultSetMetaData described = rows.getMetaData();
            for (int index = 1; index <= described.getColumnCount(); index++) {
                names.add(described.getColumnLabel(index));
            }
        }
        return names;
    }
}
