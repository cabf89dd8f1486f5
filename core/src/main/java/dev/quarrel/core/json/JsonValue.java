package dev.quarrel.core.json;

import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;

/// A jsonb value as a tree: of members with the same key the last one counts, and numbers are numerics.
///
/// - Source: PostgreSQL's `jsonb.c`, `jsonb_util.c`.
public sealed interface JsonValue {
    /// Keys in the order of jsonb's members: the shorter first, then by bytes.
    Comparator<String> KEY_ORDER = (one, other) -> {
        byte[] left = one.getBytes(StandardCharsets.UTF_8);
        byte[] right = other.getBytes(StandardCharsets.UTF_8);
        return left.length != right.length
                ? Integer.compare(left.length, right.length)
                : Arrays.compareUnsigned(left, right);
    };

    JsonValue NULL = new Null();

    record Null() implements JsonValue {}

    record Bool(boolean value) implements JsonValue {}

    record Number(BigDecimal value) implements JsonValue {}

    record Text(String value) implements JsonValue {}

    record Elements(List<JsonValue> items) implements JsonValue {}

    record Members(SortedMap<String, JsonValue> items) implements JsonValue {}

    /// A date or time, which a path has made of a string; outside of its search it is the string that it is written as.
    non-sealed interface Moment extends JsonValue {
        String written();
    }

    default boolean isScalar() {
        return !(this instanceof Elements) && !(this instanceof Members);
    }

    /// Reads a JSON text.
    ///
    /// - Errors: 22P02, 22P05, 54001 as `jsonb_in`; 22003 for a number beyond numeric's range.
    static JsonValue read(byte[] bytes, int start, int length) {
        JsonScanner scanner = new JsonScanner(bytes, start, length, true);
        JsonValue value = read(scanner, bytes, 0);
        scanner.requireEnd();
        return value;
    }

    static JsonValue read(String text) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        return read(bytes, 0, bytes.length);
    }

    private static JsonValue read(JsonScanner scanner, byte[] bytes, int depth) {
        byte opening = scanner.begin(depth);
        int start = scanner.at();
        switch (opening) {
            case '{' -> {
                scanner.advance();
                SortedMap<String, JsonValue> members = new TreeMap<>(KEY_ORDER);
                if (!scanner.closes('}')) {
                    do {
                        int key = scanner.checkKey();
                        String name = JsonStrings.decode(bytes, key, JsonScanner.skipString(bytes, key));
                        members.put(name, read(scanner, bytes, depth + 1));
                    } while (scanner.continues('}'));
                }
                return new Members(members);
            }
            case '[' -> {
                scanner.advance();
                List<JsonValue> elements = new ArrayList<>();
                if (!scanner.closes(']')) {
                    do {
                        elements.add(read(scanner, bytes, depth + 1));
                    } while (scanner.continues(']'));
                }
                return new Elements(elements);
            }
            default -> {
                scanner.scalar();
                return switch (opening) {
                    case '"' -> new Text(JsonStrings.decode(bytes, start, scanner.at()));
                    case 't' -> new Bool(true);
                    case 'f' -> new Bool(false);
                    case 'n' -> NULL;
                    default -> new Number(Numbers.read(bytes, start, scanner.at()));
                };
            }
        }
    }

    /// The text that `jsonb_out` gives.
    default String text() {
        StringBuilder out = new StringBuilder();
        append(out);
        return out.toString();
    }

    private void append(StringBuilder out) {
        switch (this) {
            case Members(SortedMap<String, JsonValue> members) -> {
                out.append('{');
                String separator = "";
                for (var member : members.entrySet()) {
                    out.append(separator);
                    JsonStrings.append(member.getKey(), out);
                    out.append(": ");
                    member.getValue().append(out);
                    separator = ", ";
                }
                out.append('}');
            }
            case Elements(List<JsonValue> elements) -> {
                out.append('[');
                String separator = "";
                for (JsonValue element : elements) {
                    out.append(separator);
                    element.append(out);
                    separator = ", ";
                }
                out.append(']');
            }
            default -> appendScalar(out);
        }
    }

    private void appendScalar(StringBuilder out) {
        switch (this) {
            case Text(String text) -> JsonStrings.append(text, out);
            case Moment moment -> JsonStrings.append(moment.written(), out);
            case Number(BigDecimal number) -> out.append(number.toPlainString());
            case Bool(boolean bool) -> out.append(bool);
            default -> out.append("null");
        }
    }

    /// The text on lines of its own, four blanks a level, as `jsonb_pretty` gives it.
    default String pretty() {
        StringBuilder out = new StringBuilder();
        appendPretty(out, 0);
        return out.toString();
    }

    private void appendPretty(StringBuilder out, int level) {
        switch (this) {
            case Members(SortedMap<String, JsonValue> members) -> {
                String separator = "{";
                for (var member : members.entrySet()) {
                    newLine(out.append(separator), level + 1);
                    JsonStrings.append(member.getKey(), out);
                    out.append(": ");
                    member.getValue().appendPretty(out, level + 1);
                    separator = ",";
                }
                newLine(members.isEmpty() ? out.append('{') : out, level);
                out.append('}');
            }
            case Elements(List<JsonValue> elements) -> {
                String separator = "[";
                for (JsonValue element : elements) {
                    newLine(out.append(separator), level + 1);
                    element.appendPretty(out, level + 1);
                    separator = ",";
                }
                newLine(elements.isEmpty() ? out.append('[') : out, level);
                out.append(']');
            }
            default -> appendScalar(out);
        }
    }

    private static void newLine(StringBuilder out, int level) {
        out.append('\n').append("    ".repeat(level));
    }

    /// Compares as the order of jsonb does, in which an empty array at the top is the least of all.
    static int compare(JsonValue one, JsonValue other) {
        if (one instanceof Members || other instanceof Members) {
            return compareNested(one, other);
        }
        // A scalar at the top is an array of one element, and less than any array but the empty one.
        if (one.isScalar() != other.isScalar()) {
            JsonValue array = one.isScalar() ? other : one;
            int size = ((Elements) array).items().size();
            int ofScalar = size == 0 ? 1 : -1;
            return one.isScalar() ? ofScalar : -ofScalar;
        }
        return compareNested(one, other);
    }

    private static int compareNested(JsonValue one, JsonValue other) {
        if (one instanceof Moment moment) {
            return compareNested(new Text(moment.written()), other);
        }
        if (other instanceof Moment moment) {
            return compareNested(one, new Text(moment.written()));
        }
        if (one.rank() != other.rank()) {
            return Integer.compare(one.rank(), other.rank());
        }
        return switch (one) {
            case Moment moment -> throw new IllegalStateException(moment.written());
            case Null _ -> 0;
            case Text(String text) ->
                Arrays.compareUnsigned(
                        text.getBytes(StandardCharsets.UTF_8),
                        ((Text) other).value().getBytes(StandardCharsets.UTF_8));
            case Number(BigDecimal number) -> number.compareTo(((Number) other).value());
            case Bool(boolean bool) -> Boolean.compare(bool, ((Bool) other).value());
            case Elements(List<JsonValue> items) -> compareAll(items, ((Elements) other).items());
            case Members(SortedMap<String, JsonValue> items) -> compareAll(items, ((Members) other).items());
        };
    }

    private int rank() {
        return switch (this) {
            case Null _ -> 0;
            case Text _, Moment _ -> 1;
            case Number _ -> 2;
            case Bool _ -> 3;
            case Elements _ -> 4;
            case Members _ -> 5;
        };
    }

    private static int compareAll(List<JsonValue> one, List<JsonValue> other) {
        int result = Integer.compare(one.size(), other.size());
        for (int index = 0; result == 0 && index < one.size(); index++) {
            result = compareNested(one.get(index), other.get(index));
        }
        return result;
    }

    private static int compareAll(SortedMap<String, JsonValue> one, SortedMap<String, JsonValue> other) {
        int result = Integer.compare(one.size(), other.size());
        var left = one.entrySet().iterator();
        var right = other.entrySet().iterator();
        while (result == 0 && left.hasNext()) {
            var member = left.next();
            var beside = right.next();
            result = compareNested(new Text(member.getKey()), new Text(beside.getKey()));
            if (result == 0) {
                result = compareNested(member.getValue(), beside.getValue());
            }
        }
        return result;
    }

    /// Whether the whole of `part` is found in this value, at its level: `@>`.
    default boolean contains(JsonValue part) {
        if (this instanceof Elements(List<JsonValue> items) && part.isScalar()) {
            return items.stream().anyMatch(item -> item.isScalar() && compareNested(item, part) == 0);
        }
        return containsNested(part);
    }

    private boolean containsNested(JsonValue part) {
        return switch (part) {
            case Members(SortedMap<String, JsonValue> wanted) ->
                this instanceof Members(SortedMap<String, JsonValue> own)
                        && own.size() >= wanted.size()
                        && wanted.entrySet().stream().allMatch(member -> {
                            JsonValue found = own.get(member.getKey());
                            return found != null && found.containsNested(member.getValue());
                        });
            case Elements(List<JsonValue> wanted) ->
                this instanceof Elements(List<JsonValue> own)
                        && wanted.stream().allMatch(item -> own.stream().anyMatch(each -> each.containsNested(item)));
            default -> isScalar() && compareNested(this, part) == 0;
        };
    }

    /// The numbers of jsonb, which are numerics.
    final class Numbers {
        private static final int MAX_DIGITS_BEFORE_POINT = 131_072;
        private static final int MAX_SCALE = 16_383;

        private Numbers() {}

        static BigDecimal read(byte[] bytes, int from, int to) {
            BigDecimal value;
            try {
                value = new BigDecimal(new String(bytes, from, to - from, StandardCharsets.US_ASCII));
            } catch (NumberFormatException | ArithmeticException exponentBeyondInt) {
                throw overflow();
            }
            if ((long) value.precision() - value.scale() > MAX_DIGITS_BEFORE_POINT || value.scale() > MAX_SCALE) {
                throw overflow();
            }
            return value.scale() < 0 ? value.setScale(0) : value;
        }

        private static QueryException overflow() {
            return new QueryException(SqlState.NUMERIC_VALUE_OUT_OF_RANGE, "value overflows numeric format");
        }
    }
}
