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
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/// Divides tables by the values of expressions: the rows of each combination go into a folder of their own.
///
/// Not thread-safe: the leader's connection is asked.
final class PartitionedTables {
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

    PartitionedTables(Connection leader, ServerTypes types, List<String> texts) {
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

    /// The table with its keys, and without the columns that these are.
    ///
    /// @param from what FROM takes for the whole of it
    ExportTable of(String from, ExportTable table) throws SQLException {
        if (expressions.isEmpty()) {
            return table;
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
        return new ExportTable(
                table.schema(),
                table.name(),
                columns,
                table.rowEstimate(),
                table.ranges(),
                new ExportTable.Keys(expressions.stream().map(Expression::sql).toList(), keys),
                // Those of columns that the folders' names hold are not claimed: there they are texts.
                table.uniqueKeys().stream()
                        .filter(key -> columns.stream()
                                .map(ExportColumn::name)
                                .toList()
                                .containsAll(key.columns()))
                        .toList(),
                table.whole(),
                table.increment());
    }

    private List<Field> keys(String from, ExportTable table) throws SQLException {
        // WHERE is no place for aggregates, window functions and functions that return sets: they would change how many
        // rows there are.
        String sql = expressions.stream().map(Expression::sql).collect(Collectors.joining(", ", "SELECT ", " FROM "))
                + from
                + expressions.stream()
                        .map(expression -> ExportTable.text(expression.sql()) + " IS NULL")
                        .collect(Collectors.joining(" AND ", " WHERE ", " LIMIT 0"));
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
}
