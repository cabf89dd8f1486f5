package dev.quarrel.core.pg;

import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/// One-dimensional arrays in PostgreSQL's text form, `{a,"b c",NULL}`.
///
/// - Source: PostgreSQL's `array_in` and `array_out`.
public final class ArrayText {
    private static final byte[] NULL = "NULL".getBytes(StandardCharsets.US_ASCII);

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

    /// The array of these elements; null ones are NULL.
    public static String format(List<String> elements) {
        TextBuffer text = new TextBuffer();
        text.append('{');
        for (String element : elements) {
            if (text.length() > 1) {
                text.append(',');
            }
            if (element == null) {
                text.appendAscii("NULL");
            } else {
                byte[] bytes = element.getBytes(StandardCharsets.UTF_8);
                appendElement(bytes, bytes.length, text);
            }
        }
        text.append('}');
        return text.toString();
    }

    /// Appends an element, in quotes if it is empty or `NULL`, or has a quote, backslash, brace, comma or blank.
    public static void appendElement(byte[] element, int length, TextBuffer out) {
        if (!needsQuotes(element, length)) {
            out.append(MemorySegment.ofArray(element), 0, length);
            return;
        }
        out.append('"');
        for (int index = 0; index < length; index++) {
            if (element[index] == '"' || element[index] == '\\') {
                out.append('\\');
            }
            out.append(element[index]);
        }
        out.append('"');
    }

    private static boolean needsQuotes(byte[] element, int length) {
        boolean isNull = length == NULL.length;
        for (int index = 0; index < length; index++) {
            byte each = element[index];
            switch (each) {
                case '"', '\\', '{', '}', ',', ' ', '\t', '\n', '\r', 0x0B, '\f' -> {
                    return true;
                }
                default -> isNull = isNull && (each & ~0x20) == NULL[index];
            }
        }
        return isNull || length == 0;
    }

    private static QueryException malformed(String text) {
        return new QueryException(SqlState.INVALID_TEXT_REPRESENTATION, "malformed array literal: \"" + text + "\"");
    }
}
