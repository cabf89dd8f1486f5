package dev.quarrel.server.catalog;

import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/// One-dimensional arrays in PostgreSQL's text form, `{a,"b c",NULL}`.
///
/// - Source: PostgreSQL's `array_in` and `array_out`.
public final class ArrayText {
    private ArrayText() {}

    /// Null elements are NULL.
    ///
    /// - Errors: `QueryException` 22P02 for other text.
    public static List<String> parse(String text) {
        String inner = text.strip();
        if (inner.length() < 2 || inner.charAt(0) != '{' || inner.charAt(inner.length() - 1) != '}') {
            throw malformed(text);
        }
        List<String> elements = new ArrayList<>();
        int at = 1;
        int end = inner.length() - 1;
        if (inner.substring(1, end).isBlank()) {
            return elements;
        }
        while (true) {
            StringBuilder element = new StringBuilder();
            at = skipBlanks(inner, at, end);
            boolean quoted = at < end && inner.charAt(at) == '"';
            if (quoted) {
                at++;
            }
            while (at < end && inner.charAt(at) != (quoted ? '"' : ',')) {
                if (inner.charAt(at) == '\\' && at + 1 < end) {
                    at++;
                } else if (!quoted && (inner.charAt(at) == '{' || inner.charAt(at) == '"')) {
                    throw malformed(text);
                }
                element.append(inner.charAt(at));
                at++;
            }
            if (quoted) {
                if (at >= end) {
                    throw malformed(text);
                }
                at = skipBlanks(inner, at + 1, end);
            }
            String value = quoted ? element.toString() : element.toString().strip();
            elements.add(!quoted && value.equalsIgnoreCase("null") ? null : value);
            if (at >= end) {
                return elements;
            }
            if (inner.charAt(at) != ',') {
                throw malformed(text);
            }
            at++;
        }
    }

    private static int skipBlanks(String text, int from, int end) {
        int at = from;
        while (at < end && Character.isWhitespace(text.charAt(at))) {
            at++;
        }
        return at;
    }

    static String format(List<String> elements) {
        StringBuilder text = new StringBuilder("{");
        for (String element : elements) {
            if (text.length() > 1) {
                text.append(',');
            }
            text.append(element == null ? "NULL" : quoted(element));
        }
        return text.append('}').toString();
    }

    private static String quoted(String element) {
        boolean plain = !element.isEmpty()
                && !element.toLowerCase(Locale.ROOT).equals("null")
                && element.chars().noneMatch(c -> c <= ' ' || "{},\"\\".indexOf(c) >= 0);
        return plain ? element : '"' + element.replace("\\", "\\\\").replace("\"", "\\\"") + '"';
    }

    private static QueryException malformed(String text) {
        return new QueryException(SqlState.INVALID_TEXT_REPRESENTATION, "malformed array literal: \"" + text + "\"");
    }
}
