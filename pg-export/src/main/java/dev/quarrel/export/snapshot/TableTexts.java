package dev.quarrel.export.snapshot;

import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// Texts that a user gives for all tables, or for one: `text`, or `table:text`.
final class TableTexts {
    private static final String NAME = "(?:[\\p{L}_][\\p{L}\\p{N}_$]*|\"(?:[^\"]|\"\")+\")";
    private static final Pattern OF_TABLE =
            Pattern.compile("\\s*(" + NAME + "(?:\\." + NAME + ")?)\\s*:(?!:)(.*)", Pattern.DOTALL);

    private final String purpose;
    private final List<Text> texts = new ArrayList<>();
    private final boolean[] matched;

    /// @param table its name's parts; empty for all tables
    private record Text(List<String> table, String text, String written) {
        boolean isOf(String schema, String name) {
            return List.of(schema, name).subList(2 - table.size(), 2).equals(table);
        }
    }

    /// @param purpose what they are, for errors
    TableTexts(String purpose, List<String> written) {
        this.purpose = purpose;
        for (String each : written) {
            Matcher ofTable = OF_TABLE.matcher(each);
            Text text = ofTable.matches()
                    ? new Text(ColumnFilter.parts(ofTable.group(1)), ofTable.group(2), each)
                    : new Text(List.of(), each, each);
            if (text.text().isBlank()) {
                throw new QueryException(SqlState.INVALID_PARAMETER_VALUE, purpose + " is empty: " + each);
            }
            texts.add(text);
        }
        this.matched = new boolean[texts.size()];
    }

    /// Those of a table, in the order in which they were given.
    List<String> of(String schema, String name) {
        List<String> found = new ArrayList<>();
        for (int index = 0; index < matched.length; index++) {
            if (texts.get(index).isOf(schema, name)) {
                matched[index] = true;
                found.add(texts.get(index).text());
            }
        }
        return found;
    }

    /// - Errors: `QueryException` 42P01 for one of a table that is not exported.
    void checkAllMatched() {
        for (int index = 0; index < matched.length; index++) {
            if (!matched[index]) {
                throw new QueryException(
                        SqlState.UNDEFINED_TABLE,
                        "no exported table is named as in " + purpose + " "
                                + texts.get(index).written());
            }
        }
    }
}
