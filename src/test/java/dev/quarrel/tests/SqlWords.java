package dev.quarrel.tests;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/// The names in a SQL text, and where strings and comments end: as much of PostgreSQL's lexer as one needs to tell what
/// a statement speaks of.
final class SqlWords {
    /// @param name folded as PostgreSQL folds it
    /// @param depth of parentheses
    /// @param isCalled whether a parenthesis follows
    record Word(String name, int depth, boolean isCalled) {}

    private SqlWords() {}

    static List<Word> of(String sql) {
        List<Word> words = new ArrayList<>();
        int depth = 0;
        int at = 0;
        while (at < sql.length()) {
            char here = sql.charAt(at);
            int end = endOfQuoted(sql, at);
            if (end > at) {
                if (here == '"') {
                    String name = sql.substring(at + 1, end - 1).replace("\"\"", "\"");
                    words.add(new Word(name, depth, isCalled(sql, end)));
                }
            } else if (isNameStart(here)) {
                end = endOfName(sql, at);
                words.add(new Word(sql.substring(at, end).toLowerCase(Locale.ROOT), depth, isCalled(sql, end)));
            } else {
                depth += here == '(' ? 1 : here == ')' ? -1 : 0;
                end = at + 1;
                while (Character.isDigit(here) && end < sql.length() && Character.isLetterOrDigit(sql.charAt(end))) {
                    end++;
                }
            }
            at = end;
        }
        return words;
    }

    private static boolean isCalled(String sql, int end) {
        int next = end;
        while (next < sql.length() && Character.isWhitespace(sql.charAt(next))) {
            next++;
        }
        return next < sql.length() && sql.charAt(next) == '(';
    }

    static boolean isNameStart(char each) {
        return Character.isLetter(each) || each == '_' || each >= 0x80;
    }

    static int endOfName(String sql, int start) {
        int end = start;
        while (end < sql.length()
                && (isNameStart(sql.charAt(end)) || Character.isDigit(sql.charAt(end)) || sql.charAt(end) == '$')) {
            end++;
        }
        // E'', B'', X'' and N'' are one constant with their quotes; the caller goes on at the quote.
        return end;
    }

    /// The end of the string, quoted name or comment that begins here, or `start` itself.
    static int endOfQuoted(String sql, int start) {
        char first = sql.charAt(start);
        if (first == '\'' || first == '"') {
            boolean isEscaped = first == '\''
                    && start > 0
                    && (sql.charAt(start - 1) == 'e' || sql.charAt(start - 1) == 'E')
                    && (start == 1 || endOfName(sql, start - 2) == start - 2);
            return endOfQuotes(sql, start, first, isEscaped);
        }
        if (sql.startsWith("--", start)) {
            int end = sql.indexOf('\n', start);
            return end < 0 ? sql.length() : end;
        }
        if (sql.startsWith("/*", start)) {
            return endOfComment(sql, start);
        }
        return first == '$' ? endOfDollars(sql, start) : start;
    }

    private static int endOfQuotes(String sql, int start, char quote, boolean isEscaped) {
        int at = start + 1;
        while (at < sql.length()) {
            char here = sql.charAt(at);
            if (isEscaped && here == '\\') {
                at += 2;
            } else if (here != quote) {
                at++;
            } else if (at + 1 < sql.length() && sql.charAt(at + 1) == quote) {
                at += 2;
            } else {
                return at + 1;
            }
        }
        return sql.length();
    }

    private static int endOfComment(String sql, int start) {
        int depth = 0;
        int at = start;
        while (at < sql.length()) {
            if (sql.startsWith("/*", at)) {
                depth++;
                at += 2;
            } else if (sql.startsWith("*/", at)) {
                depth--;
                at += 2;
                if (depth == 0) {
                    return at;
                }
            } else {
                at++;
            }
        }
        return sql.length();
    }

    private static int endOfDollars(String sql, int start) {
        int tag = start + 1;
        while (tag < sql.length()
                && (isNameStart(sql.charAt(tag)) || tag > start + 1 && Character.isDigit(sql.charAt(tag)))) {
            tag++;
        }
        if (tag >= sql.length() || sql.charAt(tag) != '$') {
            return start;
        }
        String quote = sql.substring(start, tag + 1);
        int end = sql.indexOf(quote, tag + 1);
        return end < 0 ? sql.length() : end + quote.length();
    }
}
