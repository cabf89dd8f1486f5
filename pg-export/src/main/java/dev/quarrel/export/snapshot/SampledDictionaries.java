package dev.quarrel.export.snapshot;

import dev.quarrel.core.type.DataType;
import dev.quarrel.core.type.SqlState;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/// Finds the texts of a query that have few values by its first rows: PostgreSQL has no statistics of a query.
///
/// A query whose first rows cost nearly as much as all of them, such as one that sorts or groups, is not asked. One
/// that takes longer than a second for them is not waited for.
///
/// Not thread-safe: the leader's connection is asked.
final class SampledDictionaries {
    private static final int SAMPLE_ROWS = 10_000;
    private static final int LEAST_ROWS = 1_000;
    private static final int ROWS_PER_VALUE = 100;
    private static final int MOST_MILLIS = 1_000;
    private static final double CHEAP_FRACTION = 0.1;
    private static final double CHEAP_COST = 10_000; // some dozen milliseconds
    private static final Pattern COST = Pattern.compile("\\.\\.([0-9.]+) rows=");

    private final Connection leader;

    SampledDictionaries(Connection leader) {
        this.leader = leader;
    }

    List<ExportColumn> of(String query, List<ExportColumn> columns) throws SQLException {
        List<Integer> texts = new ArrayList<>();
        for (int index = 0; index < columns.size(); index++) {
            ExportColumn column = columns.get(index);
            boolean isPlain = column.dataType() instanceof DataType.Utf8
                    && column.nested() == null
                    && column.layout().dictionary() == ExportColumn.DictionaryChoice.AUTO;
            if (isPlain && column.outputFunction() == null) {
                texts.add(index);
            }
        }
        String sample = "SELECT * FROM " + ExportTable.subquery(query) + " LIMIT " + SAMPLE_ROWS;
        if (texts.isEmpty() || !isCheap(sample, "SELECT * FROM " + ExportTable.subquery(query))) {
            return columns;
        }
        List<ExportColumn> found = new ArrayList<>(columns);
        String sql = texts.stream()
                .map(index -> "count(DISTINCT (" + columns.get(index).expression() + ")::pg_catalog.text)")
                .collect(Collectors.joining(", ", "SELECT count(*), ", " FROM (" + sample + ") AS sample"));
        try (Statement statement = leader.createStatement()) {
            // Rows may take long whatever PostgreSQL expects: the columns are plain then.
            statement.execute("SAVEPOINT quarrel");
            statement.execute("SET LOCAL statement_timeout = " + MOST_MILLIS);
            try (ResultSet rows = statement.executeQuery(sql)) {
                rows.next();
                long count = rows.getLong(1);
                for (int index = 0; index < texts.size(); index++) {
                    long values = rows.getLong(index + 2);
                    if (count >= LEAST_ROWS && values > 0 && values <= count / ROWS_PER_VALUE) {
                        ExportColumn column = columns.get(texts.get(index));
                        found.set(
                                texts.get(index),
                                column.withLayout(
                                        column.layout().withDictionary(ExportColumn.DictionaryChoice.ALWAYS)));
                    }
                }
            } catch (SQLException failure) {
                if (!SqlState.QUERY_CANCELED.code().equals(failure.getSQLState())) {
                    throw failure;
                }
            }
            statement.execute("ROLLBACK TO SAVEPOINT quarrel");
        }
        return found;
    }

    private boolean isCheap(String sample, String whole) throws SQLException {
        double cost = cost(sample);
        return cost <= CHEAP_COST || cost <= CHEAP_FRACTION * cost(whole);
    }

    /// What PostgreSQL expects a statement to cost.
    private double cost(String sql) throws SQLException {
        Matcher cost = COST.matcher(ExportSnapshot.single(leader, "EXPLAIN " + sql));
        return cost.find() ? Double.parseDouble(cost.group(1)) : Double.MAX_VALUE;
    }
}
