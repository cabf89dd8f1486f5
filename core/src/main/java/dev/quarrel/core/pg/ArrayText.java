package dev.quarrel.core.pg;

import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/// Reads and writes arrays in PostgreSQL's text form, `{a,"b c",NULL}`.
///
/// - Source: PostgreSQL's `array_in` and `array_out`.
public final class ArrayText {
    private static final byte[] NULL = "NULL".getBytes(StandardCharsets.US_ASCII);

    private ArrayText() {}

    /// An array of any number of dimensions.
    ///
    /// @param lengths one a dimension, the outermost first; empty for an array without elements
    /// @param firsts the number of the first element, one a dimension
    /// @param elements row by row; null for NULL
    public record Nested(List<Integer> lengths, List<Integer> firsts, List<String> elements) {
        /// Appends the array's text, each element that is not NULL by way of `writer`.
        public void append(TextBuffer out, Consumer<String> writer) {
            if (firsts.stream().anyMatch(first -> first != 1)) {
                for (int dimension = 0; dimension < lengths.size(); dimension++) {
                    int first = firsts.get(dimension);
                    out.appendAscii("[" + first + ":" + (first + lengths.get(dimension) - 1) + "]");
                }
                out.append('=');
            }
            append(0, 0, out, writer);
        }

        private int append(int dimension, int from, TextBuffer out, Consumer<String> writer) {
            int next = from;
            out.append('{');
            for (int index = 0; !lengths.isEmpty() && index < lengths.get(dimension); index++) {
                if (index > 0) {
                    out.append(',');
                }
                if (dimension + 1 < lengths.size()) {
                    next = append(dimension + 1, next, out, writer);
                } else {
                    String element = elements.get(next++);
                    if (element == null) {
                        out.appendAscii("NULL");
                    } else {
                        writer.accept(element);
                    }
                }
            }
            out.append('}');
            return next;
        }
    }

    /// Reads what `array_out` writes: `{{1,2},{3,4}}`, `[0:1]={5,6}`.
    ///
    /// - Errors: `QueryException` 22P02 for other text.
    public static Nested parseNested(String text) {
        return new NestedReader(text).read();
    }

    private static final class NestedReader {
        private static final int MAX_DIMENSIONS = 6;

        private final String text;
        private final List<Integer> lengths = new ArrayList<>();
        private final List<Integer> firsts = new ArrayList<>();
        private final List<String> elements = new ArrayList<>();
        private int at;

        NestedReader(String text) {
            this.text = text;
        }

        Nested read() {
            boolean hasBounds = text.startsWith("[");
            while (at < text.length() && text.charAt(at) == '[') {
                int colon = text.indexOf(':', at);
                int end = text.indexOf(']', at);
                if (colon < 0 || end < colon) {
                    throw malformed(text);
                }
                firsts.add(number(at + 1, colon));
                at = end + 1;
            }
            if (hasBounds) {
                expect('=');
            }
            int dimensions = 0;
            while (at + dimensions < text.length() && text.charAt(at + dimensions) == '{') {
                dimensions++;
            }
            if (dimensions == 0 || dimensions > MAX_DIMENSIONS || hasBounds && firsts.size() != dimensions) {
                throw malformed(text);
            }
            if (text.startsWith("{}", at)) {
                at += 2;
            } else {
                for (int dimension = 0; dimension < dimensions; dimension++) {
                    lengths.add(-1);
                    if (!hasBounds) {
                        firsts.add(1);
                    }
                }
                readLevel(0);
            }
            if (at != text.length()) {
                throw malformed(text);
            }
            return new Nested(lengths, firsts, elements);
        }

        private int number(int from, int to) {
            try {
                return Integer.parseInt(text, from, to, 10);
            } catch (NumberFormatException _) {
                throw malformed(text);
            }
        }

        private void readLevel(int dimension) {
            if (dimension > 0 && (at >= text.length() || text.charAt(at) != '{')) {
                throw uneven();
            }
            expect('{');
            int count = 0;
            while (true) {
                if (dimension + 1 < lengths.size()) {
                    readLevel(dimension + 1);
                } else {
                    elements.add(element());
                }
                count++;
                if (at < text.length() && text.charAt(at) == ',') {
                    at++;
                    continue;
                }
                expect('}');
                break;
            }
            if (lengths.get(dimension) >= 0 && lengths.get(dimension) != count) {
                throw uneven();
            }
            lengths.set(dimension, count);
        }

        private String element() {
            StringBuilder element = new StringBuilder();
            boolean isQuoted = at < text.length() && text.charAt(at) == '"';
            at += isQuoted ? 1 : 0;
            while (at < text.length()) {
                char each = text.charAt(at);
                if (isQuoted ? each == '"' : each == ',' || each == '}') {
                    at += isQuoted ? 1 : 0;
                    String value = element.toString();
                    return !isQuoted && value.equals("NULL") ? null : value;
                }
                if (each == '\\' && at + 1 < text.length()) {
                    at++;
                } else if (!isQuoted && each == '{') {
                    throw uneven();
                } else if (!isQuoted && each == '"') {
                    break;
                }
                element.append(text.charAt(at++));
            }
            throw malformed(text);
        }

        private QueryException uneven() {
            return malformed(text).withDetail("Multidimensional arrays must have sub-arrays with matching dimensions.");
        }

        private void expect(char wanted) {
            if (at >= text.length() || text.charAt(at) != wanted) {
                throw malformed(text);
            }
            at++;
        }
    }

    /// Null elements are NULL.
    ///
    /// - Errors: `QueryException` 0A000 for an array of several dimensions or with another first index than
    ///   1, 22P02 for other text.
    public static List<String> parse(String text) {
        String inner = text.strip();
        if (inner.startsWith("[") || inner.startsWith("{{")) {
            throw new QueryException(
                    SqlState.FEATURE_NOT_SUPPORTED,
                    "not supported: an array of several dimensions, or counted from another number than 1, here");
        }
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
        appendElement(element, 0, length, out);
    }

    /// As above, for `length` bytes from `start`.
    public static void appendElement(byte[] bytes, int start, int length, TextBuffer out) {
        if (!needsQuotes(bytes, start, length)) {
            out.append(MemorySegment.ofArray(bytes), start, length);
            return;
        }
        out.append('"');
        for (int index = start; index < start + length; index++) {
            if (bytes[index] == '"' || bytes[index] == '\\') {
                out.append('\\');
            }
            out.append(bytes[index]);
        }
        out.append('"');
    }

    private static boolean needsQuotes(byte[] bytes, int start, int length) {
        boolean isNull = length == NULL.length;
        for (int index = 0; index < length; index++) {
            byte each = bytes[start + index];
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
