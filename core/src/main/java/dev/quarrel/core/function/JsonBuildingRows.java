package dev.quarrel.core.function;

import static dev.quarrel.core.function.FunctionRow.function;
import static dev.quarrel.core.pg.PgType.ANYARRAY;
import static dev.quarrel.core.pg.PgType.ANYELEMENT;
import static dev.quarrel.core.pg.PgType.BOOL;
import static dev.quarrel.core.pg.PgType.JSON;
import static dev.quarrel.core.pg.PgType.JSONB;
import static dev.quarrel.core.pg.PgType.TEXT;
import static dev.quarrel.core.pg.PgType.TEXT_ARRAY;
import static dev.quarrel.core.type.SqlState.ARRAY_SUBSCRIPT_ERROR;
import static dev.quarrel.core.type.SqlState.DUPLICATE_JSON_OBJECT_KEY_VALUE;
import static dev.quarrel.core.type.SqlState.INVALID_PARAMETER_VALUE;
import static dev.quarrel.core.type.SqlState.INVALID_TEXT_REPRESENTATION;
import static dev.quarrel.core.type.SqlState.NULL_VALUE_NOT_ALLOWED;
import static dev.quarrel.core.type.SqlState.NUMERIC_VALUE_OUT_OF_RANGE;

import dev.quarrel.core.json.JsonForm;
import dev.quarrel.core.pg.PgType;
import java.util.ArrayList;
import java.util.List;

/// Functions that make json and jsonb of values of any types.
///
/// The planner turns each value into JSON by a kernel of its type ([JsonForm]); what puts values together takes JSON.
final class JsonBuildingRows {
    /// Kernels that statements cannot name.
    static final List<FunctionRow> INTERNAL = new ArrayList<>();

    static final List<FunctionRow> ALL = all();

    private JsonBuildingRows() {}

    private static List<FunctionRow> all() {
        List<FunctionRow> rows = new ArrayList<>();
        for (PgType type : List.of(JSON, JSONB)) {
            addForms(type);
            addBuilders(type, rows);
        }
        rows.add(function("array_to_json", ANYARRAY).gives(JSON).stable().expression());
        rows.add(function("array_to_json", ANYARRAY, BOOL).gives(JSON).stable().expression());
        INTERNAL.add(function("json_key", TEXT)
                .gives(TEXT)
                .fails(INVALID_PARAMETER_VALUE)
                .kernel("json_key:document"));
        return List.copyOf(rows);
    }

    private static void addForms(PgType type) {
        String name = type.typeName();
        for (JsonForm form : JsonForm.values()) {
            String id = ":" + form.id();
            INTERNAL.add(function("to_" + name, TEXT).gives(type).kernel("to_" + name + id));
            INTERNAL.add(function("array_to_" + name, TEXT).gives(type).kernel("array_to_" + name + id));
            INTERNAL.add(function(name + "_build_array", TEXT).gives(type).kernel(name + "_build_array" + id));
            INTERNAL.add(function(name + "_build_object", TEXT)
                    .gives(type)
                    .fails(NULL_VALUE_NOT_ALLOWED, INVALID_PARAMETER_VALUE)
                    .kernel(name + "_build_object" + id));
            if (type == JSON) {
                INTERNAL.add(function("array_to_json", TEXT, BOOL).gives(type).kernel("array_to_json:pretty" + id));
                INTERNAL.add(function("json_key", TEXT).gives(TEXT).kernel("json_key" + id));
            }
        }
    }

    private static void addBuilders(PgType type, List<FunctionRow> rows) {
        String name = type.typeName();
        rows.add(function("to_" + name, ANYELEMENT).gives(type).stable().expression());
        String array = name + "_build_array";
        rows.add(function(array).variadic().gives(type).stable().kernel(array));
        rows.add(function(array).gives(type).takesNull().stable().kernel(array + "_noargs"));
        INTERNAL.add(function(array).variadic().gives(type).kernel(array + ":strict"));
        String object = name + "_build_object";
        rows.add(function(object)
                .variadic()
                .gives(type)
                .stable()
                .fails(INVALID_PARAMETER_VALUE, NULL_VALUE_NOT_ALLOWED)
                .kernel(object));
        rows.add(function(object).gives(type).takesNull().stable().kernel(object + "_noargs"));
        for (String rule : List.of("strict", "unique", "unique_strict")) {
            INTERNAL.add(function(object)
                    .variadic()
                    .gives(type)
                    .fails(INVALID_PARAMETER_VALUE, NULL_VALUE_NOT_ALLOWED, DUPLICATE_JSON_OBJECT_KEY_VALUE)
                    .kernel(object + ":" + rule));
        }
        INTERNAL.add(function("row_to_" + name).variadic().gives(type).kernel("row_to_" + name));
        if (type == JSON) {
            INTERNAL.add(function("row_to_json").variadic().gives(type).kernel("row_to_json:pretty"));
        }
        rows.add(function(name + "_object", TEXT_ARRAY)
                .gives(type)
                .fails(ARRAY_SUBSCRIPT_ERROR, NULL_VALUE_NOT_ALLOWED)
                .kernel(name + "_object"));
        rows.add(function(name + "_object", TEXT_ARRAY, TEXT_ARRAY)
                .gives(type)
                .fails(ARRAY_SUBSCRIPT_ERROR, NULL_VALUE_NOT_ALLOWED)
                .kernel(name + "_object:2"));
        if (type == JSONB) {
            addSetLax(rows);
        }
    }

    private static void addSetLax(List<FunctionRow> rows) {
        List<PgType> all = List.of(JSONB, TEXT_ARRAY, JSONB, BOOL, TEXT);
        for (int count = 3; count <= all.size(); count++) {
            rows.add(function("jsonb_set_lax", all.subList(0, count).toArray(PgType[]::new))
                    .gives(JSONB)
                    .takesNull()
                    .givesNull()
                    .fails(
                            INVALID_PARAMETER_VALUE,
                            NULL_VALUE_NOT_ALLOWED,
                            INVALID_TEXT_REPRESENTATION,
                            NUMERIC_VALUE_OUT_OF_RANGE)
                    .kernel("jsonb_set_lax:" + count));
        }
    }
}
