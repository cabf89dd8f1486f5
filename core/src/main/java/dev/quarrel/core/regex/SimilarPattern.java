package dev.quarrel.core.regex;

import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;

/// Writes a pattern of SIMILAR TO as a regular expression.
///
/// A pattern of three parts, which the escape character and `"` divide, gets the middle one as its group: as little as
/// possible is for the first part, as much as possible for the second.
///
/// - Source: PostgreSQL's `regexp.c` (similar_escape_internal).
public final class SimilarPattern {
    private final int[] pattern;
    /// -1 for none.
    private final int escape;
    private final StringBuilder out = new StringBuilder("^(?:");
    private int separators;
    private int brackets;
    /// Within brackets: 1 at their beginning, 2 behind a `^` there, 3 or more further on.
    private int place;

    private SimilarPattern(String pattern, int escape) {
        this.pattern = pattern.codePoints().toArray();
        this.escape = escape;
    }

    /// - Errors: 22025 for more than one escape character; 2200C for more than two separators.
    ///
    /// @param escape empty for none; null for the backslash
    public static String expression(String pattern, String escape) {
        if (escape != null && escape.codePointCount(0, escape.length()) > 1) {
            throw new QueryException(SqlState.INVALID_ESCAPE_SEQUENCE, "invalid escape string")
                    .withHint("Escape string must be empty or one character.");
        }
        int character = escape == null ? '\\' : escape.isEmpty() ? -1 : escape.codePointAt(0);
        return new SimilarPattern(pattern, character).translate();
    }

    private String translate() {
        boolean isEscaped = false;
        for (int character : pattern) {
            if (isEscaped) {
                escaped(character);
                isEscaped = false;
            } else if (character == escape) {
                isEscaped = true;
            } else if (brackets > 0) {
                bracketed(character);
            } else {
                plain(character);
            }
        }
        return out.append(")$").toString();
    }

    private void escaped(int character) {
        if (character != '"' || brackets > 0) {
            out.append('\\').appendCodePoint(character);
            place = 3;
            return;
        }
        out.append(
                switch (separators++) {
                    case 0 -> "){1,1}?(";
                    case 1 -> "){1,1}(?:";
                    default ->
                        throw new QueryException(
                                SqlState.INVALID_USE_OF_ESCAPE_CHARACTER,
                                "SQL regular expression may not contain more than two escape-double-quote separators");
                });
    }

    private void bracketed(int character) {
        if (character == '\\') {
            out.append('\\');
        }
        out.appendCodePoint(character);
        if (character == ']' && place > 2) {
            brackets--;
        } else if (character == '[') {
            brackets++;
            place = 3;
        } else if (character == '^') {
            place++;
        } else {
            place = 3;
        }
    }

    private void plain(int character) {
        switch (character) {
            case '[' -> {
                out.append('[');
                brackets = 1;
                place = 1;
            }
            case '%' -> out.append(".*");
            case '_' -> out.append('.');
            case '(' -> out.append("(?:");
            case '\\', '.', '^', '$' -> out.append('\\').appendCodePoint(character);
            default -> out.appendCodePoint(character);
        }
    }
}
