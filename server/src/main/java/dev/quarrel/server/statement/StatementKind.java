package dev.quarrel.server.statement;

import java.util.Locale;

/// What sort of statement one is, by its first word: so many that they can be labels of counters.
public enum StatementKind {
    SELECT,
    COPY,
    EXPLAIN,
    SHOW,
    SET,
    TRANSACTION,
    CURSOR,
    PREPARE,
    OTHER;

    private static final int LONGEST_WORD = 16;

    private final String label = name().toLowerCase(Locale.ROOT);

    public String label() {
        return label;
    }

    public static StatementKind of(String text) {
        return switch (firstWord(text)) {
            case "select", "with", "values", "table" -> SELECT;
            case "copy" -> COPY;
            case "explain" -> EXPLAIN;
            case "show" -> SHOW;
            case "set", "reset", "discard" -> SET;
            case "begin", "start", "commit", "end", "rollback", "abort", "savepoint", "release" -> TRANSACTION;
            case "declare", "fetch", "move", "close" -> CURSOR;
            case "prepare", "execute", "deallocate" -> PREPARE;
            default -> OTHER;
        };
    }

    /// Behind blanks, comments and opening parentheses.
    private static String firstWord(String text) {
        int at = 0;
        while (at < text.length()) {
            char character = text.charAt(at);
            if (Character.isWhitespace(character) || character == '(') {
                at++;
            } else if (text.startsWith("--", at)) {
                int end = text.indexOf('\n', at);
                at = end < 0 ? text.length() : end + 1;
            } else if (text.startsWith("/*", at)) {
                at = endOfComment(text, at);
            } else {
                break;
            }
        }
        int end = at;
        while (end < text.length() && end - at <= LONGEST_WORD && Character.isLetter(text.charAt(end))) {
            end++;
        }
        return text.substring(at, end).toLowerCase(Locale.ROOT);
    }

    private static int endOfComment(String text, int start) {
        int depth = 0;
        for (int at = start; at < text.length(); at++) {
            if (text.startsWith("/*", at)) {
                depth++;
                at++;
            } else if (text.startsWith("*/", at)) {
                depth--;
                at++;
                if (depth == 0) {
                    return at + 1;
                }
            }
        }
        return text.length();
    }
}
