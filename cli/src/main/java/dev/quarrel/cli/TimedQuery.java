package dev.quarrel.cli;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/// One query's rows as text and its time over one connection, the rows' way through the driver included.
///
/// @param rows cells of each row; null for NULL
/// @param millis median of the hot runs
record TimedQuery(List<List<String>> rows, double millis) {
    private static final int COLD_RUNS = 2;
    private static final int HOT_RUNS = 5;

    static TimedQuery run(Connection connection, String sql) throws SQLException {
        double[] millis = new double[HOT_RUNS];
        List<List<String>> rows = List.of();
        try (Statement statement = connection.createStatement()) {
            for (int run = -COLD_RUNS; run < HOT_RUNS; run++) {
                long start = System.nanoTime();
                rows = rows(statement, sql);
                if (run >= 0) {
                    millis[run] = (System.nanoTime() - start) / 1e6;
                }
            }
        }
        Arrays.sort(millis);
        return new TimedQuery(rows, millis[HOT_RUNS / 2]);
    }

    private static List<List<String>> rows(Statement statement, String sql) throws SQLException {
        List<List<String>> rows = new ArrayList<>();
        try (ResultSet result = statement.executeQuery(sql)) {
            int columns = result.getMetaData().getColumnCount();
            while (result.next()) {
                List<String> cells = new ArrayList<>(columns);
                for (int column = 1; column <= columns; column++) {
                    cells.add(result.getString(column));
                }
                rows.add(cells);
            }
        }
        return rows;
    }
}
