package dev.quarrel.core.pg;

import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/// The text forms of bytea: hex (`\x00ff`) and escape (`\000\377`), and base 64.
///
/// - Source: PostgreSQL's `bytea.c` and `encode.c`.
public final class ByteaFormat {
    private static final byte[] DIGITS = "0123456789abcdef".getBytes(StandardCharsets.US_ASCII);
    private static final byte[] BASE64 =
            "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".getBytes(StandardCharsets.US_ASCII);
    private static final int LINE = 76;

    private ByteaFormat() {}

    /// Writes two digits a byte; `to` has the room.
    public static void hex(byte[] from, int start, int length, byte[] to, int place) {
        for (int index = 0; index < length; index++) {
            to[place + 2 * index] = DIGITS[from[start + index] >> 4 & 0xF];
            to[place + 2 * index + 1] = DIGITS[from[start + index] & 0xF];
        }
    }

    /// The digit of a value below 16.
    static byte digit(int value) {
        return DIGITS[value];
    }

    /// Appends what `bytea_output = escape` shows: a backslash doubled, what is not printable ASCII in octal.
    ///
    /// @param onlyHigh leaves control characters as they are, as `encode(…, 'escape')` does (but for zero bytes)
    public static void escape(byte[] from, int start, int length, boolean onlyHigh, TextBuffer out) {
        for (int index = start; index < start + length; index++) {
            int value = from[index] & 0xFF;
            if (value == '\\') {
                out.append('\\');
                out.append('\\');
            } else if (onlyHigh ? value == 0 || value > 0x7F : value < 0x20 || value > 0x7E) {
                out.append('\\');
                out.append((byte) ('0' + (value >> 6)));
                out.append((byte) ('0' + (value >> 3 & 7)));
                out.append((byte) ('0' + (value & 7)));
            } else {
                out.append((byte) value);
            }
        }
    }

    /// Appends base 64 with a line feed after every 76 characters but the last.
    static void base64(byte[] from, int start, int length, TextBuffer out) {
        int line = 0;
        for (int index = 0; index < length; index += 3) {
            int count = Math.min(3, length - index);
            int word = (from[start + index] & 0xFF) << 16
                    | (count > 1 ? from[start + index + 1] & 0xFF : 0) << 8
                    | (count > 2 ? from[start + index + 2] & 0xFF : 0);
            if (line == LINE) {
                out.append('\n');
                line = 0;
            }
            out.append(BASE64[word >> 18]);
            out.append(BASE64[word >> 12 & 63]);
            out.append(count > 1 ? BASE64[word >> 6 & 63] : (byte) '=');
            out.append(count > 2 ? BASE64[word & 63] : (byte) '=');
            line += 4;
        }
    }

    /// `encode(bytes, format)`.
    ///
    /// - Errors: 22023 for an unknown format.
    public static void encode(byte[] from, int start, int length, String format, TextBuffer out) {
        switch (Format.named(format)) {
            case HEX -> {
                for (int index = start; index < start + length; index++) {
                    out.append(DIGITS[from[index] >> 4 & 0xF]);
                    out.append(DIGITS[from[index] & 0xF]);
                }
            }
            case BASE64 -> base64(from, start, length, out);
            case ESCAPE -> escape(from, start, length, true, out);
        }
    }

    /// `decode(text, format)`.
    ///
    /// - Errors: 22023 for an unknown format and for bad hex or base 64, 22P02 for a bad escape.
    public static byte[] decode(byte[] text, int start, int length, String format) {
        return switch (Format.named(format)) {
            case HEX -> unhex(text, start, start + length);
            case BASE64 -> unbase64(text, start, start + length);
            case ESCAPE -> unescape(text, start, start + length);
        };
    }

    private enum Format {
        HEX,
        BASE64,
        ESCAPE;

        static Format named(String name) {
            for (Format format : values()) {
                if (format.name().equalsIgnoreCase(name)) {
                    return format;
                }
            }
            throw invalid("unrecognized encoding: \"" + name + "\"");
        }
    }

    /// Reads what the cast from text takes: hex after `\x`, else the escape form.
    static byte[] parse(String text) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        boolean isHex = bytes.length >= 2 && bytes[0] == '\\' && bytes[1] == 'x';
        return isHex ? unhex(bytes, 2, bytes.length) : unescape(bytes, 0, bytes.length);
    }

    private static boolean isBlank(byte value) {
        return value == ' ' || value == '\n' || value == '\t' || value == '\r';
    }

    private static byte[] unhex(byte[] text, int start, int end) {
        byte[] out = new byte[(end - start) / 2];
        int count = 0;
        int at = start;
        while (at < end) {
            if (isBlank(text[at])) {
                at++;
                continue;
            }
            int high = hexDigit(text, at, end);
            at++;
            if (at >= end) {
                throw invalid("invalid hexadecimal data: odd number of digits");
            }
            out[count++] = (byte) (high << 4 | hexDigit(text, at, end));
            at++;
        }
        return count == out.length ? out : Arrays.copyOf(out, count);
    }

    private static int hexDigit(byte[] text, int at, int end) {
        int digit = Character.digit(text[at], 16);
        if (text[at] < 0 || digit < 0) {
            throw invalid("invalid hexadecimal digit: \"" + character(text, at, end) + "\"");
        }
        return digit;
    }

    /// The UTF-8 character that starts at `at`.
    private static String character(byte[] text, int at, int end) {
        int width = text[at] >= 0 ? 1 : Integer.numberOfLeadingZeros(~text[at] << 24);
        return new String(text, at, Math.min(width, end - at), StandardCharsets.UTF_8);
    }

    private static byte[] unescape(byte[] text, int start, int end) {
        byte[] out = new byte[end - start];
        int count = 0;
        for (int at = start; at < end; at++) {
            byte value = text[at];
            if (value == '\\') {
                if (at + 1 < end && text[at + 1] == '\\') {
                    at++;
                } else if (at + 3 < end
                        && text[at + 1] >= '0'
                        && text[at + 1] <= '3'
                        && isOctal(text[at + 2])
                        && isOctal(text[at + 3])) {
                    value = (byte) (text[at + 1] - '0' << 6 | text[at + 2] - '0' << 3 | text[at + 3] - '0');
                    at += 3;
                } else {
                    throw new QueryException(
                            SqlState.INVALID_TEXT_REPRESENTATION, "invalid input syntax for type bytea");
                }
            }
            out[count++] = value;
        }
        return count == out.length ? out : Arrays.copyOf(out, count);
    }

    private static boolean isOctal(byte value) {
        return value >= '0' && value <= '7';
    }

    private static byte[] unbase64(byte[] text, int start, int end) {
        byte[] out = new byte[(end - start) / 4 * 3 + 3];
        int count = 0;
        int word = 0;
        int digits = 0;
        int padding = 0;
        for (int at = start; at < end; at++) {
            byte symbol = text[at];
            if (isBlank(symbol)) {
                continue;
            }
            int value;
            if (symbol == '=') {
                if (padding == 0) {
                    if (digits != 2 && digits != 3) {
                        throw invalid("unexpected \"=\" while decoding base64 sequence");
                    }
                    padding = 4 - digits;
                }
                value = 0;
            } else {
                value = padding > 0 ? -1 : base64Value(symbol);
                if (value < 0) {
                    throw invalid(
                            "invalid symbol \"" + character(text, at, end) + "\" found while decoding base64 sequence");
                }
            }
            word = word << 6 | value;
            if (++digits == 4) {
                out[count++] = (byte) (word >> 16);
                if (padding < 2) {
                    out[count++] = (byte) (word >> 8);
                }
                if (padding < 1) {
                    out[count++] = (byte) word;
                }
                word = 0;
                digits = 0;
            }
        }
        if (digits != 0) {
            throw invalid("invalid base64 end sequence")
                    .withHint("Input data is missing padding, is truncated, or is otherwise corrupted.");
        }
        return Arrays.copyOf(out, count);
    }

    private static int base64Value(byte symbol) {
        if (symbol >= 'A' && symbol <= 'Z') {
            return symbol - 'A';
        }
        if (symbol >= 'a' && symbol <= 'z') {
            return symbol - 'a' + 26;
        }
        if (symbol >= '0' && symbol <= '9') {
            return symbol - '0' + 52;
        }
        return symbol == '+' ? 62 : symbol == '/' ? 63 : -1;
    }

    private static QueryException invalid(String message) {
        return new QueryException(SqlState.INVALID_PARAMETER_VALUE, message);
    }
}
