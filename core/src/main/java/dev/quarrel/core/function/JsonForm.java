package dev.quarrel.core.function;

import dev.quarrel.core.json.JsonStrings;
import dev.quarrel.core.json.JsonValue;
import dev.quarrel.core.pg.ArrayText;
import dev.quarrel.core.pg.PgType;
import java.util.Locale;

/// How the text of a value stands in a JSON text.
///
/// - Source: PostgreSQL's `json.c` (datum_to_json_internal, JsonEncodeDateTime).
public enum JsonForm {
    /// As it is: integers.
    BARE,
    /// `t` and `f` as words.
    BOOL,
    /// As it is where it is JSON's number, else as a string: NaN.
    NUMBER,
    TEXT,
    /// As it is, since it is JSON; as jsonb has it where that is wanted.
    JSON,
    /// A string with `T` between day and time.
    TIMESTAMP,
    /// The same, with the minutes of the zone's offset.
    TIMESTAMPTZ;

    /// The form of a type's values, or of the elements of its arrays.
    ///
    public static JsonForm of(PgType type) {
        return switch (type.isArray() ? type.element() : type) {
            case BOOL -> BOOL;
            case INT2, INT4, INT8 -> BARE;
            case FLOAT4, FLOAT8, NUMERIC, WIDE_NUMERIC -> NUMBER;
            case TIMESTAMP -> TIMESTAMP;
            case TIMESTAMPTZ -> TIMESTAMPTZ;
            case JSON, JSONB -> JSON;
            default -> TEXT;
        };
    }

    /// Its name in the ids of kernels.
    public String id() {
        return name().toLowerCase(Locale.ROOT);
    }

    public void append(String text, boolean isBinary, StringBuilder out) {
        switch (this) {
            case NUMBER -> {
                if (!isNumber(text)) {
                    JsonStrings.append(text, out);
                } else {
                    out.append(isBinary ? JsonValue.read(text).text() : text);
                }
            }
            case BARE -> out.append(text);
            case JSON -> out.append(isBinary ? JsonValue.read(text).text() : text);
            case BOOL -> out.append(plain(text));
            case TEXT, TIMESTAMP, TIMESTAMPTZ -> JsonStrings.append(plain(text), out);
        }
    }

    /// The characters of the string, or of a member's key.
    public String plain(String text) {
        return switch (this) {
            case BARE, NUMBER, TEXT, JSON -> text;
            case BOOL -> text.equals("t") ? "true" : "false";
            case TIMESTAMP -> text.replaceFirst(" ", "T");
            case TIMESTAMPTZ -> withMinutes(text.replaceFirst(" ", "T"));
        };
    }

    private static boolean isNumber(String text) {
        int digit = text.startsWith("-") ? 1 : 0;
        return digit < text.length() && text.charAt(digit) >= '0' && text.charAt(digit) <= '9';
    }

    /// `…T12:00:00+00 BC` with `+00:00`; an infinity has no offset.
    private static String withMinutes(String text) {
        int time = text.indexOf('T');
        int sign = Math.max(text.lastIndexOf('+'), text.lastIndexOf('-'));
        if (time < 0 || sign < time) {
            return text;
        }
        int blank = text.indexOf(' ', sign);
        int end = blank < 0 ? text.length() : blank;
        return text.indexOf(':', sign) >= 0 ? text : text.substring(0, end) + ":00" + text.substring(end);
    }

    /// An array as JSON's, level in level.
    ///
    /// @param array its text
    /// @param separator between the elements of the outermost level
    /// @param inner between those of the others
    public void appendArray(String array, boolean isBinary, String separator, String inner, StringBuilder out) {
        ArrayText.Nested read = ArrayText.parseNested(array);
        if (read.lengths().isEmpty()) {
            out.append("[]");
            return;
        }
        appendLevel(read, 0, 0, isBinary, separator, inner, out);
    }

    private int appendLevel(
            ArrayText.Nested array,
            int level,
            int from,
            boolean isBinary,
            String separator,
            String inner,
            StringBuilder out) {
        int next = from;
        out.append('[');
        for (int index = 0; index < array.lengths().get(level); index++) {
            out.append(index == 0 ? "" : separator);
            if (level + 1 < array.lengths().size()) {
                next = appendLevel(array, level + 1, next, isBinary, inner, inner, out);
            } else {
                appendElement(array.elements().get(next++), isBinary, out);
            }
        }
        out.append(']');
        return next;
    }

    /// @param element null for NULL
    public void appendElement(String element, boolean isBinary, StringBuilder out) {
        if (element == null) {
            out.append("null");
        } else {
            append(element, isBinary, out);
        }
    }
}
