package dev.quarrel.core.pg;

import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;
import java.util.Arrays;
import java.util.function.Function;

/// Reads an array as users write it, `{1, "b c", null}` or `[0:1]={{a},{b}}`, and writes it as `array_out` does.
///
/// - Source: PostgreSQL's `array_in`.
public final class ArrayInput {
    private static final int MAX_DIMENSIONS = 6;
    private static final int UNKNOWN = -1;

    private final String text;
    private final Function<String, String> reader;
    private int at;
    private int dimensions;
    private boolean isBounded;
    private final int[] lengths = new int[MAX_DIMENSIONS];
    private final int[] firsts = new int[MAX_DIMENSIONS];
    private final StringBuilder item = new StringBuilder();
    private final ArrayText.Nested array =
            new ArrayText.Nested(new java.util.ArrayList<>(), new java.util.ArrayList<>(), new java.util.ArrayList<>());

    private ArrayInput(String text, Function<String, String> reader) {
        this.text = text;
        this.reader = reader;
        Arrays.fill(lengths, UNKNOWN);
        Arrays.fill(firsts, 1);
    }

    /// The array as it is held.
    ///
    /// - Errors: 22P02 for what is no array, and those of the elements.
    public static String read(String text, PgType.Declared element, PgParse.Moment moment) {
        ArrayText.Nested read = parse(text, each -> PgText.text(PgParse.literal(each, element, moment)));
        TextBuffer out = new TextBuffer();
        read.append(out, each -> {
            byte[] bytes = each.getBytes(java.nio.charset.StandardCharsets.UTF_8);
            ArrayText.appendElement(bytes, bytes.length, out);
        });
        return out.toString();
    }

    /// The elements, each as `reader` reads it.
    public static ArrayText.Nested parse(String text, Function<String, String> reader) {
        return new ArrayInput(text, reader).read();
    }

    private enum Token {
        OPEN,
        CLOSE,
        DELIMITER,
        ELEMENT,
        NULL
    }

    private ArrayText.Nested read() {
        readBounds();
        if (dimensions == 0) {
            if (peek() != '{') {
                throw malformed("Array value must start with \"{\" or dimension information.");
            }
        } else {
            if (peek() != '=') {
                throw malformed("Missing \"=\" after array dimensions.");
            }
            at++;
            skipBlanks();
            if (peek() != '{') {
                throw malformed("Array contents must start with \"{\".");
            }
        }
        readItems();
        while (at < text.length()) {
            if (!isBlank(text.charAt(at++))) {
                throw malformed("Junk after closing right brace.");
            }
        }
        for (int dimension = 0; !array.elements().isEmpty() && dimension < dimensions; dimension++) {
            array.lengths().add(lengths[dimension]);
            array.firsts().add(firsts[dimension]);
        }
        return array;
    }

    /// `[2]` or `[0:2]`, one a dimension.
    private void readBounds() {
        while (true) {
            skipBlanks();
            if (peek() != '[') {
                break;
            }
            at++;
            if (dimensions >= MAX_DIMENSIONS) {
                throw tooManyDimensions();
            }
            Integer bound = readInteger();
            if (bound == null) {
                throw malformed("\"[\" must introduce explicitly-specified array dimensions.");
            }
            int first = 1;
            int last = bound;
            if (peek() == ':') {
                at++;
                first = bound;
                Integer upper = readInteger();
                if (upper == null) {
                    throw malformed("Missing array dimension value.");
                }
                last = upper;
            }
            if (peek() != ']') {
                throw malformed("Missing \"]\" after array dimensions.");
            }
            at++;
            if (last < first) {
                throw new QueryException(SqlState.ARRAY_SUBSCRIPT_ERROR, "upper bound cannot be less than lower bound");
            }
            if (last == Integer.MAX_VALUE) {
                throw new QueryException(SqlState.PROGRAM_LIMIT_EXCEEDED, "array upper bound is too large: " + last);
            }
            if ((long) last - first + 1 > Integer.MAX_VALUE) {
                throw new QueryException(
                        SqlState.PROGRAM_LIMIT_EXCEEDED, "array size exceeds the maximum allowed (134217727)");
            }
            lengths[dimensions] = last - first + 1;
            firsts[dimensions++] = first;
            isBounded = true;
        }
    }

    /// A number, or null where there is none.
    private Integer readInteger() {
        int from = at;
        if (peek() == '-' || peek() == '+') {
            at++;
        }
        int digits = at;
        while (peek() >= '0' && peek() <= '9') {
            at++;
        }
        if (at == digits) {
            at = from;
            return null;
        }
        try {
            return Integer.parseInt(text, from, at, 10);
        } catch (NumberFormatException _) {
            throw new QueryException(SqlState.PROGRAM_LIMIT_EXCEEDED, "array bound is out of integer range");
        }
    }

    private void readItems() {
        int[] counts = new int[MAX_DIMENSIONS];
        int level = 0;
        boolean isFrozen = isBounded;
        boolean expectsDelimiter = false;
        do {
            Token token = next();
            switch (token) {
                case OPEN -> {
                    if (expectsDelimiter) {
                        throw malformed("Unexpected \"{\" character.");
                    }
                    if (level >= MAX_DIMENSIONS) {
                        throw tooManyDimensions();
                    }
                    counts[level++] = 0;
                    if (level > dimensions) {
                        if (isFrozen) {
                            throw mismatch();
                        }
                        dimensions = level;
                    }
                }
                case CLOSE -> {
                    if (counts[level - 1] > 0 && !expectsDelimiter) {
                        throw malformed("Unexpected \"}\" character.");
                    }
                    level--;
                    if (level > 0) {
                        counts[level - 1]++;
                    }
                    if (lengths[level] < 0) {
                        lengths[level] = counts[level];
                    } else if (counts[level] != lengths[level]) {
                        throw mismatch();
                    }
                    expectsDelimiter = true;
                }
                case DELIMITER -> {
                    if (!expectsDelimiter) {
                        throw malformed("Unexpected \",\" character.");
                    }
                    expectsDelimiter = false;
                }
                case ELEMENT, NULL -> {
                    if (expectsDelimiter) {
                        throw malformed("Unexpected array element.");
                    }
                    array.elements().add(token == Token.NULL ? null : reader.apply(item.toString()));
                    isFrozen = true;
                    if (level != dimensions) {
                        throw mismatch();
                    }
                    counts[level - 1]++;
                    expectsDelimiter = true;
                }
            }
        } while (level > 0);
    }

    private Token next() {
        item.setLength(0);
        skipBlanks();
        if (at >= text.length()) {
            throw ended();
        }
        return switch (text.charAt(at)) {
            case '{' -> {
                at++;
                yield Token.OPEN;
            }
            case '}' -> {
                at++;
                yield Token.CLOSE;
            }
            case ',' -> {
                at++;
                yield Token.DELIMITER;
            }
            case '"' -> {
                at++;
                yield quoted();
            }
            default -> plain();
        };
    }

    private Token quoted() {
        while (true) {
            if (at >= text.length()) {
                throw ended();
            }
            char each = text.charAt(at++);
            if (each == '\\') {
                if (at >= text.length()) {
                    throw ended();
                }
                item.append(text.charAt(at++));
            } else if (each == '"') {
                skipBlanks();
                if (at >= text.length()) {
                    throw ended();
                }
                if (peek() != ',' && peek() != '}' && peek() != '{') {
                    throw malformed("Incorrectly quoted array element.");
                }
                return Token.ELEMENT;
            } else {
                item.append(each);
            }
        }
    }

    private Token plain() {
        int kept = 0;
        boolean hasEscapes = false;
        while (true) {
            if (at >= text.length()) {
                throw ended();
            }
            char each = text.charAt(at);
            switch (each) {
                case '{' -> throw malformed("Unexpected \"{\" character.");
                case '"' -> throw malformed("Incorrectly quoted array element.");
                case '\\' -> {
                    if (at + 1 >= text.length()) {
                        throw ended();
                    }
                    item.append(text.charAt(at + 1));
                    at += 2;
                    kept = item.length();
                    hasEscapes = true;
                }
                case ',', '}' -> {
                    item.setLength(kept);
                    return !hasEscapes && item.toString().equalsIgnoreCase("null") ? Token.NULL : Token.ELEMENT;
                }
                default -> {
                    item.append(each);
                    kept = isBlank(each) ? kept : item.length();
                    at++;
                }
            }
        }
    }

    private char peek() {
        return at < text.length() ? text.charAt(at) : 0;
    }

    private void skipBlanks() {
        while (at < text.length() && isBlank(text.charAt(at))) {
            at++;
        }
    }

    private static boolean isBlank(char each) {
        return each == ' ' || each >= '\t' && each <= '\r';
    }

    private QueryException mismatch() {
        return malformed(
                isBounded
                        ? "Specified array dimensions do not match array contents."
                        : "Multidimensional arrays must have sub-arrays with matching dimensions.");
    }

    private QueryException ended() {
        return malformed("Unexpected end of input.");
    }

    private static QueryException tooManyDimensions() {
        return new QueryException(
                SqlState.PROGRAM_LIMIT_EXCEEDED, "number of array dimensions exceeds the maximum allowed (6)");
    }

    private QueryException malformed(String detail) {
        return new QueryException(SqlState.INVALID_TEXT_REPRESENTATION, "malformed array literal: \"" + text + "\"")
                .withDetail(detail);
    }
}
