package dev.quarrel.export.snapshot;

import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/// The columns that a user has named, by one to three parts each, and which of the names have been found.
public final class ColumnFilter {
    /// What may stand for columns, as a database writes it.
    public interface Name {
        boolean isColumn(String schema, String table, String column);

        /// As it was written.
        String text();
    }

    private final String purpose;
    private final List<Name> names;
    private final boolean[] matched;

    /// @param purpose what they are named for, for errors
    public ColumnFilter(String purpose, List<? extends Name> names) {
        this.purpose = purpose;
        this.names = List.copyOf(names);
        this.matched = new boolean[names.size()];
    }

    /// @param texts as PostgreSQL writes names
    static ColumnFilter of(String purpose, List<String> texts) {
        return new ColumnFilter(purpose, texts.stream().map(SqlName::new).toList());
    }

    private record SqlName(String text, List<String> parts) implements Name {
        SqlName(String text) {
            this(text, ColumnFilter.parts(text));
        }

        @Override
        public boolean isColumn(String schema, String table, String column) {
            return List.of(schema, table, column).subList(3 - parts.size(), 3).equals(parts);
        }
    }

    public boolean matches(String schema, String table, String column) {
        boolean isNamed = false;
        for (int index = 0; index < matched.length; index++) {
            if (names.get(index).isColumn(schema, table, column)) {
                matched[index] = true;
                isNamed = true;
            }
        }
        return isNamed;
    }

    /// - Errors: `QueryException` 42703 for a name that matched no column.
    public void checkAllMatched() {
        for (int index = 0; index < matched.length; index++) {
            if (!matched[index]) {
                throw new QueryException(
                        SqlState.UNDEFINED_COLUMN,
                        "no exported table has column " + names.get(index).text() + ", which is to be " + purpose);
            }
        }
    }

    /// The parts of a dotted name: folded to lower case, except in double quotes.
    static List<String> parts(String text) {
        List<String> parts = new ArrayList<>();
        StringBuilder part = new StringBuilder();
        boolean quoted = false;
        boolean wasQuoted = false;
        for (int at = 0; at < text.length(); at++) {
            char next = text.charAt(at);
            if (quoted) {
                if (next != '"') {
                    part.append(next);
                } else if (at + 1 < text.length() && text.charAt(at + 1) == '"') {
                    part.append('"');
                    at++;
                } else {
                    quoted = false;
                }
            } else if (next == '"') {
                quoted = true;
                wasQuoted = true;
            } else if (next == '.') {
                parts.add(whole(part, wasQuoted, text));
                part.setLength(0);
                wasQuoted = false;
            } else {
                part.append(Character.toString(next).toLowerCase(Locale.ROOT));
            }
        }
        parts.add(whole(part, wasQuoted, text));
        if (quoted || parts.size() > 3) {
            throw invalid(text);
        }
        return parts;
    }

    private static String whole(StringBuilder part, boolean wasQuoted, String text) {
        String name = wasQuoted ? part.toString() : part.toString().trim();
        if (name.isEmpty()) {
            throw invalid(text);
        }
        return name;
    }

    private static QueryException invalid(String text) {
        return new QueryException(SqlState.INVALID_PARAMETER_VALUE, "invalid column name: " + text)
                .withHint("write column, table.column or schema.table.column");
    }
}
