package dev.quarrel.export.mysql;

import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;
import dev.quarrel.export.snapshot.ColumnFilter;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;

/// A dotted name whose parts may have wildcards: `*` is any characters, `?` one. Backticks or double quotes
/// around a part take it literally; letters keep their case, as MySQL's names do.
record MySqlName(String text, List<Part> parts) implements ColumnFilter.Name {
    /// @param pattern null for a part that is meant literally
    record Part(String text, Pattern pattern) {
        boolean matches(String name) {
            return pattern == null ? text.equals(name) : pattern.matcher(name).matches();
        }
    }

    /// @param most parts at most
    static MySqlName parse(String text, int most) {
        List<Part> parts = new ArrayList<>();
        String rest = text.strip();
        while (true) {
            char first = rest.isEmpty() ? '.' : rest.charAt(0);
            int end;
            if (first == '`' || first == '"') {
                StringBuilder literal = new StringBuilder();
                end = 1;
                while (end < rest.length()) {
                    if (rest.charAt(end) != first) {
                        literal.append(rest.charAt(end++));
                    } else if (end + 1 < rest.length() && rest.charAt(end + 1) == first) {
                        literal.append(first);
                        end += 2;
                    } else {
                        break;
                    }
                }
                if (end == rest.length()) {
                    throw invalid(text);
                }
                end++;
                parts.add(new Part(literal.toString(), null));
            } else {
                end = rest.indexOf('.');
                end = end < 0 ? rest.length() : end;
                parts.add(part(rest.substring(0, end)));
            }
            if (parts.getLast().text().isEmpty() || parts.size() > most) {
                throw invalid(text);
            }
            if (end == rest.length()) {
                return new MySqlName(text, List.copyOf(parts));
            }
            if (rest.charAt(end) != '.') {
                throw invalid(text);
            }
            rest = rest.substring(end + 1);
        }
    }

    private static Part part(String text) {
        if (text.indexOf('*') < 0 && text.indexOf('?') < 0) {
            return new Part(text, null);
        }
        StringBuilder regex = new StringBuilder();
        for (char next : text.toCharArray()) {
            regex.append(next == '*' ? ".*" : next == '?' ? "." : Pattern.quote(String.valueOf(next)));
        }
        return new Part(text, Pattern.compile(regex.toString(), Pattern.DOTALL));
    }

    private static QueryException invalid(String text) {
        return new QueryException(SqlState.INVALID_PARAMETER_VALUE, "\"" + text + "\" is no name of a table or column");
    }

    /// Whether it is one name, without wildcards.
    boolean isExact() {
        return parts.stream().allMatch(part -> part.pattern() == null);
    }

    /// Whether a table is meant: one of `database` where the name has no database.
    boolean isTable(String database, String tableDatabase, String table) {
        return parts.getLast().matches(table)
                && (parts.size() == 1
                        ? tableDatabase.equals(database)
                        : parts.getFirst().matches(tableDatabase));
    }

    /// Columns that were named: `column`, `table.column` or `database.table.column`.
    ///
    /// - Errors: `QueryException` 22023 for what is no name.
    static ColumnFilter filter(String purpose, List<String> texts) {
        return new ColumnFilter(
                purpose, texts.stream().map(text -> parse(text, 3)).toList());
    }

    /// Whether a column is meant; columns' names have no case.
    @Override
    public boolean isColumn(String database, String table, String column) {
        String[] name = {database, table, column};
        for (int index = 1; index <= parts.size(); index++) {
            String mine = parts.get(parts.size() - index).text();
            String other = name[name.length - index];
            boolean isEqual = index == 1
                    ? mine.toLowerCase(Locale.ROOT).equals(other.toLowerCase(Locale.ROOT))
                    : mine.equals(other);
            if (!isEqual) {
                return false;
            }
        }
        return true;
    }
}
