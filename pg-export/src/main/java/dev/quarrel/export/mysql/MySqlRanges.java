package dev.quarrel.export.mysql;

import dev.quarrel.core.type.DataType;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;

/// Cuts rows by the values of a column, between the least and the greatest, into conditions of which every
/// row meets one: a NULL the first.
final class MySqlRanges {
    private static final DateTimeFormatter MOMENT = DateTimeFormatter.ofPattern("uuuu-MM-dd HH:mm:ss.SSSSSS");

    private final Connection connection;

    MySqlRanges(Connection connection) {
        this.connection = connection;
    }

    /// @param from what FROM takes
    /// @param tableName for messages
    /// @param count how many conditions at most
    /// @return conditions of SQL; an empty one alone, where there is nothing to cut
    /// - Errors: `QueryException` 0A000 for a column whose values cannot be reckoned with.
    List<String> conditions(String from, String tableName, MySqlColumn key, int count) throws SQLException {
        List<String> cuts = cuts(from, tableName, key, count);
        if (cuts.isEmpty()) {
            return List.of("");
        }
        String name = value(key);
        List<String> conditions = new ArrayList<>();
        // No condition of its own: of a date that is NOT NULL the server says that 0000-00-00 IS NULL.
        String first = name + " < " + cuts.getFirst();
        conditions.add(key.nullable() ? "(" + first + " OR " + name + " IS NULL)" : first);
        for (int index = 1; index < cuts.size(); index++) {
            conditions.add(name + " >= " + cuts.get(index - 1) + " AND " + name + " < " + cuts.get(index));
        }
        conditions.add(name + " >= " + cuts.getLast());
        return conditions;
    }

    /// What is compared. A year would take the number 63 for 2063.
    private static String value(MySqlColumn key) {
        String name = MySqlColumn.quoted(key.name());
        return key.form() == MySqlColumn.Form.INT16 ? "(" + name + " + 0)" : name;
    }

    /// Literals, ascending.
    private List<String> cuts(String from, String tableName, MySqlColumn key, int count) throws SQLException {
        return switch (key.form()) {
            case INT16, INT32, INT64, SMALL_DECIMAL, DECIMAL, WIDE_DECIMAL -> ofNumbers(from, key, count);
            case FLOAT32, FLOAT64, HALF -> ofFloats(from, key, count);
            case DATE, MOMENT, SENT_DATE, SENT_MOMENT -> ofMoments(from, key, count);
            case SPAN, UUID, TEXT, BYTES, SENT_SPAN, SENT_BITS, SENT_SHAPE ->
                throw new QueryException(
                                SqlState.FEATURE_NOT_SUPPORTED,
                                "column " + tableName + "." + key.name() + " of type "
                                        + key.declared().text() + " cannot be split by")
                        .withHint("split by a number, a date or a timestamp");
        };
    }

    private List<String> ofNumbers(String from, MySqlColumn key, int count) throws SQLException {
        String[] ends = ends(from, value(key));
        if (ends == null) {
            return List.of();
        }
        BigDecimal least = new BigDecimal(ends[0]);
        BigDecimal span = new BigDecimal(ends[1]).subtract(least);
        int scale = key.dataType() instanceof DataType.Decimal(int _, int places) ? places : 0;
        List<String> cuts = new ArrayList<>();
        for (int part = 1; part < count; part++) {
            BigDecimal distance = span.multiply(BigDecimal.valueOf(part))
                    .divide(BigDecimal.valueOf(count), scale, RoundingMode.FLOOR);
            if (distance.signum() > 0) {
                addNew(least.add(distance).toPlainString(), cuts);
            }
        }
        return cuts;
    }

    private List<String> ofFloats(String from, MySqlColumn key, int count) throws SQLException {
        String[] ends = ends(from, MySqlColumn.quoted(key.name()) + " + 0e0");
        if (ends == null) {
            return List.of();
        }
        double least = Double.parseDouble(ends[0]);
        double greatest = Double.parseDouble(ends[1]);
        List<String> cuts = new ArrayList<>();
        double last = least;
        for (int part = 1; part < count; part++) {
            // The difference of two large ones would overflow. Of close ones this may go down by a bit.
            double share = part / (double) count;
            double cut = least * (1 - share) + greatest * share;
            if (cut > last && cut <= greatest) {
                cuts.add(Double.toString(cut));
                last = cut;
            }
        }
        return cuts;
    }

    private List<String> ofMoments(String from, MySqlColumn key, int count) throws SQLException {
        // NULL for what no calendar knows; such dates are before all others, or between two.
        String[] ends = ends(
                from, "TIMESTAMPDIFF(MICROSECOND, TIMESTAMP('1970-01-01'), " + MySqlColumn.quoted(key.name()) + ")");
        if (ends == null) {
            return List.of();
        }
        long least = Long.parseLong(ends[0]);
        long span = Long.parseLong(ends[1]) - least;
        List<String> cuts = new ArrayList<>();
        for (int part = 1; part < count; part++) {
            long distance = span / count * part;
            if (distance > 0) {
                Instant cut = Instant.EPOCH.plus(least + distance, ChronoUnit.MICROS);
                addNew("TIMESTAMP'" + MOMENT.format(LocalDateTime.ofInstant(cut, ZoneOffset.UTC)) + "'", cuts);
            }
        }
        return cuts;
    }

    private static void addNew(String cut, List<String> cuts) {
        if (cuts.isEmpty() || !cuts.getLast().equals(cut)) {
            cuts.add(cut);
        }
    }

    /// The least and the greatest value of an expression; null where there is none.
    private String[] ends(String from, String expression) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(
                        "SELECT MIN(" + expression + "), MAX(" + expression + ") FROM " + from)) {
            rows.next();
            String least = rows.getString(1);
            return least == null ? null : new String[] {least, rows.getString(2)};
        }
    }
}
