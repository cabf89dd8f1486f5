package dev.quarrel.core.cpu.function;

import dev.quarrel.core.cpu.text.Arguments;
import dev.quarrel.core.cpu.text.RowFunction;
import dev.quarrel.core.cpu.tile.TextVector;
import dev.quarrel.core.cpu.tile.Vector;
import dev.quarrel.core.function.JsonForm;
import dev.quarrel.core.json.JsonBuilder;
import dev.quarrel.core.json.JsonEdit;
import dev.quarrel.core.json.JsonOrder;
import dev.quarrel.core.json.JsonStrings;
import dev.quarrel.core.json.JsonValue;
import dev.quarrel.core.pg.ArrayText;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

/// Functions that make json and jsonb: of texts of values, of arrays, and of values that are JSON already.
///
/// - Source: PostgreSQL's `json.c`, `jsonb.c`.
final class JsonBuildingKernels {
    private static final String MODES = "null_value_treatment must be \"delete_key\", \"return_target\","
            + " \"use_json_null\", or \"raise_exception\"";

    private JsonBuildingKernels() {}

    static void register(Map<String, Supplier<BatchFunction>> kernels) {
        for (boolean isBinary : new boolean[] {false, true}) {
            for (JsonForm form : JsonForm.values()) {
                registerForm(isBinary, form, kernels);
            }
            registerBuilders(isBinary, kernels);
        }
        registerOptions(kernels);
        put(kernels, "json_key:document", (_, _, _) -> {
            throw invalid("key value must be scalar, not array, composite, or json");
        });
        put(kernels, "jsonb_key", (in, out, row) -> {
            byte[] key = JsonOrder.key(JsonValue.read(in.text(0).string()));
            ((TextVector) out).append(row, key, 0, key.length);
        });
        put(kernels, "row_to_json:pretty", (in, out, row) -> Results.set(out, row, ofRow(in, false, ",\n ")));
        for (int count = 3; count <= 5; count++) {
            put(kernels, "jsonb_set_lax:" + count, JsonBuildingKernels::setLax);
        }
    }

    private static void registerOptions(Map<String, Supplier<BatchFunction>> kernels) {
        put(
                kernels,
                "pg_options_to_table",
                (in, out, row) -> Results.set(
                        out, row, ofOptions(ArrayText.parseNested(in.text(0).string()))));
    }

    private static void put(Map<String, Supplier<BatchFunction>> kernels, String id, RowFunction function) {
        kernels.put(id, () -> BatchFunction.eachRow(function));
    }

    private static String name(boolean isBinary) {
        return isBinary ? "jsonb" : "json";
    }

    private static void registerForm(boolean isBinary, JsonForm form, Map<String, Supplier<BatchFunction>> kernels) {
        String name = name(isBinary);
        String id = ":" + form.id();
        put(kernels, "to_" + name + id, (in, out, row) -> {
            StringBuilder text = new StringBuilder();
            form.append(in.text(0).string(), isBinary, text);
            Results.set(out, row, text.toString());
        });
        String separator = isBinary ? ", " : ",";
        put(kernels, "array_to_" + name + id, (in, out, row) -> {
            StringBuilder text = new StringBuilder();
            form.appendArray(in.text(0).string(), isBinary, separator, separator, text);
            Results.set(out, row, text.toString());
        });
        put(kernels, name + "_build_array" + id, (in, out, row) -> {
            StringBuilder text = new StringBuilder("[");
            for (String element : elements(in)) {
                text.append(text.length() == 1 ? "" : ", ");
                form.appendElement(element, isBinary, text);
            }
            Results.set(out, row, text.append(']').toString());
        });
        put(kernels, name + "_build_object" + id, (in, out, row) -> Results.set(out, row, pairs(in, isBinary, form)));
        if (!isBinary) {
            put(
                    kernels,
                    "json_key" + id,
                    (in, out, row) ->
                            Results.set(out, row, form.plain(in.text(0).string())));
            put(kernels, "array_to_json:pretty" + id, (in, out, row) -> {
                StringBuilder text = new StringBuilder();
                form.appendArray(in.text(0).string(), false, in.bool(1) ? ",\n " : ",", ",", text);
                Results.set(out, row, text.toString());
            });
        }
    }

    /// The elements of an array of any dimensions, which stand for arguments.
    private static List<String> elements(Arguments in) {
        return ArrayText.parseNested(in.text(0).string()).elements();
    }

    private static String pairs(Arguments in, boolean isBinary, JsonForm form) {
        List<String> elements = elements(in);
        requirePairs(elements.size(), isBinary);
        JsonBuilder object = new JsonBuilder(new JsonBuilder.Rules(isBinary, false, false));
        for (int index = 0; index < elements.size(); index += 2) {
            String key = elements.get(index);
            String value = elements.get(index + 1);
            StringBuilder text = new StringBuilder();
            form.appendElement(value, isBinary, text);
            object.add(key == null ? null : form.plain(key), text.toString());
        }
        return object.text();
    }

    private static void requirePairs(int count, boolean isBinary) {
        if (count % 2 != 0) {
            throw invalid("argument list must have even number of elements")
                    .withHint("The arguments of " + name(isBinary)
                            + "_build_object() must consist of alternating keys and values.");
        }
    }

    private static void registerBuilders(boolean isBinary, Map<String, Supplier<BatchFunction>> kernels) {
        String name = name(isBinary);
        put(kernels, name + "_build_array_noargs", (_, out, row) -> Results.set(out, row, "[]"));
        put(kernels, name + "_build_object_noargs", (_, out, row) -> Results.set(out, row, "{}"));
        put(kernels, name + "_build_array", (in, out, row) -> Results.set(out, row, array(in, false)));
        put(kernels, name + "_build_array:strict", (in, out, row) -> Results.set(out, row, array(in, true)));
        for (boolean isStrict : new boolean[] {false, true}) {
            for (boolean isUnique : new boolean[] {false, true}) {
                String rule = isUnique ? isStrict ? ":unique_strict" : ":unique" : isStrict ? ":strict" : "";
                JsonBuilder.Rules rules = new JsonBuilder.Rules(isBinary, isStrict, isUnique);
                put(kernels, name + "_build_object" + rule, (in, out, row) -> Results.set(out, row, object(in, rules)));
            }
        }
        put(kernels, "row_to_" + name, (in, out, row) -> Results.set(out, row, ofRow(in, isBinary, ",")));
        put(
                kernels,
                name + "_object",
                (in, out, row) -> Results.set(
                        out, row, ofPairs(ArrayText.parseNested(in.text(0).string()), isBinary)));
        put(
                kernels,
                name + "_object:2",
                (in, out, row) -> Results.set(
                        out,
                        row,
                        ofKeys(
                                ArrayText.parseNested(in.text(0).string()),
                                ArrayText.parseNested(in.text(1).string()),
                                isBinary)));
    }

    /// `(json, …)`: elements.
    private static String array(Arguments in, boolean isStrict) {
        StringBuilder text = new StringBuilder("[");
        for (int argument = 0; argument < in.count(); argument++) {
            if (!isStrict || !in.isNull(argument)) {
                text.append(text.length() == 1 ? "" : ", ");
                text.append(in.isNull(argument) ? "null" : in.text(argument).string());
            }
        }
        return text.append(']').toString();
    }

    /// `(key, json, …)`
    private static String object(Arguments in, JsonBuilder.Rules rules) {
        requirePairs(in.count(), rules.isBinary());
        JsonBuilder object = new JsonBuilder(rules);
        for (int argument = 0; argument < in.count(); argument += 2) {
            object.add(text(in, argument), text(in, argument + 1));
        }
        return object.text();
    }

    private static String text(Arguments in, int argument) {
        return in.isNull(argument) ? null : in.text(argument).string();
    }

    /// `(name, json, …)`: the columns of a row, of which several may have one name.
    private static String ofRow(Arguments in, boolean isBinary, String separator) {
        if (isBinary) {
            return object(in, new JsonBuilder.Rules(true, false, false));
        }
        StringBuilder text = new StringBuilder("{");
        for (int argument = 0; argument < in.count(); argument += 2) {
            text.append(argument == 0 ? "" : separator);
            JsonStrings.append(in.text(argument).string(), text);
            text.append(':')
                    .append(
                            in.isNull(argument + 1)
                                    ? "null"
                                    : in.text(argument + 1).string());
        }
        return text.append('}').toString();
    }

    private static String ofPairs(ArrayText.Nested array, boolean isBinary) {
        int dimensions = array.lengths().size();
        if (dimensions > 2) {
            throw subscripts("wrong number of array subscripts");
        }
        if (dimensions == 1 && array.lengths().getFirst() % 2 != 0) {
            throw subscripts("array must have even number of elements");
        }
        if (dimensions == 2 && array.lengths().getLast() != 2) {
            throw subscripts("array must have two columns");
        }
        List<String> elements = array.elements();
        JsonBuilder object = new JsonBuilder(new JsonBuilder.Rules(isBinary, false, false));
        for (int index = 0; index < elements.size(); index += 2) {
            addText(object, elements.get(index), elements.get(index + 1));
        }
        return object.text();
    }

    /// `{name=value, …}`, as catalogs have the options of foreign tables.
    private static String ofOptions(ArrayText.Nested options) {
        JsonBuilder object = new JsonBuilder(new JsonBuilder.Rules(false, false, false));
        for (String option : options.elements()) {
            int end = option == null ? -1 : option.indexOf('=');
            if (end >= 0) {
                addText(object, option.substring(0, end), option.substring(end + 1));
            } else if (option != null) {
                addText(object, option, null);
            }
        }
        return object.text();
    }

    private static String ofKeys(ArrayText.Nested keys, ArrayText.Nested values, boolean isBinary) {
        int dimensions = keys.lengths().size();
        if (dimensions > 1 || dimensions != values.lengths().size()) {
            throw subscripts("wrong number of array subscripts");
        }
        if (keys.elements().size() != values.elements().size()) {
            throw subscripts("mismatched array dimensions");
        }
        JsonBuilder object = new JsonBuilder(new JsonBuilder.Rules(isBinary, false, false));
        for (int index = 0; index < keys.elements().size(); index++) {
            addText(object, keys.elements().get(index), values.elements().get(index));
        }
        return object.text();
    }

    private static void addText(JsonBuilder object, String key, String value) {
        if (key == null) {
            throw new QueryException(SqlState.NULL_VALUE_NOT_ALLOWED, "null value not allowed for object key");
        }
        StringBuilder text = new StringBuilder();
        JsonForm.TEXT.appendElement(value, false, text);
        object.add(key, text.toString());
    }

    /// `(document, path, value, adds, what becomes of a NULL)`
    private static void setLax(Arguments in, Vector out, int row) {
        if (in.isNull(0) || in.isNull(1) || in.count() > 3 && in.isNull(3)) {
            Results.set(out, row, null);
            return;
        }
        if (in.count() > 4 && in.isNull(4)) {
            throw invalid(MODES);
        }
        JsonValue document = JsonValue.read(in.text(0).string());
        List<String> path = JsonKernels.texts(in.text(1));
        JsonEdit.Change change = in.count() > 3 && !in.bool(3) ? JsonEdit.Change.REPLACE : JsonEdit.Change.CREATE;
        if (!in.isNull(2)) {
            JsonValue value = JsonValue.read(in.text(2).string());
            Results.set(out, row, JsonEdit.change(document, path, value, change).text());
            return;
        }
        JsonValue changed =
                switch (in.count() > 4 ? in.text(4).string() : "use_json_null") {
                    case "raise_exception" ->
                        throw new QueryException(SqlState.NULL_VALUE_NOT_ALLOWED, "JSON value must not be null")
                                .withDetail("Exception was raised because null_value_treatment is \"raise_exception\".")
                                .withHint("To avoid, either change the null_value_treatment argument or ensure that an"
                                        + " SQL NULL is not passed.");
                    case "use_json_null" -> JsonEdit.change(document, path, JsonValue.NULL, change);
                    case "delete_key" -> JsonEdit.change(document, path, null, JsonEdit.Change.DELETE);
                    case "return_target" -> document;
                    default -> throw invalid(MODES);
                };
        Results.set(out, row, changed.text());
    }

    private static QueryException subscripts(String message) {
        return new QueryException(SqlState.ARRAY_SUBSCRIPT_ERROR, message);
    }

    private static QueryException invalid(String message) {
        return new QueryException(SqlState.INVALID_PARAMETER_VALUE, message);
    }
}
