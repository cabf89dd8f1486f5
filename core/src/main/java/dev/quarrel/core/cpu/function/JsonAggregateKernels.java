package dev.quarrel.core.cpu.function;

import dev.quarrel.core.cpu.text.Arguments;
import dev.quarrel.core.cpu.text.RowFunction;
import dev.quarrel.core.json.JsonBuilder;
import dev.quarrel.core.json.JsonStrings;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Supplier;

/// What surrounds STRING_AGG to make it an aggregate of documents: each row becomes a text before, and the joined texts
/// become a document behind.
///
/// Rows are joined by [#BETWEEN_ROWS], which no JSON text contains. A row that does not count is an empty text: a group
/// of such rows is an empty document, and one without rows is NULL.
///
/// - Source: PostgreSQL's `json.c` (json_agg, json_object_agg), `jsonb.c`.
final class JsonAggregateKernels {
    private static final char BETWEEN_ROWS = '\u0001';
    private static final char BEHIND_KEY = '\u0002';

    private JsonAggregateKernels() {}

    static void register(Map<String, Supplier<BatchFunction>> kernels) {
        for (boolean isBinary : new boolean[] {false, true}) {
            String name = isBinary ? "jsonb" : "json";
            for (boolean isStrict : new boolean[] {false, true}) {
                String rule = isStrict ? ":strict" : "";
                put(
                        kernels,
                        name + "_element" + rule,
                        (in, out, row) -> Results.set(
                                out,
                                row,
                                in.isNull(0)
                                        ? isStrict ? "" : "null"
                                        : in.text(0).string()));
                put(
                        kernels,
                        name + "_pair" + rule,
                        (in, out, row) -> Results.set(out, row, pair(in, isBinary, isStrict)));
                registerObjects(name, isBinary, isStrict, kernels);
            }
            put(
                    kernels,
                    name + "_agg",
                    (in, out, row) -> Results.set(out, row, array(in.text(0).string(), false)));
        }
        put(
                kernels,
                "json_agg:lines",
                (in, out, row) -> Results.set(out, row, array(in.text(0).string(), true)));
    }

    private static void put(Map<String, Supplier<BatchFunction>> kernels, String id, RowFunction function) {
        kernels.put(id, () -> BatchFunction.eachRow(function));
    }

    private static void registerObjects(
            String name, boolean isBinary, boolean isStrict, Map<String, Supplier<BatchFunction>> kernels) {
        for (boolean isUnique : new boolean[] {false, true}) {
            String rule = isUnique ? isStrict ? ":unique_strict" : ":unique" : isStrict ? ":strict" : "";
            JsonBuilder.Rules rules = new JsonBuilder.Rules(isBinary, isStrict, isUnique);
            put(
                    kernels,
                    name + "_object_agg" + rule,
                    (in, out, row) -> Results.set(out, row, object(in.text(0).string(), rules)));
        }
    }

    /// `(key, json)`: the key as a string, and the value; nothing where a strict object leaves it out.
    private static String pair(Arguments in, boolean isBinary, boolean isStrict) {
        if (in.isNull(0)) {
            throw isBinary
                    ? new QueryException(SqlState.INVALID_PARAMETER_VALUE, "field name must not be null")
                    : new QueryException(SqlState.NULL_VALUE_NOT_ALLOWED, "null value not allowed for object key");
        }
        StringBuilder text = new StringBuilder();
        JsonStrings.append(in.text(0).string(), text);
        text.append(BEHIND_KEY);
        if (!in.isNull(1)) {
            text.append(in.text(1).string());
        } else if (!isStrict) {
            text.append("null");
        }
        return text.toString();
    }

    private static void eachRow(String joined, Consumer<String> action) {
        int from = 0;
        while (true) {
            int end = joined.indexOf(BETWEEN_ROWS, from);
            action.accept(joined.substring(from, end < 0 ? joined.length() : end));
            if (end < 0) {
                return;
            }
            from = end + 1;
        }
    }

    /// @param onLines whether arrays and rows begin lines of their own
    private static String array(String joined, boolean onLines) {
        StringBuilder text = new StringBuilder("[");
        eachRow(joined, element -> {
            if (!element.isEmpty()) {
                boolean isFirst = text.length() == 1;
                boolean isNested = element.startsWith("[") || element.startsWith("{");
                text.append(isFirst ? "" : onLines && isNested ? ", \n " : ", ").append(element);
            }
        });
        return text.append(']').toString();
    }

    private static String object(String joined, JsonBuilder.Rules rules) {
        JsonBuilder object = new JsonBuilder(rules);
        eachRow(joined, pair -> {
            int end = pair.indexOf(BEHIND_KEY);
            String value = pair.substring(end + 1);
            object.add(JsonStrings.decode(pair.substring(0, end)), value.isEmpty() ? null : value);
        });
        return object.spacedText();
    }
}
