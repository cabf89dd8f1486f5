package dev.quarrel.core.cpu.function;

import dev.quarrel.core.pg.Identifiers;
import dev.quarrel.core.pg.PgParse;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;

/// Writes values into a text where its specifiers `%[position$][-][width]type` stand, as `format()` does.
///
/// - Errors: 22023 for a wrong specifier; 22003 for a number out of range; 22004 for NULL as an identifier.
/// - Source: PostgreSQL's `varlena.c` (text_format).
final class TextFormat {
    private static final String NUMBERED_FROM_1 = "format specifies argument 0, but arguments are numbered from 1";

    private final String format;
    private final String[] values;
    private final StringBuilder out = new StringBuilder();
    private int at;
    /// The value that comes next, from 1.
    private int next = 1;

    /// @param values null for NULL
    TextFormat(String format, String[] values) {
        this.format = format;
        this.values = values;
    }

    String write() {
        while (at < format.length()) {
            char character = format.charAt(at++);
            if (character != '%') {
                out.append(character);
            } else if (character() == '%') {
                out.append('%');
                at++;
            } else {
                specifier();
            }
        }
        return out.toString();
    }

    private static QueryException wrong(String message) {
        return new QueryException(SqlState.INVALID_PARAMETER_VALUE, message);
    }

    private char character() {
        if (at >= format.length()) {
            throw wrong("unterminated format() type specifier").withHint("For a single \"%\" use \"%%\".");
        }
        return format.charAt(at);
    }

    /// A number; -1 where no digit is.
    private int number() {
        long number = -1;
        while (character() >= '0' && character() <= '9') {
            number = Math.max(number, 0) * 10 + character() - '0';
            if (number > Integer.MAX_VALUE) {
                throw outOfRange();
            }
            at++;
        }
        return (int) number;
    }

    private static QueryException outOfRange() {
        return new QueryException(SqlState.NUMERIC_VALUE_OUT_OF_RANGE, "number is out of range");
    }

    private void specifier() {
        int position = -1;
        int widthPosition = -1;
        boolean isLeft = false;
        int width = number();
        if (width < 0 || character() == '$') {
            if (width >= 0) {
                position = position(width);
            }
            for (; character() == '-'; at++) {
                isLeft = true;
            }
            if (character() == '*') {
                at++;
                width = 0;
                widthPosition = number();
                if (widthPosition >= 0) {
                    if (character() != '$') {
                        throw wrong("width argument position must be ended by \"$\"");
                    }
                    position(widthPosition);
                } else {
                    widthPosition = 0;
                }
            } else {
                width = Math.max(number(), 0);
            }
        }
        int type = format.codePointAt(at);
        at += Character.charCount(type);
        if (type != 's' && type != 'I' && type != 'L') {
            throw wrong("unrecognized format() type specifier \"" + Character.toString(type) + "\"")
                    .withHint("For a single \"%\" use \"%%\".");
        }
        if (widthPosition >= 0) {
            String written = value(widthPosition);
            width = written == null ? 0 : PgParse.int4(written);
        }
        append(text(type, value(position)), width, isLeft);
    }

    /// Behind the `$` of a position.
    private int position(int number) {
        if (number == 0) {
            throw wrong(NUMBERED_FROM_1);
        }
        at++;
        return number;
    }

    /// @param position 0 or less for the next one
    private String value(int position) {
        next = position > 0 ? position : next;
        if (next > values.length) {
            throw wrong("too few arguments for format()");
        }
        return values[next++ - 1];
    }

    private static String text(int type, String value) {
        return switch (type) {
            case 's' -> value == null ? "" : value;
            case 'L' -> value == null ? "NULL" : literal(value);
            default -> {
                if (value == null) {
                    throw new QueryException(
                            SqlState.NULL_VALUE_NOT_ALLOWED, "null values cannot be formatted as an SQL identifier");
                }
                yield Identifiers.quoted(value);
            }
        };
    }

    private static String literal(String value) {
        String quoted = "'" + value.replace("\\", "\\\\").replace("'", "''") + "'";
        return value.indexOf('\\') < 0 ? quoted : "E" + quoted;
    }

    private void append(String text, int width, boolean isLeft) {
        if (width == Integer.MIN_VALUE) {
            throw outOfRange();
        }
        int missing = Math.abs(width) - text.codePointCount(0, text.length());
        String blanks = " ".repeat(Math.max(missing, 0));
        out.append(isLeft || width < 0 ? text + blanks : blanks + text);
    }
}
