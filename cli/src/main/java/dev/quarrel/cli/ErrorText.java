package dev.quarrel.cli;

import dev.quarrel.cli.rows.DisplayWidth;
import dev.quarrel.core.type.QueryException;

/// An error as psql shows it with `\set VERBOSITY verbose`: code and message, the line with a caret, detail,
/// hint.
final class ErrorText {
    private ErrorText() {}

    /// @param sql the text that positions count in, or null for "show no line"
    static String of(QueryException error, String sql) {
        StringBuilder text = new StringBuilder();
        text.append("ERROR:  ")
                .append(error.state().code())
                .append(": ")
                .append(error.getMessage())
                .append('\n');
        if (sql != null && error.position().isPresent()) {
            appendLine(sql, error.position().getAsInt(), text);
        }
        if (error.detail() != null) {
            text.append("DETAIL:  ").append(error.detail()).append('\n');
        }
        if (error.hint() != null) {
            text.append("HINT:  ").append(error.hint()).append('\n');
        }
        if (error.context() != null) {
            text.append("CONTEXT:  ").append(error.context()).append('\n');
        }
        return text.toString();
    }

    /// @param position 1-based, in characters (not in UTF-16 units)
    private static void appendLine(String sql, int position, StringBuilder text) {
        int codePoints = sql.codePointCount(0, sql.length());
        int at = sql.offsetByCodePoints(0, Math.min(position - 1, codePoints));
        int start = sql.lastIndexOf('\n', at - 1) + 1;
        int end = sql.indexOf('\n', at);
        String line = sql.substring(start, end < 0 ? sql.length() : end)
                .replace('\r', ' ')
                .replace('\t', ' ');
        int lineNumber = 1
                + (int) sql.substring(0, start)
                        .chars()
                        .filter(unit -> unit == '\n')
                        .count();
        String label = "LINE " + lineNumber + ": ";
        int column = label.length() + DisplayWidth.of(line.substring(0, at - start));
        text.append(label).append(line).append('\n').repeat(' ', column).append("^\n");
    }
}
