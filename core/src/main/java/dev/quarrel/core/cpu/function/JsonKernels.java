package dev.quarrel.core.cpu.function;

import dev.quarrel.core.cpu.text.Arguments;
import dev.quarrel.core.cpu.text.ArrayElements;
import dev.quarrel.core.cpu.text.RowFunction;
import dev.quarrel.core.cpu.text.TextReader;
import dev.quarrel.core.cpu.tile.TextVector;
import dev.quarrel.core.cpu.tile.Vector;
import dev.quarrel.core.json.JsonEdit;
import dev.quarrel.core.json.JsonPath;
import dev.quarrel.core.json.JsonScanner;
import dev.quarrel.core.json.JsonValue;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.function.IntPredicate;
import java.util.function.Supplier;

/// Functions of json and jsonb. What takes a document apart reads ranges of its bytes; what changes one, or
/// compares two, makes trees of them.
///
/// - Source: PostgreSQL's `json.c`, `jsonb.c`, `jsonfuncs.c`, `jsonb_op.c`.
final class JsonKernels {
    private JsonKernels() {}

    static void register(Map<String, Supplier<BatchFunction>> kernels) {
        put(kernels, "json_in", (in, out, row) -> {
            TextReader text = in.text(0);
            JsonScanner.check(text.bytes, text.start, text.length);
            ((TextVector) out).append(row, text.bytes, text.start, text.length);
        });
        put(
                kernels,
                "jsonb_in",
                (in, out, row) -> Results.set(out, row, value(in, 0).text()));
        for (boolean isBinary : new boolean[] {false, true}) {
            for (boolean isText : new boolean[] {false, true}) {
                registerAccess(isBinary, isText, kernels);
            }
        }
        for (String type : new String[] {"json", "jsonb"}) {
            put(kernels, type + "_typeof", (in, out, row) -> Results.set(out, row, path(in).type()));
            put(kernels, type + "_array_length", JsonKernels::arrayLength);
        }
        put(
                kernels,
                "json_strip_nulls",
                2,
                (in, out, row) -> Results.set(out, row, checkedPath(in).withoutNulls(flag(in, 1, false))));
        put(
                kernels,
                "jsonb_strip_nulls",
                2,
                (in, out, row) -> set(out, row, JsonEdit.withoutNulls(value(in, 0), flag(in, 1, false))));
        put(
                kernels,
                "jsonb_pretty",
                (in, out, row) -> Results.set(out, row, value(in, 0).pretty()));
        registerChanges(kernels);
        registerComparisons(kernels);
        registerCasts(kernels);
    }

    static void registerRows(Map<String, RowsFunction> kernels) {
        kernels.put("json_array_elements", arguments -> elements((String) arguments[0], false));
        kernels.put("json_array_elements_text", arguments -> elements((String) arguments[0], true));
        kernels.put("json_object_keys", arguments -> keys((String) arguments[0]));
    }

    private static void put(Map<String, Supplier<BatchFunction>> kernels, String id, RowFunction function) {
        kernels.put(id, () -> BatchFunction.eachRow(function));
    }

    /// A function with a last argument that may be left out: then it has an id of its own, without the count.
    private static void put(Map<String, Supplier<BatchFunction>> kernels, String id, int most, RowFunction function) {
        put(kernels, id, function);
        put(kernels, id + ":" + most, function);
    }

    // Taking apart

    private static void registerAccess(boolean isBinary, boolean isText, Map<String, Supplier<BatchFunction>> kernels) {
        String prefix = isBinary ? "jsonb" : "json";
        String suffix = isText ? "_text" : "";
        put(kernels, prefix + "_object_field" + suffix, (in, out, row) -> {
            JsonPath path = isBinary ? path(in) : checkedPath(in);
            TextReader key = in.text(1);
            found(path.member(key.bytes, key.start, key.length), path, isText, in, out, row);
        });
        put(kernels, prefix + "_array_element" + suffix, (in, out, row) -> {
            JsonPath path = isBinary ? path(in) : checkedPath(in);
            // A jsonb that is a scalar is an array of itself here.
            boolean isItself = isBinary && path.isScalar() && (in.int32(1) == 0 || in.int32(1) == -1);
            found(isItself || path.element(in.int32(1)), path, isText, in, out, row);
        });
        put(kernels, prefix + "_extract_path" + suffix, (in, out, row) -> {
            JsonPath path = isBinary ? path(in) : checkedPath(in);
            found(follow(path, texts(in.text(1))), path, isText, in, out, row);
        });
    }

    private static boolean follow(JsonPath path, List<String> steps) {
        for (String step : steps) {
            if (step == null || !path.step(step)) {
                return false;
            }
        }
        return true;
    }

    private static void found(boolean isFound, JsonPath path, boolean isText, Arguments in, Vector out, int row) {
        if (!isFound) {
            Results.set(out, row, null);
        } else if (isText && (path.isString() || path.isNull())) {
            Results.set(out, row, path.asText());
        } else {
            ((TextVector) out).append(row, in.text(0).bytes, path.start(), path.length());
        }
    }

    private static JsonPath path(Arguments in) {
        TextReader text = in.text(0);
        return new JsonPath(text.bytes, text.start, text.length);
    }

    private static JsonPath checkedPath(Arguments in) {
        TextReader text = in.text(0);
        JsonScanner.checkEscapes(text.bytes, text.start, text.length);
        return path(in);
    }

    private static void arrayLength(Arguments in, Vector out, int row) {
        JsonPath path = path(in);
        if (!path.isArray()) {
            throw invalid("cannot get array length of a " + (path.isObject() ? "non-array" : "scalar"));
        }
        Results.int32(out, row, path.count());
    }

    private static JsonPath path(String text) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        JsonScanner.checkEscapes(bytes, 0, bytes.length);
        return new JsonPath(bytes, 0, bytes.length);
    }

    private static Iterator<?> elements(String text, boolean isText) {
        JsonPath path = path(text);
        if (!path.isArray()) {
            throw invalid("cannot extract elements from " + (path.isObject() ? "an object" : "a scalar"));
        }
        List<String> elements = new ArrayList<>();
        path.eachElement(element -> elements.add(isText ? element.asText() : element.slice()));
        return elements.iterator();
    }

    private static Iterator<?> keys(String text) {
        JsonPath path = path(text);
        if (!path.isObject()) {
            throw invalid("cannot call json_object_keys on " + (path.isArray() ? "an array" : "a scalar"));
        }
        return path.keys().iterator();
    }

    // Changes

    private static void registerChanges(Map<String, Supplier<BatchFunction>> kernels) {
        put(kernels, "jsonb_concat", (in, out, row) -> set(out, row, JsonEdit.concatenate(value(in, 0), value(in, 1))));
        put(
                kernels,
                "jsonb_delete",
                (in, out, row) -> set(
                        out,
                        row,
                        JsonEdit.withoutKeys(
                                value(in, 0), java.util.Set.of(in.text(1).string()))));
        put(
                kernels,
                "jsonb_delete_idx",
                (in, out, row) -> set(out, row, JsonEdit.withoutElement(value(in, 0), in.int32(1))));
        put(
                kernels,
                "jsonb_delete_array",
                (in, out, row) -> set(out, row, JsonEdit.withoutKeys(value(in, 0), new HashSet<>(texts(in.text(1))))));
        put(
                kernels,
                "jsonb_delete_path",
                (in, out, row) ->
                        set(out, row, JsonEdit.change(value(in, 0), texts(in.text(1)), null, JsonEdit.Change.DELETE)));
        put(
                kernels,
                "jsonb_set",
                4,
                (in, out, row) ->
                        change(in, out, row, flag(in, 3, true) ? JsonEdit.Change.CREATE : JsonEdit.Change.REPLACE));
        put(
                kernels,
                "jsonb_insert",
                4,
                (in, out, row) -> change(
                        in,
                        out,
                        row,
                        flag(in, 3, false) ? JsonEdit.Change.INSERT_AFTER : JsonEdit.Change.INSERT_BEFORE));
    }

    private static void change(Arguments in, Vector out, int row, JsonEdit.Change change) {
        set(out, row, JsonEdit.change(value(in, 0), texts(in.text(1)), value(in, 2), change));
    }

    // Comparisons

    private static void registerComparisons(Map<String, Supplier<BatchFunction>> kernels) {
        Map<String, IntPredicate> comparisons = Map.of(
                "eq", order -> order == 0,
                "ne", order -> order != 0,
                "lt", order -> order < 0,
                "le", order -> order <= 0,
                "gt", order -> order > 0,
                "ge", order -> order >= 0);
        comparisons.forEach((name, test) ->
                put(kernels, "jsonb_" + name, (in, out, row) -> Results.bool(out, row, test.test(compare(in)))));
        put(
                kernels,
                "jsonb_contains",
                (in, out, row) -> Results.bool(out, row, value(in, 0).contains(value(in, 1))));
        put(
                kernels,
                "jsonb_contained",
                (in, out, row) -> Results.bool(out, row, value(in, 1).contains(value(in, 0))));
        put(
                kernels,
                "jsonb_exists",
                (in, out, row) ->
                        Results.bool(out, row, exists(value(in, 0), in.text(1).string())));
        put(kernels, "jsonb_exists_any", (in, out, row) -> {
            JsonValue value = value(in, 0);
            Results.bool(out, row, texts(in.text(1)).stream().anyMatch(key -> key != null && exists(value, key)));
        });
        put(kernels, "jsonb_exists_all", (in, out, row) -> {
            JsonValue value = value(in, 0);
            Results.bool(out, row, texts(in.text(1)).stream().allMatch(key -> key == null || exists(value, key)));
        });
    }

    private static int compare(Arguments in) {
        return JsonValue.compare(value(in, 0), value(in, 1));
    }

    private static boolean exists(JsonValue value, String key) {
        return switch (value) {
            case JsonValue.Members(java.util.SortedMap<String, JsonValue> members) -> members.containsKey(key);
            case JsonValue.Elements(List<JsonValue> elements) -> elements.contains(new JsonValue.Text(key));
            default -> value.equals(new JsonValue.Text(key));
        };
    }

    // Casts

    private static void registerCasts(Map<String, Supplier<BatchFunction>> kernels) {
        put(kernels, "jsonb_bool", (in, out, row) -> {
            switch (value(in, 0)) {
                case JsonValue.Null _ -> Results.set(out, row, null);
                case JsonValue.Bool(boolean value) -> Results.bool(out, row, value);
                case JsonValue other -> throw noCast(other, "boolean");
            }
        });
        Map<String, String> names = Map.of("int2", "smallint", "int4", "integer", "int8", "bigint");
        Map<String, Integer> bits = Map.of("int2", 16, "int4", 32, "int8", 64);
        bits.forEach((type, width) -> put(kernels, "jsonb_" + type, (in, out, row) -> {
            BigDecimal number = number(in, names.get(type));
            Results.set(out, row, number == null ? null : whole(number, width, names.get(type)));
        }));
        put(kernels, "jsonb_float8", (in, out, row) -> {
            BigDecimal number = number(in, "double precision");
            Results.set(out, row, number == null ? null : float8(number));
        });
        put(kernels, "jsonb_float4", (in, out, row) -> {
            BigDecimal number = number(in, "real");
            Results.set(out, row, number == null ? null : float4(number));
        });
        put(kernels, "jsonb_numeric", (in, out, row) -> Results.set(out, row, number(in, "numeric")));
    }

    /// Null for JSON's null.
    private static BigDecimal number(Arguments in, String type) {
        return switch (value(in, 0)) {
            case JsonValue.Null _ -> null;
            case JsonValue.Number(BigDecimal value) -> value;
            case JsonValue other -> throw noCast(other, type);
        };
    }

    private static Long whole(BigDecimal number, int bits, String type) {
        var rounded = number.setScale(0, RoundingMode.HALF_UP).unscaledValue();
        if (rounded.bitLength() >= bits) {
            throw new QueryException(SqlState.NUMERIC_VALUE_OUT_OF_RANGE, type + " out of range");
        }
        return rounded.longValue();
    }

    private static Double float8(BigDecimal number) {
        double value = number.doubleValue();
        if (Double.isInfinite(value) || value == 0 && number.signum() != 0) {
            throw outOfRange(number, "double precision");
        }
        return value;
    }

    private static Float float4(BigDecimal number) {
        float value = number.floatValue();
        if (Float.isInfinite(value) || value == 0 && number.signum() != 0) {
            throw outOfRange(number, "real");
        }
        return value;
    }

    private static QueryException outOfRange(BigDecimal number, String type) {
        return new QueryException(
                SqlState.NUMERIC_VALUE_OUT_OF_RANGE,
                "\"" + number.toPlainString() + "\" is out of range for type " + type);
    }

    private static QueryException noCast(JsonValue value, String type) {
        String kind =
                switch (value) {
                    case JsonValue.Null _ -> "null";
                    case JsonValue.Bool _ -> "boolean";
                    case JsonValue.Number _ -> "numeric";
                    case JsonValue.Text _, JsonValue.Moment _ -> "string";
                    case JsonValue.Elements _ -> "array";
                    case JsonValue.Members _ -> "object";
                };
        return invalid("cannot cast jsonb " + kind + " to type " + type);
    }

    // Arguments and results

    private static JsonValue value(Arguments in, int argument) {
        TextReader text = in.text(argument);
        return JsonValue.read(text.bytes, text.start, text.length);
    }

    private static void set(Vector out, int row, JsonValue value) {
        Results.set(out, row, value.text());
    }

    /// The elements of a text[]; null for NULL.
    static List<String> texts(TextReader array) {
        List<String> texts = new ArrayList<>();
        ArrayElements elements = new ArrayElements();
        elements.open(array);
        while (elements.next()) {
            texts.add(
                    elements.isNull
                            ? null
                            : new String(elements.bytes, elements.start, elements.length, StandardCharsets.UTF_8));
        }
        return texts;
    }

    private static boolean flag(Arguments in, int argument, boolean otherwise) {
        return in.count() > argument ? in.bool(argument) : otherwise;
    }

    private static QueryException invalid(String message) {
        return new QueryException(SqlState.INVALID_PARAMETER_VALUE, message);
    }
}
