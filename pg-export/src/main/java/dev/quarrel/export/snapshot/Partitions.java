package dev.quarrel.export.snapshot;

import dev.quarrel.core.pg.PgType;
import dev.quarrel.core.type.DataType;
import dev.quarrel.core.type.Field;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/// Divides tables by the values of expressions: each combination is read by statements of its own into files of its
/// own.
///
/// Not thread-safe: the leader's connection is asked.
final class Partitions {
    private static final int MAX_PARTITIONS = 10_000;
    private static final Pattern NAMED = Pattern.compile("(?is)(.*\\S)\\s+AS\\s+(\"(?:[^\"]|\"\")+\"|\\w+)\\s*");
    private static final Pattern COLUMN = Pattern.compile("\"(?:[^\"]|\"\")+\"|[\\p{L}_][\\p{L}\\p{N}_$]*");

    private final Connection leader;
    private final ServerTypes types;
    private final List<Expression> expressions = new ArrayList<>();

    /// @param name null for the one that PostgreSQL gives it
    private record Expression(String sql, String name) {
        boolean isColumn() {
            return COLUMN.matcher(sql).matches();
        }

        String column() {
            return ColumnFilter.parts(sql).getFirst();
        }
    }

    Partitions(Connection leader, ServerTypes types, List<String> texts) {
        this.leader = leader;
        this.types = types;
        for (String text : texts) {
            for (String part : split(text)) {
                Matcher named = NAMED.matcher(part);
                expressions.add(
                        named.matches()
                                ? new Expression(
                                        named.group(1).strip(),
                                        ColumnFilter.parts(named.group(2)).getFirst())
                                : new Expression(part.strip(), null));
            }
        }
    }

    /// The parts between commas that are in no parentheses and no quotes.
    static List<String> split(String text) {
        List<String> parts = new ArrayList<>();
        int depth = 0;
        char quote = 0;
        int start = 0;
        for (int at = 0; at < text.length(); at++) {
            char each = text.charAt(at);
            if (quote != 0) {
                quote = each == quote ? 0 : quote;
            } else if (each == '\'' || each == '"') {
                quote = each;
            } else if (each == '(' || each == '[') {
                depth++;
            } else if (each == ')' || each == ']') {
                depth--;
            } else if (each == ',' && depth == 0) {
                parts.add(text.substring(start, at));
                start = at + 1;
            }
        }
        parts.add(text.substring(start));
        for (String part : parts) {
            if (part.isBlank()) {
                throw new QueryException(
                        SqlState.INVALID_PARAMETER_VALUE, "an expression to partition by is empty: " + text);
            }
        }
        return parts;
    }

    /// The table, or its parts.
    ///
    /// @param from what FROM takes for the whole of it
    /// @param condition of what is wanted of it; empty for all
    List<ExportTable> of(String from, String condition, ExportTable table) throws SQLException {
        if (expressions.isEmpty()) {
            return List.of(table);
        }
        List<Field> keys = keys(from, table);
        List<ExportColumn> columns = table.columns().stream()
                .filter(column -> expressions.stream()
                        .noneMatch(each -> each.isColumn() && each.column().equals(column.name())))
                .toList();
        if (columns.isEmpty()) {
            throw new QueryException(
                    SqlState.INVALID_PARAMETER_VALUE,
                    "table " + table.name() + " has no column besides those that it is partitioned by");
        }
        for (Field key : keys) {
            if (columns.stream().anyMatch(column -> column.name().equals(key.name()))) {
                throw new QueryException(
                                SqlState.DUPLICATE_COLUMN,
                                "table " + table.name() + " has a column " + key.name()
                                        + " besides the key of that name")
                        .withHint("give the key another name with AS");
            }
        }
        List<ExportTable> parts = new ArrayList<>();
        for (Part part : parts(from, condition, keys, table)) {
            List<RowRange> ranges = new ArrayList<>();
            for (RowRange range : table.ranges()) {
                String both = TableTree.both(range.condition(), part.condition());
                ranges.add(
                        switch (range) {
                            case RowRange.OfRelation relation ->
                                new RowRange.OfRelation(relation.index(), relation.from(), both, relation.weight());
                            case RowRange.OfQuery query -> new RowRange.OfQuery(query.index(), query.query(), both);
                        });
            }
            parts.add(new ExportTable(
                    table.schema(),
                    table.name(),
                    columns,
                    part.rows(),
                    ranges,
                    new ExportTable.Partition(part.keys(), keys)));
        }
        return parts.isEmpty() ? List.of(table) : parts;
    }

    private List<Field> keys(String from, ExportTable table) throws SQLException {
        String sql = "SELECT " + expressions.stream().map(Expression::sql).collect(Collectors.joining(", ")) + " FROM "
                + from + " LIMIT 0";
        List<Field> keys = new ArrayList<>();
        Set<String> names = new HashSet<>();
        try (Statement statement = leader.createStatement();
                ResultSet rows = statement.executeQuery(sql)) {
            ResultSetMetaData described = rows.getMetaData();
            if (described.getColumnCount() != expressions.size()) {
                throw new QueryException(
                        SqlState.SYNTAX_ERROR, "an expression to partition " + table.name() + " by is several");
            }
            for (int index = 0; index < expressions.size(); index++) {
                String name = expressions.get(index).name() != null
                        ? expressions.get(index).name()
                        : described.getColumnLabel(index + 1);
                if (!names.add(name)) {
                    throw new QueryException(
                                    SqlState.DUPLICATE_COLUMN,
                                    "table " + table.name() + " is partitioned by two keys named " + name)
                            .withHint("give one of them another name with AS");
                }
                PgType type =
                        types.named(described.getColumnTypeName(index + 1)).type();
                keys.add(
                        isKey(type)
                                ? new Field(name, type.dataType(), true, type.formatName())
                                : new Field(name, DataType.UTF8, true));
            }
        }
        return keys;
    }

    /// Whether a folder's name gives values of the type back; others are texts.
    private static boolean isKey(PgType type) {
        return switch (type) {
            case BOOL, INT2, INT4, INT8, DATE, TIMESTAMP, TIMESTAMPTZ, UUID, TEXT, VARCHAR -> true;
            default -> false;
        };
    }

    private record Part(Map<String, String> keys, String condition, long rows) {}

    private List<Part> parts(String from, String condition, List<Field> keys, ExportTable table) throws SQLException {
        // By texts, so that what differs in text alone stays as it is.
        String texts = expressions.stream()
                .map(expression -> "(" + expression.sql() + ")::text")
                .collect(Collectors.joining(", "));
        String numbers = IntStream.rangeClosed(1, expressions.size())
                .mapToObj(String::valueOf)
                .collect(Collectors.joining(", "));
        String sql = "SELECT " + texts + ", count(*) FROM " + from + (condition.isEmpty() ? "" : " WHERE " + condition)
                + " GROUP BY " + numbers + " ORDER BY " + numbers + " LIMIT " + (MAX_PARTITIONS + 1);
        List<Part> parts = new ArrayList<>();
        try (Statement statement = leader.createStatement();
                ResultSet rows = statement.executeQuery(sql)) {
            while (rows.next()) {
                Map<String, String> values = new LinkedHashMap<>();
                List<String> conditions = new ArrayList<>();
                for (int index = 0; index < keys.size(); index++) {
                    String value = rows.getString(index + 1);
                    values.put(keys.get(index).name(), value);
                    String text = "(" + expressions.get(index).sql() + ")::text";
                    conditions.add(value == null ? text + " IS NULL" : text + " = " + literal(value));
                }
                parts.add(new Part(values, String.join(" AND ", conditions), rows.getLong(keys.size() + 1)));
            }
        }
        if (parts.size() > MAX_PARTITIONS) {
            throw new QueryException(
                            SqlState.PROGRAM_LIMIT_EXCEEDED,
                            "table " + table.name() + " has more than " + MAX_PARTITIONS + " partitions")
                    .withHint("partition by an expression of fewer values");
        }
        return parts;
    }

    private static String literal(String text) {
        return (text.indexOf('\\') >= 0 ? "E'" : "'")
                + text.replace("\\", "\\\\").replace("'", "''")
                + "'";
    }
}
