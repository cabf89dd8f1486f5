package dev.quarrel.export.snapshot;

import dev.quarrel.core.pg.PgType;
import dev.quarrel.core.type.DataType;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;
import dev.quarrel.export.config.ValueRules;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/// Columns whose values PostgreSQL casts to other types before it sends them.
///
/// Not thread-safe: the leader's connection is asked.
final class CastColumns {
    private final Connection leader;
    private final ValueRules rules;
    private final List<ColumnFilter> filters = new ArrayList<>();
    private final List<String> types = new ArrayList<>();

    /// Makes a column of what the driver says of a result's.
    interface Maker {
        ExportColumn column(ResultSetMetaData described, int index, String name) throws SQLException;
    }

    CastColumns(Connection leader, ValueRules rules) {
        this.leader = leader;
        this.rules = rules;
        for (String cast : rules.casts()) {
            int equals = cast.indexOf('=', cast.lastIndexOf('"') + 1);
            if (equals < 1 || cast.substring(equals + 1).isBlank()) {
                throw new QueryException(
                        SqlState.INVALID_PARAMETER_VALUE, "a cast is column=type, and not \"" + cast + "\"");
            }
            filters.add(
                    ColumnFilter.of("cast", List.of(cast.substring(0, equals).strip())));
            types.add(cast.substring(equals + 1).strip());
        }
    }

    void checkAllMatched() {
        filters.forEach(ColumnFilter::checkAllMatched);
    }

    /// The columns, with those that are cast as they are then.
    ///
    /// @param from what FROM takes
    List<ExportColumn> cast(String from, String schema, String table, List<ExportColumn> columns, Maker maker)
            throws SQLException {
        List<Integer> places = new ArrayList<>();
        List<String> expressions = new ArrayList<>();
        for (int index = 0; index < columns.size(); index++) {
            ExportColumn column = columns.get(index);
            String expression = expression(schema, table, column);
            if (expression != null) {
                places.add(index);
                expressions.add(expression);
            }
        }
        if (places.isEmpty()) {
            return columns;
        }
        List<ExportColumn> cast = new ArrayList<>(columns);
        String sql = expressions.stream().collect(Collectors.joining(", ", "SELECT ", " FROM " + from + " LIMIT 0"));
        try (Statement statement = leader.createStatement();
                ResultSet rows = statement.executeQuery(sql)) {
            for (int index = 0; index < places.size(); index++) {
                ExportColumn column = columns.get(places.get(index));
                ExportColumn made = maker.column(rows.getMetaData(), index + 1, column.name());
                cast.set(places.get(index), made.withExpression(expressions.get(index)));
            }
        }
        return cast;
    }

    /// Null for a column that stays as it is.
    private String expression(String schema, String table, ExportColumn column) {
        String expression = null;
        for (int index = 0; index < types.size(); index++) {
            if (filters.get(index).matches(schema, table, column.name())) {
                expression = "(" + column.expression() + ")::" + types.get(index);
            }
        }
        boolean isInterval =
                column.declared().other() == null && column.declared().type() == PgType.INTERVAL;
        if (expression != null || !isInterval) {
            return expression;
        }
        return switch (rules.intervals()) {
            case KEEP -> null;
            case TEXT -> "(" + column.expression() + ")::pg_catalog.text";
            case MICROSECONDS -> "(extract(epoch FROM " + column.expression() + ") * 1000000)::pg_catalog.int8";
        };
    }

    /// The columns, with numerics without precision as decimals where all values fit into 38 digits.
    ///
    /// @param from what FROM takes, with the rows' condition
    List<ExportColumn> fitted(String from, List<ExportColumn> columns) throws SQLException {
        List<Integer> places = new ArrayList<>();
        List<String> selected = new ArrayList<>();
        for (int index = 0; index < columns.size(); index++) {
            if (columns.get(index).dataType() instanceof DataType.Numeric) {
                String name = columns.get(index).expression();
                places.add(index);
                // Of NaN and infinities the scale is NULL.
                selected.add("coalesce(bool_or(" + name + " IS NOT NULL AND scale(" + name + ") IS NULL), false)");
                selected.add("coalesce(max(scale(" + name + ")), 0)");
                selected.add("coalesce(max(length(trunc(abs(" + name + "))::text)) FILTER (WHERE scale(" + name
                        + ") IS NOT NULL), 1)");
            }
        }
        if (places.isEmpty() || !rules.numericByValues()) {
            return columns;
        }
        List<ExportColumn> fitted = new ArrayList<>(columns);
        try (Statement statement = leader.createStatement();
                ResultSet rows = statement.executeQuery("SELECT " + String.join(", ", selected) + " FROM " + from)) {
            rows.next();
            for (int index = 0; index < places.size(); index++) {
                int scale = rows.getInt(3 * index + 2);
                boolean fits = !rows.getBoolean(3 * index + 1)
                        && scale + rows.getInt(3 * index + 3) <= DataType.Decimal.MAX_PRECISION;
                if (fits) {
                    ExportColumn column = columns.get(places.get(index));
                    fitted.set(
                            places.get(index),
                            column.withDataType(new DataType.Decimal(DataType.Decimal.MAX_PRECISION, scale)));
                }
            }
        }
        return fitted;
    }
}
