package dev.quarrel.core.json;

import dev.quarrel.core.type.ByteWords;
import java.nio.charset.StandardCharsets;

/// Reads and writes the strings of JSON texts.
///
/// - Source: PostgreSQL's `escape_json`.
public final class JsonStrings {
    private static final int UNIT_DIGITS = 4;

    private JsonStrings() {}

    /// Where a string stops being as it is written, eight bytes at a time: at a quote, a backslash, or a byte below a
    /// blank, which must be escaped; `end` where none of these comes before.
    public static int findStop(byte[] bytes, int from, int end) {
        int at = from;
        for (; at <= end - Long.BYTES; at += Long.BYTES) {
            long word = ByteWords.get(bytes, at);
            // Bytes behind one that is found may be told wrongly.
            long found = word - ByteWords.ONES * ' ' & ~word & ByteWords.HIGH_BITS
                    | ByteWords.zeros(word ^ ByteWords.ONES * '"')
                    | ByteWords.zeros(word ^ ByteWords.ONES * '\\');
            if (found != 0) {
                return at + (Long.numberOfTrailingZeros(found) >>> 3);
            }
        }
        while (at < end && bytes[at] != '"' && bytes[at] != '\\' && (bytes[at] < 0 || bytes[at] >= ' ')) {
            at++;
        }
        return at;
    }

    /// The characters between the quotes of a string that is known to be right.
    static String decode(byte[] bytes, int from, int to) {
        String raw = new String(bytes, from + 1, to - from - 2, StandardCharsets.UTF_8);
        if (raw.indexOf('\\') < 0) {
            return raw;
        }
        StringBuilder text = new StringBuilder(raw.length());
        for (int index = 0; index < raw.length(); index++) {
            char each = raw.charAt(index);
            if (each != '\\') {
                text.append(each);
                continue;
            }
            char escaped = raw.charAt(++index);
            switch (escaped) {
                case 'b' -> text.append('\b');
                case 'f' -> text.append('\f');
                case 'n' -> text.append('\n');
                case 'r' -> text.append('\r');
                case 't' -> text.append('\t');
                case 'u' -> {
                    text.append((char) Integer.parseInt(raw, index + 1, index + 5, 16));
                    index += 4;
                }
                default -> text.append(escaped);
            }
        }
        return text.toString();
    }

    /// The characters of a string that [#append] wrote, or another that is right.
    public static String decode(String written) {
        byte[] bytes = written.getBytes(StandardCharsets.UTF_8);
        return decode(bytes, 0, bytes.length);
    }

    /// Decodes a string that is known to be right in its place, which is long enough. Half a surrogate pair is U+FFFD.
    ///
    /// @param from behind the first quote
    /// @param to at the second
    /// @return where the text ends, in UTF-8
    public static int decodeInPlace(byte[] bytes, int from, int to) {
        int out = from;
        int at = from;
        while (at < to) {
            byte each = bytes[at++];
            if (each != '\\') {
                bytes[out++] = each;
                continue;
            }
            byte escaped = bytes[at++];
            switch (escaped) {
                case 'b' -> bytes[out++] = '\b';
                case 'f' -> bytes[out++] = '\f';
                case 'n' -> bytes[out++] = '\n';
                case 'r' -> bytes[out++] = '\r';
                case 't' -> bytes[out++] = '\t';
                case 'u' -> {
                    int unit = unit(bytes, at);
                    at += UNIT_DIGITS;
                    int point = unit;
                    if (Character.isSurrogate((char) unit)) {
                        boolean isPair = Character.isHighSurrogate((char) unit)
                                && at + 2 + UNIT_DIGITS <= to
                                && bytes[at] == '\\'
                                && bytes[at + 1] == 'u'
                                && Character.isLowSurrogate((char) unit(bytes, at + 2));
                        point = isPair ? Character.toCodePoint((char) unit, (char) unit(bytes, at + 2)) : 0xFFFD;
                        at += isPair ? 2 + UNIT_DIGITS : 0;
                    }
                    out = put(point, bytes, out);
                }
                default -> bytes[out++] = escaped;
            }
        }
        return out;
    }

    private static int unit(byte[] bytes, int at) {
        int unit = 0;
        for (int index = at; index < at + UNIT_DIGITS; index++) {
            unit = unit << 4 | Character.digit(bytes[index], 16);
        }
        return unit;
    }

    /// Writes a character in UTF-8.
    private static int put(int point, byte[] bytes, int at) {
        int out = at;
        if (point < 0x80) {
            bytes[out++] = (byte) point;
            return out;
        }
        if (point < 0x800) {
            bytes[out++] = (byte) (0xC0 | point >>> 6);
        } else {
            if (point < 0x10000) {
                bytes[out++] = (byte) (0xE0 | point >>> 12);
            } else {
                bytes[out++] = (byte) (0xF0 | point >>> 18);
                bytes[out++] = (byte) (0x80 | point >>> 12 & 0x3F);
            }
            bytes[out++] = (byte) (0x80 | point >>> 6 & 0x3F);
        }
        bytes[out++] = (byte) (0x80 | point & 0x3F);
        return out;
    }

    public static void append(String text, StringBuilder out) {
        out.append('"');
        for (int index = 0; index < text.length(); index++) {
            char each = text.charAt(index);
            switch (each) {
                case '\b' -> out.append("\\b");
                case '\f' -> out.append("\\f");
                case '\n' -> out.append("\\n");
                case '\r' -> out.append("\\r");
                case '\t' -> out.append("\\t");
                case '"' -> out.append("\\\"");
                case '\\' -> out.append("\\\\");
                default -> {
                    if (each < ' ') {
                        out.append("\\u%04x".formatted((int) each));
                    } else {
                        out.append(each);
                    }
                }
            }
        }
        out.append('"');
    }
}
