package dev.quarrel.core.cpu.function;

import dev.quarrel.core.cpu.text.RowFunction;
import dev.quarrel.core.json.JsonOutcome;
import dev.quarrel.core.json.JsonPath;
import dev.quarrel.core.json.JsonScanner;
import dev.quarrel.core.json.JsonStrings;
import dev.quarrel.core.pg.ArrayText;
import dev.quarrel.core.pg.PgType;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

/// Parts of the functions that make rows of several columns of a document: `json_each`, `json_to_record(set)`. A member
/// is handed on as its key, a JSON string, and its value behind it.
///
/// - Source: PostgreSQL's `jsonfuncs.c`.
final class JsonRecordKernels {
    private JsonRecordKernels() {}

    static void register(Map<String, Supplier<BatchFunction>> kernels) {
        put(kernels, "json_pair_key", (in, out, row) -> {
            byte[] pair = bytes(in.text(0).string());
            int end = JsonScanner.skipString(pair, 0);
            Results.set(out, row, JsonStrings.decode(new String(pair, 0, end, StandardCharsets.UTF_8)));
        });
        put(
                kernels,
                "json_pair_text",
                (in, out, row) ->
                        Results.set(out, row, value(in.text(0).string()).asText()));
        for (String name : new String[] {"json", "jsonb"}) {
            put(
                    kernels,
                    name + "_pair_value",
                    (in, out, row) ->
                            Results.set(out, row, value(in.text(0).string()).slice()));
            for (String function : new String[] {name + "_to_record", name + "_populate_record"}) {
                put(kernels, function, (in, out, row) -> {
                    String text = in.text(0).string();
                    JsonPath path = path(text);
                    if (!path.isObject()) {
                        throw invalid("cannot call " + function + " on " + (path.isArray() ? "an array" : "a scalar"));
                    }
                    Results.set(out, row, text);
                });
            }
        }
        put(
                kernels,
                "json_is_object",
                (in, out, row) ->
                        Results.bool(out, row, path(in.text(0).string()).isObject()));
        put(kernels, "json_readable", (in, out, row) -> {
            JsonPath path = path(in.text(0).string());
            String type = in.text(1).string();
            Results.bool(out, row, path.isNull() || isReadable(path, type));
        });
        put(kernels, "json_limited", (in, out, row) -> {
            String text = in.text(0).string();
            JsonQueryKernels.check(text, JsonOutcome.of(in.text(1).string()));
            Results.set(out, row, text);
        });
        put(kernels, "json_array_text", (in, out, row) -> {
            JsonPath path = path(in.text(0).string());
            Results.set(out, row, path.isString() ? path.asText() : arrayText(path));
        });
    }

    static void registerRows(Map<String, RowsFunction> kernels) {
        for (String name : new String[] {"json", "jsonb"}) {
            kernels.put(name + "_each", arguments -> members((String) arguments[0], name));
            for (String function : new String[] {name + "_to_recordset", name + "_populate_recordset"}) {
                kernels.put(function, arguments -> records((String) arguments[0], function));
            }
        }
    }

    private static void put(Map<String, Supplier<BatchFunction>> kernels, String id, RowFunction function) {
        kernels.put(id, () -> BatchFunction.eachRow(function));
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private static JsonPath path(String text) {
        byte[] bytes = bytes(text);
        JsonScanner.checkEscapes(bytes, 0, bytes.length);
        return new JsonPath(bytes, 0, bytes.length);
    }

    private static JsonPath value(String pair) {
        byte[] bytes = bytes(pair);
        int end = JsonScanner.skipString(bytes, 0);
        return new JsonPath(bytes, end, bytes.length - end);
    }

    /// Whether a type can read the member.
    ///
    /// @param outcome the type, as [JsonOutcome] writes it
    private static boolean isReadable(JsonPath path, String outcome) {
        JsonOutcome type = JsonOutcome.of(outcome);
        try {
            boolean isArray = PgType.named(type.type()).orElseThrow().isArray() && !path.isString();
            boolean isDocument = type.type().startsWith("json");
            JsonQueryKernels.check(isArray ? arrayText(path) : isDocument ? path.slice() : path.asText(), type);
            return true;
        } catch (QueryException unreadable) {
            if (unreadable.state() == SqlState.FEATURE_NOT_SUPPORTED) {
                throw unreadable;
            }
            return false;
        }
    }

    private static Iterator<?> members(String text, String name) {
        JsonPath path = path(text);
        if (!path.isObject()) {
            throw invalid(
                    name.equals("jsonb")
                            ? "cannot call jsonb_each on a non-object"
                            : "cannot deconstruct " + (path.isArray() ? "an array as an object" : "a scalar"));
        }
        List<String> pairs = new ArrayList<>();
        path.eachMember((key, value) -> {
            StringBuilder pair = new StringBuilder();
            JsonStrings.append(key, pair);
            pairs.add(pair.append(value.slice()).toString());
        });
        return pairs.iterator();
    }

    private static Iterator<?> records(String text, String name) {
        JsonPath path = path(text);
        if (!path.isArray()) {
            throw invalid("cannot call " + name + " on " + (path.isObject() ? "an object" : "a scalar"));
        }
        List<String> records = new ArrayList<>();
        path.eachElement(element -> {
            if (!element.isObject()) {
                throw invalid("argument of " + name + " must be an array of objects");
            }
            records.add(element.slice());
        });
        return records.iterator();
    }

    /// - Errors: 22P02 for what is no array.
    static String arrayText(String json) {
        return arrayText(path(json));
    }

    /// A JSON array as an array's text: of as many levels as its first elements have.
    private static String arrayText(JsonPath path) {
        if (!path.isArray()) {
            throw noArray();
        }
        int levels = levels(path);
        int[] lengths = new int[levels];
        java.util.Arrays.fill(lengths, -1);
        StringBuilder text = new StringBuilder();
        append(path, 0, lengths, text);
        return lengths[levels - 1] == 0 ? "{}" : text.toString();
    }

    private static int levels(JsonPath path) {
        int[] levels = {1};
        boolean[] isFirst = {true};
        path.eachElement(element -> {
            if (isFirst[0] && element.isArray()) {
                levels[0] = 1 + levels(element);
            }
            isFirst[0] = false;
        });
        return levels[0];
    }

    private static void append(JsonPath path, int level, int[] lengths, StringBuilder out) {
        int[] count = {0};
        out.append('{');
        path.eachElement(element -> {
            out.append(count[0]++ == 0 ? "" : ",");
            if (level + 1 < lengths.length) {
                if (!element.isArray()) {
                    throw noArray();
                }
                append(element, level + 1, lengths, out);
            } else if (element.isNull()) {
                out.append("NULL");
            } else {
                String single = ArrayText.format(List.of(element.asText()));
                out.append(single, 1, single.length() - 1);
            }
        });
        out.append('}');
        if (lengths[level] >= 0 && lengths[level] != count[0]) {
            throw new QueryException(SqlState.INVALID_TEXT_REPRESENTATION, "malformed JSON array")
                    .withDetail("Multidimensional arrays must have sub-arrays with matching dimensions.");
        }
        lengths[level] = count[0];
    }

    private static QueryException noArray() {
        return new QueryException(SqlState.INVALID_TEXT_REPRESENTATION, "expected JSON array");
    }

    private static QueryException invalid(String message) {
        return new QueryException(SqlState.INVALID_PARAMETER_VALUE, message);
    }
}
