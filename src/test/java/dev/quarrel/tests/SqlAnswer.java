package dev.quarrel.tests;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import org.postgresql.util.PSQLException;
import org.postgresql.util.ServerErrorMessage;

/// What a statement gave, in a form that two servers can be compared by.
sealed interface SqlAnswer {
    /// @param columns `name type` of each column, type as the server's OID names it, with its modifier
    /// @param rows text of each value; null for NULL
    record Rows(List<String> columns, List<List<String>> rows) implements SqlAnswer {
        List<String> lines(boolean sorted) {
            List<String> lines = new ArrayList<>();
            for (List<String> row : rows) {
                lines.add(String.join(" ", row.stream().map(Rows::shown).toList()));
            }
            if (sorted) {
                lines.sort(null);
            }
            return lines;
        }

        private static String shown(String value) {
            if (value == null) {
                return "NULL";
            }
            return value.isEmpty() ? "(empty)" : value.replace("\n", "\\n");
        }
    }

    record Done() implements SqlAnswer {}

    /// @param position 1-based place in the statement, 0 for none
    record Failure(String sqlState, String message, int position) implements SqlAnswer {}

    /// Whether it is what another server gave, errors by their states.
    default boolean isSameByState(SqlAnswer other) {
        return this instanceof Failure(String state, String _, int _)
                        && other instanceof Failure(String otherState, String _, int _)
                ? state.equals(otherState)
                : equals(other);
    }

    /// Whether it is what another server gave, errors by their states and messages.
    default boolean isSameByMessage(SqlAnswer other) {
        return this instanceof Failure(String state, String message, int _)
                        && other instanceof Failure(String otherState, String otherMessage, int _)
                ? state.equals(otherState) && message.equals(otherMessage)
                : equals(other);
    }

    /// Runs a statement and reads everything it gives.
    static SqlAnswer of(Connection connection, String sql) {
        try (Statement statement = connection.createStatement()) {
            if (!statement.execute(sql)) {
                return new Done();
            }
            try (ResultSet rows = statement.getResultSet()) {
                return read(rows);
            }
        } catch (SQLException failure) {
            return of(failure);
        }
    }

    static SqlAnswer of(SQLException failure) {
        ServerErrorMessage details = failure instanceof PSQLException server ? server.getServerErrorMessage() : null;
        if (details == null) {
            return new Failure(failure.getSQLState(), failure.getMessage(), 0);
        }
        return new Failure(details.getSQLState(), details.getMessage(), details.getPosition());
    }

    static Rows read(ResultSet rows) throws SQLException {
        ResultSetMetaData meta = rows.getMetaData();
        List<String> columns = new ArrayList<>();
        for (int column = 1; column <= meta.getColumnCount(); column++) {
            columns.add(meta.getColumnLabel(column) + " " + meta.getColumnTypeName(column) + modifier(meta, column));
        }
        List<List<String>> values = new ArrayList<>();
        while (rows.next()) {
            List<String> row = new ArrayList<>();
            for (int column = 1; column <= meta.getColumnCount(); column++) {
                row.add(rows.getString(column));
            }
            values.add(row);
        }
        return new Rows(columns, values);
    }

    private static String modifier(ResultSetMetaData meta, int column) throws SQLException {
        return switch (meta.getColumnTypeName(column)) {
            case "numeric" -> "(" + meta.getPrecision(column) + "," + meta.getScale(column) + ")";
            case "varchar", "bpchar" -> "(" + meta.getPrecision(column) + ")";
            default -> "";
        };
    }
}
