package dev.quarrel.core.json;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.BiConsumer;
import java.util.function.Consumer;

/// Finds values in a text that is known to be JSON, as ranges of its bytes.
///
/// - Source: PostgreSQL's `jsonfuncs.c`.
public final class JsonPath {
    private final byte[] bytes;
    private final int end;
    private int from;
    private int to;

    /// Stands at the whole value.
    public JsonPath(byte[] bytes, int start, int length) {
        this.bytes = bytes;
        this.end = start + length;
        this.from = JsonScanner.skipBlanks(bytes, start, end);
        this.to = JsonScanner.skipValue(bytes, from, end);
    }

    /// Where the current value begins.
    public int start() {
        return from;
    }

    public int length() {
        return to - from;
    }

    public boolean isObject() {
        return bytes[from] == '{';
    }

    public boolean isArray() {
        return bytes[from] == '[';
    }

    public boolean isScalar() {
        return !isObject() && !isArray();
    }

    public boolean isString() {
        return bytes[from] == '"';
    }

    public boolean isNull() {
        return bytes[from] == 'n';
    }

    /// The current value's text.
    public String slice() {
        return new String(bytes, from, to - from, StandardCharsets.UTF_8);
    }

    /// What the current value says as text: the characters of a string, null for JSON's null, any other's own text.
    public String asText() {
        return isNull() ? null : isString() ? JsonStrings.decode(bytes, from, to) : slice();
    }

    /// `object`, `array`, `string`, `number`, `boolean` or `null`.
    public String type() {
        return switch (bytes[from]) {
            case '{' -> "object";
            case '[' -> "array";
            case '"' -> "string";
            case 't', 'f' -> "boolean";
            case 'n' -> "null";
            default -> "number";
        };
    }

    /// Goes to the last member of that key.
    ///
    /// @return whether there is one; if not, the place does not change
    public boolean member(byte[] key, int keyStart, int keyLength) {
        if (!isObject()) {
            return false;
        }
        int foundFrom = -1;
        int foundTo = -1;
        int at = JsonScanner.skipBlanks(bytes, from + 1, end);
        while (bytes[at] != '}') {
            int keyEnd = JsonScanner.skipString(bytes, at);
            boolean isWanted = isKey(at, keyEnd, key, keyStart, keyLength);
            int value = valueBehind(keyEnd);
            int valueEnd = JsonScanner.skipValue(bytes, value, end);
            if (isWanted) {
                foundFrom = value;
                foundTo = valueEnd;
            }
            at = next(valueEnd);
        }
        if (foundFrom < 0) {
            return false;
        }
        from = foundFrom;
        to = foundTo;
        return true;
    }

    private boolean isKey(int keyFrom, int keyEnd, byte[] key, int keyStart, int keyLength) {
        int length = keyEnd - keyFrom - 2;
        for (int index = 0; index < length; index++) {
            if (bytes[keyFrom + 1 + index] == '\\') {
                String decoded = JsonStrings.decode(bytes, keyFrom, keyEnd);
                return decoded.equals(new String(key, keyStart, keyLength, StandardCharsets.UTF_8));
            }
        }
        return length == keyLength
                && java.util.Arrays.equals(
                        bytes, keyFrom + 1, keyFrom + 1 + length, key, keyStart, keyStart + keyLength);
    }

    private int valueBehind(int keyEnd) {
        int colon = JsonScanner.skipBlanks(bytes, keyEnd, end);
        return JsonScanner.skipBlanks(bytes, colon + 1, end);
    }

    /// Where the next member or element begins, or the closing bracket is.
    private int next(int valueEnd) {
        int at = JsonScanner.skipBlanks(bytes, valueEnd, end);
        return bytes[at] == ',' ? JsonScanner.skipBlanks(bytes, at + 1, end) : at;
    }

    /// Goes to an element.
    ///
    /// @param number from 0; negative ones count from the end
    public boolean element(int number) {
        if (!isArray()) {
            return false;
        }
        int wanted = number < 0 ? count() + number : number;
        int at = JsonScanner.skipBlanks(bytes, from + 1, end);
        for (int index = 0; wanted >= 0 && bytes[at] != ']'; index++) {
            int valueEnd = JsonScanner.skipValue(bytes, at, end);
            if (index == wanted) {
                from = at;
                to = valueEnd;
                return true;
            }
            at = next(valueEnd);
        }
        return false;
    }

    /// Follows a key, or the number of an element.
    public boolean step(String key) {
        if (isArray()) {
            Integer number = number(key);
            return number != null && element(number);
        }
        byte[] bytesOfKey = key.getBytes(StandardCharsets.UTF_8);
        return member(bytesOfKey, 0, bytesOfKey.length);
    }

    /// As C's `strtol` reads it, null for what is no integer.
    static Integer number(String key) {
        try {
            return Integer.valueOf(key.stripLeading());
        } catch (NumberFormatException noInteger) {
            return null;
        }
    }

    /// The number of an array's elements.
    public int count() {
        int[] count = {0};
        eachElement(_ -> count[0]++);
        return count[0];
    }

    /// Calls for each element; the path stands at it meanwhile.
    public void eachElement(Consumer<JsonPath> action) {
        int ownFrom = from;
        int ownTo = to;
        int at = JsonScanner.skipBlanks(bytes, from + 1, end);
        while (bytes[at] != ']') {
            from = at;
            to = JsonScanner.skipValue(bytes, at, end);
            int valueEnd = to;
            action.accept(this);
            at = next(valueEnd);
        }
        from = ownFrom;
        to = ownTo;
    }

    /// Calls for each member of an object, with its key; the path stands at the value meanwhile.
    public void eachMember(BiConsumer<String, JsonPath> action) {
        int ownFrom = from;
        int ownTo = to;
        int at = JsonScanner.skipBlanks(bytes, from + 1, end);
        while (bytes[at] != '}') {
            int keyEnd = JsonScanner.skipString(bytes, at);
            from = valueBehind(keyEnd);
            to = JsonScanner.skipValue(bytes, from, end);
            int valueEnd = to;
            action.accept(JsonStrings.decode(bytes, at, keyEnd), this);
            at = next(valueEnd);
        }
        from = ownFrom;
        to = ownTo;
    }

    /// Whether no object in the value has two members of one key.
    public boolean hasUniqueKeys() {
        boolean[] isUnique = {true};
        if (isObject()) {
            Set<String> keys = new HashSet<>();
            eachMember((key, member) -> isUnique[0] &= keys.add(key) && member.hasUniqueKeys());
        } else if (isArray()) {
            eachElement(element -> isUnique[0] &= element.hasUniqueKeys());
        }
        return isUnique[0];
    }

    /// The keys of an object, in their order.
    public List<String> keys() {
        List<String> keys = new ArrayList<>();
        int at = JsonScanner.skipBlanks(bytes, from + 1, end);
        while (bytes[at] != '}') {
            int keyEnd = JsonScanner.skipString(bytes, at);
            keys.add(JsonStrings.decode(bytes, at, keyEnd));
            at = next(JsonScanner.skipValue(bytes, valueBehind(keyEnd), end));
        }
        return keys;
    }

    /// The text without blanks between tokens, and without members that are null; their order and repetition stay.
    ///
    /// @param inArrays whether elements that are null go, too
    public String withoutNulls(boolean inArrays) {
        StringBuilder out = new StringBuilder();
        withoutNulls(from, inArrays, out);
        return out.toString();
    }

    private int withoutNulls(int start, boolean inArrays, StringBuilder out) {
        byte opening = bytes[start];
        if (opening != '{' && opening != '[') {
            int valueEnd = JsonScanner.skipValue(bytes, start, end);
            if (opening == '"') {
                JsonStrings.append(JsonStrings.decode(bytes, start, valueEnd), out);
            } else {
                out.append(new String(bytes, start, valueEnd - start, StandardCharsets.UTF_8));
            }
            return valueEnd;
        }
        boolean isObject = opening == '{';
        out.append((char) opening);
        boolean isFirst = true;
        int at = JsonScanner.skipBlanks(bytes, start + 1, end);
        while (bytes[at] != '}' && bytes[at] != ']') {
            int keyEnd = isObject ? JsonScanner.skipString(bytes, at) : at;
            int value = isObject ? valueBehind(keyEnd) : at;
            if (bytes[value] == 'n' && (isObject || inArrays)) {
                at = next(JsonScanner.skipValue(bytes, value, end));
                continue;
            }
            if (!isFirst) {
                out.append(',');
            }
            isFirst = false;
            if (isObject) {
                JsonStrings.append(JsonStrings.decode(bytes, at, keyEnd), out);
                out.append(':');
            }
            at = next(withoutNulls(value, inArrays, out));
        }
        out.append(isObject ? '}' : ']');
        return at + 1;
    }
}
