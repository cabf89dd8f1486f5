package dev.quarrel.server.console;

import dev.quarrel.core.json.JsonStrings;
import dev.quarrel.core.json.JsonValue;
import dev.quarrel.core.type.QueryException;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/// Writes answers, and reads what pages send.
final class Json {
    private Json() {}

    /// An object of names and values, in turn; members that are null are written so.
    static Map<String, Object> object(Object... namesAndValues) {
        Map<String, Object> members = new LinkedHashMap<>();
        for (int index = 0; index < namesAndValues.length; index += 2) {
            members.put((String) namesAndValues[index], namesAndValues[index + 1]);
        }
        return members;
    }

    /// The text of maps, lists, arrays of strings, strings, numbers, Booleans and nulls.
    static byte[] bytes(Object value) {
        StringBuilder out = new StringBuilder();
        append(value, out);
        return out.toString().getBytes(StandardCharsets.UTF_8);
    }

    private static void append(Object value, StringBuilder out) {
        switch (value) {
            case null -> out.append("null");
            case String text -> JsonStrings.append(text, out);
            case Double number when !Double.isFinite(number) -> out.append("null");
            case Number number -> out.append(number);
            case Boolean is -> out.append(is);
            case Map<?, ?> members -> {
                String separator = "{";
                for (Map.Entry<?, ?> member : members.entrySet()) {
                    out.append(separator);
                    JsonStrings.append((String) member.getKey(), out);
                    out.append(':');
                    append(member.getValue(), out);
                    separator = ",";
                }
                out.append(members.isEmpty() ? "{}" : "}");
            }
            case Object[] items -> appendAll(List.of(), items, out);
            case List<?> items -> appendAll(items, null, out);
            default -> throw new IllegalArgumentException("not JSON: " + value.getClass());
        }
    }

    private static void appendAll(List<?> list, Object[] array, StringBuilder out) {
        out.append('[');
        int count = array == null ? list.size() : array.length;
        for (int index = 0; index < count; index++) {
            if (index > 0) {
                out.append(',');
            }
            append(array == null ? list.get(index) : array[index], out);
        }
        out.append(']');
    }

    /// The members of an object; none for what is no object.
    static Map<String, JsonValue> members(byte[] text) {
        try {
            return JsonValue.read(text, 0, text.length) instanceof JsonValue.Members(var items) ? items : Map.of();
        } catch (QueryException _) {
            return Map.of();
        }
    }

    static String text(Map<String, JsonValue> members, String name) {
        return members.get(name) instanceof JsonValue.Text(String value) ? value : "";
    }

    static boolean isTrue(Map<String, JsonValue> members, String name) {
        return members.get(name) instanceof JsonValue.Bool(boolean value) && value;
    }

    /// A whole number, brought into its bounds.
    static long number(Map<String, JsonValue> members, String name, long otherwise, long most) {
        return members.get(name) instanceof JsonValue.Number(var value)
                ? Math.clamp(value.doubleValue() > most ? most : value.longValue(), 1, most)
                : otherwise;
    }
}
