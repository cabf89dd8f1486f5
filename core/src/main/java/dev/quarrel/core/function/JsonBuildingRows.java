package dev.quarrel.core.function;

import static dev.quarrel.core.function.FunctionRow.function;
import static dev.quarrel.core.pg.PgType.ANYARRAY;
import static dev.quarrel.core.pg.PgType.ANYELEMENT;
import static dev.quarrel.core.pg.PgType.BOOL;
import static dev.quarrel.core.pg.PgType.BYTEA;
import static dev.quarrel.core.pg.PgType.JSON;
import static dev.quarrel.core.pg.PgType.JSONB;
import static dev.quarrel.core.pg.PgType.JSONPATH;
import static dev.quarrel.core.pg.PgType.TEXT;
import static dev.quarrel.core.pg.PgType.TEXT_ARRAY;
import static dev.quarrel.core.type.SqlState.ARRAY_SUBSCRIPT_ERROR;
import static dev.quarrel.core.type.SqlState.DUPLICATE_JSON_OBJECT_KEY_VALUE;
import static dev.quarrel.core.type.SqlState.FEATURE_NOT_SUPPORTED;
import static dev.quarrel.core.type.SqlState.INVALID_PARAMETER_VALUE;
import static dev.quarrel.core.type.SqlState.INVALID_TEXT_REPRESENTATION;
import static dev.quarrel.core.type.SqlState.MORE_THAN_ONE_SQL_JSON_ITEM;
import static dev.quarrel.core.type.SqlState.NO_SQL_JSON_ITEM;
import static dev.quarrel.core.type.SqlState.NULL_VALUE_NOT_ALLOWED;
import static dev.quarrel.core.type.SqlState.NUMERIC_VALUE_OUT_OF_RANGE;
import static dev.quarrel.core.type.SqlState.SQL_JSON_SCALAR_REQUIRED;
import static dev.quarrel.core.type.SqlState.STATEMENT_TOO_COMPLEX;
import static dev.quarrel.core.type.SqlState.STRING_DATA_RIGHT_TRUNCATION;
import static dev.quarrel.core.type.SqlState.UNDEFINED_OBJECT;
import static dev.quarrel.core.type.SqlState.UNTRANSLATABLE_CHARACTER;

import dev.quarrel.core.pg.PgType;
import dev.quarrel.core.type.SqlState;
import java.util.ArrayList;
import java.util.List;

/// Functions that make json and jsonb of values of any types.
///
/// The planner turns each value into JSON by a kernel of its type ([JsonForm]); what puts values together takes JSON.
final class JsonBuildingRows {
    /// Kernels that statements cannot name. Each has a name of its own, its id: two calls of one name over the same
    /// operands would be taken for one.
    static final List<FunctionRow> INTERNAL = new ArrayList<>();

    static final List<FunctionRow> ALL = all();

    private JsonBuildingRows() {}

    private static List<FunctionRow> all() {
        List<FunctionRow> rows = new ArrayList<>();
        for (PgType type : List.of(JSON, JSONB)) {
            addForms(type);
            addBuilders(type, rows);
            addAggregates(type);
        }
        rows.add(function("array_to_json", ANYARRAY).gives(JSON).stable().expression());
        rows.add(function("array_to_json", ANYARRAY, BOOL).gives(JSON).stable().expression());
        INTERNAL.add(function("json_key:document", TEXT)
                .gives(TEXT)
                .fails(INVALID_PARAMETER_VALUE)
                .kernel("json_key:document"));
        addQueries();
        addRecords();
        INTERNAL.add(function("pg_options_to_table", TEXT_ARRAY).gives(JSON).kernel("pg_options_to_table"));
        INTERNAL.add(function("jsonb_key", JSONB).gives(BYTEA).kernel("jsonb_key"));
        return List.copyOf(rows);
    }

    /// SQL/JSON's searches: document, path, variables, and a text that says what becomes of the result. And its tests.
    private static void addQueries() {
        List<SqlState> faults = new ArrayList<>(JsonRows.PATH_FAULTS);
        faults.addAll(List.of(
                MORE_THAN_ONE_SQL_JSON_ITEM,
                NO_SQL_JSON_ITEM,
                SQL_JSON_SCALAR_REQUIRED,
                INVALID_TEXT_REPRESENTATION,
                STRING_DATA_RIGHT_TRUNCATION,
                UNDEFINED_OBJECT));
        SqlState[] fails = faults.toArray(SqlState[]::new);
        INTERNAL.add(function("json_exists", JSONB, JSONPATH, JSONB, TEXT)
                .gives(BOOL)
                .givesNull()
                .zoned()
                .fails(fails)
                .kernel("json_exists"));
        for (String search : List.of("json_value", "json_query")) {
            INTERNAL.add(function(search, JSONB, JSONPATH, JSONB, TEXT)
                    .gives(TEXT)
                    .givesNull()
                    .zoned()
                    .fails(fails)
                    .kernel(search));
        }
        INTERNAL.add(function("jsonpath_shown", JSONPATH).gives(TEXT).kernel("jsonpath_shown"));
        INTERNAL.add(function("json_table", JSONB, TEXT, JSONB)
                .gives(TEXT_ARRAY)
                .zoned()
                .fails(fails)
                .rows("json_table"));
        INTERNAL.add(function("json_outcome", TEXT).gives(TEXT).kernel("json_outcome"));
        INTERNAL.add(function("json_found", TEXT).gives(TEXT).kernel("json_found"));
        INTERNAL.add(function("is_json", TEXT, TEXT).gives(BOOL).kernel("is_json"));
        INTERNAL.add(function("json_unique", TEXT)
                .gives(JSON)
                .fails(
                        DUPLICATE_JSON_OBJECT_KEY_VALUE,
                        INVALID_TEXT_REPRESENTATION,
                        UNTRANSLATABLE_CHARACTER,
                        STATEMENT_TOO_COMPLEX)
                .kernel("json_unique"));
    }

    /// What functions of several columns are made of: rows that are documents, and what columns are of them.
    private static void addRecords() {
        for (PgType type : List.of(JSON, JSONB)) {
            String name = type.typeName();
            INTERNAL.add(function(name + "_each", type)
                    .gives(TEXT)
                    .fails(INVALID_PARAMETER_VALUE, INVALID_TEXT_REPRESENTATION, UNTRANSLATABLE_CHARACTER)
                    .rows(name + "_each"));
            for (String verb : List.of("_to_", "_populate_")) {
                INTERNAL.add(function(name + verb + "recordset", type)
                        .gives(type)
                        .fails(INVALID_PARAMETER_VALUE, INVALID_TEXT_REPRESENTATION, UNTRANSLATABLE_CHARACTER)
                        .rows(name + verb + "recordset"));
                INTERNAL.add(function(name + verb + "record", type)
                        .gives(type)
                        .fails(INVALID_PARAMETER_VALUE, INVALID_TEXT_REPRESENTATION, UNTRANSLATABLE_CHARACTER)
                        .kernel(name + verb + "record"));
            }
            INTERNAL.add(function(name + "_pair_value", TEXT).gives(type).kernel(name + "_pair_value"));
        }
        INTERNAL.add(function("json_pair_key", TEXT).gives(TEXT).kernel("json_pair_key"));
        INTERNAL.add(function("json_pair_text", TEXT).gives(TEXT).givesNull().kernel("json_pair_text"));
        INTERNAL.add(function("json_is_object", TEXT).gives(BOOL).kernel("json_is_object"));
        INTERNAL.add(function("json_readable", TEXT, TEXT)
                .gives(BOOL)
                .fails(FEATURE_NOT_SUPPORTED)
                .kernel("json_readable"));
        INTERNAL.add(function("json_limited", TEXT, TEXT)
                .gives(TEXT)
                .fails(STRING_DATA_RIGHT_TRUNCATION)
                .kernel("json_limited"));
        INTERNAL.add(function("json_array_text", TEXT)
                .gives(TEXT)
                .fails(INVALID_TEXT_REPRESENTATION)
                .kernel("json_array_text"));
    }

    private static void addForms(PgType type) {
        String name = type.typeName();
        for (JsonForm form : JsonForm.values()) {
            String id = ":" + form.id();
            INTERNAL.add(function("to_" + name + id, TEXT).gives(type).kernel("to_" + name + id));
            INTERNAL.add(function("array_to_" + name + id, TEXT).gives(type).kernel("array_to_" + name + id));
            INTERNAL.add(function(name + "_build_array" + id, TEXT).gives(type).kernel(name + "_build_array" + id));
            INTERNAL.add(function(name + "_build_object" + id, TEXT)
                    .gives(type)
                    .fails(NULL_VALUE_NOT_ALLOWED, INVALID_PARAMETER_VALUE)
                    .kernel(name + "_build_object" + id));
            if (type == JSON) {
                INTERNAL.add(function("array_to_json:pretty" + id, TEXT, BOOL)
                        .gives(type)
                        .kernel("array_to_json:pretty" + id));
                INTERNAL.add(function("json_key" + id, TEXT).gives(TEXT).kernel("json_key" + id));
            }
        }
    }

    /// What aggregates do with the rows that STRING_AGG joins.
    private static void addAggregates(PgType type) {
        String name = type.typeName();
        SqlState[] nullKey = {INVALID_PARAMETER_VALUE, NULL_VALUE_NOT_ALLOWED};
        for (String rule : List.of("", ":strict")) {
            INTERNAL.add(function(name + "_pair" + rule, TEXT, type)
                    .takesNull()
                    .gives(TEXT)
                    .fails(nullKey)
                    .kernel(name + "_pair" + rule));
            INTERNAL.add(function(name + "_element" + rule, type)
                    .takesNull()
                    .gives(TEXT)
                    .kernel(name + "_element" + rule));
        }
        INTERNAL.add(function(name + "_agg", TEXT).gives(type).kernel(name + "_agg"));
        if (type == JSON) {
            INTERNAL.add(function("json_agg:lines", TEXT).gives(type).kernel("json_agg:lines"));
        }
        for (String rule : List.of("", ":strict", ":unique", ":unique_strict")) {
            INTERNAL.add(function(name + "_object_agg" + rule, TEXT)
                    .gives(type)
                    .fails(DUPLICATE_JSON_OBJECT_KEY_VALUE)
                    .kernel(name + "_object_agg" + rule));
        }
    }

    private static void addBuilders(PgType type, List<FunctionRow> rows) {
        String name = type.typeName();
        rows.add(function("to_" + name, ANYELEMENT).gives(type).stable().expression());
        String array = name + "_build_array";
        rows.add(function(array).variadic().gives(type).stable().kernel(array));
        rows.add(function(array).gives(type).takesNull().stable().kernel(array + "_noargs"));
        INTERNAL.add(function(array + ":strict").variadic().gives(type).kernel(array + ":strict"));
        String object = name + "_build_object";
        rows.add(function(object)
                .variadic()
                .gives(type)
                .stable()
                .fails(INVALID_PARAMETER_VALUE, NULL_VALUE_NOT_ALLOWED)
                .kernel(object));
        rows.add(function(object).gives(type).takesNull().stable().kernel(object + "_noargs"));
        for (String rule : List.of("strict", "unique", "unique_strict")) {
            INTERNAL.add(function(object + ":" + rule)
                    .variadic()
                    .gives(type)
                    .fails(INVALID_PARAMETER_VALUE, NULL_VALUE_NOT_ALLOWED, DUPLICATE_JSON_OBJECT_KEY_VALUE)
                    .kernel(object + ":" + rule));
        }
        INTERNAL.add(function("row_to_" + name).variadic().gives(type).kernel("row_to_" + name));
        if (type == JSON) {
            INTERNAL.add(function("row_to_json:pretty").variadic().gives(type).kernel("row_to_json:pretty"));
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
