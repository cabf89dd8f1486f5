package dev.quarrel.core.json;

import java.nio.charset.StandardCharsets;

/// Reads and writes the strings of JSON texts.
///
/// - Source: PostgreSQL's `escape_json`.
public final class JsonStrings {
    private JsonStrings() {}

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
