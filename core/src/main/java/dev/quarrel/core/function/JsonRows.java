package dev.quarrel.core.function;

import static dev.quarrel.core.function.FunctionRow.function;
import static dev.quarrel.core.pg.PgType.BOOL;
import static dev.quarrel.core.pg.PgType.FLOAT4;
import static dev.quarrel.core.pg.PgType.FLOAT8;
import static dev.quarrel.core.pg.PgType.INT2;
import static dev.quarrel.core.pg.PgType.INT4;
import static dev.quarrel.core.pg.PgType.INT8;
import static dev.quarrel.core.pg.PgType.JSON;
import static dev.quarrel.core.pg.PgType.JSONB;
import static dev.quarrel.core.pg.PgType.JSONPATH;
import static dev.quarrel.core.pg.PgType.NUMERIC;
import static dev.quarrel.core.pg.PgType.TEXT;
import static dev.quarrel.core.pg.PgType.TEXT_ARRAY;
import static dev.quarrel.core.type.SqlState.DATETIME_FIELD_OVERFLOW;
import static dev.quarrel.core.type.SqlState.DIVISION_BY_ZERO;
import static dev.quarrel.core.type.SqlState.FEATURE_NOT_SUPPORTED;
import static dev.quarrel.core.type.SqlState.INVALID_ARGUMENT_FOR_SQL_JSON_DATETIME_FUNCTION;
import static dev.quarrel.core.type.SqlState.INVALID_DATETIME_FORMAT;
import static dev.quarrel.core.type.SqlState.INVALID_PARAMETER_VALUE;
import static dev.quarrel.core.type.SqlState.INVALID_REGULAR_EXPRESSION;
import static dev.quarrel.core.type.SqlState.INVALID_SQL_JSON_SUBSCRIPT;
import static dev.quarrel.core.type.SqlState.INVALID_TEXT_REPRESENTATION;
import static dev.quarrel.core.type.SqlState.INVALID_TIME_ZONE_DISPLACEMENT_VALUE;
import static dev.quarrel.core.type.SqlState.NON_NUMERIC_SQL_JSON_ITEM;
import static dev.quarrel.core.type.SqlState.NULL_VALUE_NOT_ALLOWED;
import static dev.quarrel.core.type.SqlState.NUMERIC_VALUE_OUT_OF_RANGE;
import static dev.quarrel.core.type.SqlState.SINGLETON_SQL_JSON_ITEM_REQUIRED;
import static dev.quarrel.core.type.SqlState.SQL_JSON_ARRAY_NOT_FOUND;
import static dev.quarrel.core.type.SqlState.SQL_JSON_MEMBER_NOT_FOUND;
import static dev.quarrel.core.type.SqlState.SQL_JSON_NUMBER_NOT_FOUND;
import static dev.quarrel.core.type.SqlState.SQL_JSON_OBJECT_NOT_FOUND;
import static dev.quarrel.core.type.SqlState.STATEMENT_TOO_COMPLEX;
import static dev.quarrel.core.type.SqlState.SYNTAX_ERROR;
import static dev.quarrel.core.type.SqlState.UNDEFINED_OBJECT;
import static dev.quarrel.core.type.SqlState.UNTRANSLATABLE_CHARACTER;

import dev.quarrel.core.pg.PgType;
import dev.quarrel.core.type.SqlState;
import java.util.ArrayList;
import java.util.List;

/// Functions of json and jsonb: those that operators call, casts, and what takes documents apart or changes them.
final class JsonRows {
    /// Operators whose functions take the array's elements as arguments of their own, which Quarrel does not.
    static final List<FunctionRow> INTERNAL = new ArrayList<>();

    /// What a search may raise.
    static final List<SqlState> PATH_FAULTS = List.of(
            DATETIME_FIELD_OVERFLOW,
            DIVISION_BY_ZERO,
            FEATURE_NOT_SUPPORTED,
            INVALID_ARGUMENT_FOR_SQL_JSON_DATETIME_FUNCTION,
            INVALID_DATETIME_FORMAT,
            INVALID_PARAMETER_VALUE,
            INVALID_SQL_JSON_SUBSCRIPT,
            INVALID_TIME_ZONE_DISPLACEMENT_VALUE,
            NON_NUMERIC_SQL_JSON_ITEM,
            NUMERIC_VALUE_OUT_OF_RANGE,
            SINGLETON_SQL_JSON_ITEM_REQUIRED,
            SQL_JSON_ARRAY_NOT_FOUND,
            SQL_JSON_MEMBER_NOT_FOUND,
            SQL_JSON_NUMBER_NOT_FOUND,
            SQL_JSON_OBJECT_NOT_FOUND,
            UNDEFINED_OBJECT);

    static final List<FunctionRow> ALL = all();

    private JsonRows() {}

    private static List<FunctionRow> all() {
        List<FunctionRow> rows = new ArrayList<>();
        for (PgType type : List.of(JSON, JSONB)) {
            add(type, rows);
        }
        addChanges(rows);
        addComparisons(rows);
        addPaths(rows);
        for (PgType type : List.of(BOOL, INT2, INT4, INT8, FLOAT4, FLOAT8, NUMERIC)) {
            rows.add(function(type.typeName(), JSONB)
                    .gives(type)
                    .givesNull()
                    .fails(INVALID_PARAMETER_VALUE, NUMERIC_VALUE_OUT_OF_RANGE, FEATURE_NOT_SUPPORTED)
                    .kernel("jsonb_" + type.typeName()));
        }
        return List.copyOf(rows);
    }

    private static void add(PgType type, List<FunctionRow> rows) {
        String name = type.typeName();
        // Escapes of a json need not be characters before they are read.
        SqlState[] reads =
                type == JSON ? new SqlState[] {INVALID_TEXT_REPRESENTATION, UNTRANSLATABLE_CHARACTER} : new SqlState[0];
        rows.add(function(name + "_in", TEXT)
                .gives(type)
                .fails(
                        INVALID_TEXT_REPRESENTATION,
                        UNTRANSLATABLE_CHARACTER,
                        STATEMENT_TOO_COMPLEX,
                        NUMERIC_VALUE_OUT_OF_RANGE)
                .kernel(name + "_in"));
        for (boolean isText : new boolean[] {false, true}) {
            PgType result = isText ? TEXT : type;
            String suffix = isText ? "_text" : "";
            for (PgType key : List.of(TEXT, INT4)) {
                String function = name + (key == TEXT ? "_object_field" : "_array_element") + suffix;
                rows.add(function(function, type, key)
                        .gives(result)
                        .givesNull()
                        .fails(reads)
                        .kernel(function));
            }
            String function = name + "_extract_path" + suffix;
            INTERNAL.add(function(function, type, TEXT_ARRAY)
                    .gives(result)
                    .givesNull()
                    .fails(reads)
                    .kernel(function));
            rows.add(function(name + "_array_elements" + suffix, type)
                    .gives(result)
                    .fails(INVALID_PARAMETER_VALUE, INVALID_TEXT_REPRESENTATION, UNTRANSLATABLE_CHARACTER)
                    .rows("json_array_elements" + suffix, "value"));
        }
        rows.add(function(name + "_typeof", type).gives(TEXT).kernel(name + "_typeof"));
        rows.add(function(name + "_array_length", type)
                .gives(INT4)
                .fails(INVALID_PARAMETER_VALUE)
                .kernel(name + "_array_length"));
        rows.add(function(name + "_object_keys", type)
                .gives(TEXT)
                .fails(INVALID_PARAMETER_VALUE, INVALID_TEXT_REPRESENTATION, UNTRANSLATABLE_CHARACTER)
                .rows("json_object_keys"));
        rows.add(function(name + "_strip_nulls", type).gives(type).fails(reads).kernel(name + "_strip_nulls"));
        rows.add(function(name + "_strip_nulls", type, BOOL)
                .gives(type)
                .fails(reads)
                .kernel(name + "_strip_nulls:2"));
    }

    private static void addChanges(List<FunctionRow> rows) {
        rows.add(function("jsonb_pretty", JSONB).gives(TEXT).kernel("jsonb_pretty"));
        rows.add(function("jsonb_concat", JSONB, JSONB).gives(JSONB).kernel("jsonb_concat"));
        for (PgType key : List.of(TEXT, INT4, TEXT_ARRAY)) {
            (key == TEXT_ARRAY ? INTERNAL : rows)
                    .add(function("jsonb_delete", JSONB, key)
                            .gives(JSONB)
                            .fails(INVALID_PARAMETER_VALUE)
                            .kernel(
                                    key == TEXT
                                            ? "jsonb_delete"
                                            : key == INT4 ? "jsonb_delete_idx" : "jsonb_delete_array"));
        }
        SqlState[] fails = {INVALID_PARAMETER_VALUE, NULL_VALUE_NOT_ALLOWED, INVALID_TEXT_REPRESENTATION};
        rows.add(function("jsonb_delete_path", JSONB, TEXT_ARRAY)
                .gives(JSONB)
                .fails(fails)
                .kernel("jsonb_delete_path"));
        for (String name : List.of("jsonb_set", "jsonb_insert")) {
            rows.add(function(name, JSONB, TEXT_ARRAY, JSONB)
                    .gives(JSONB)
                    .fails(fails)
                    .kernel(name));
            rows.add(function(name, JSONB, TEXT_ARRAY, JSONB, BOOL)
                    .gives(JSONB)
                    .fails(fails)
                    .kernel(name + ":4"));
        }
    }

    private static void addPaths(List<FunctionRow> rows) {
        rows.add(function("jsonpath_in", TEXT)
                .gives(JSONPATH)
                .fails(
                        SYNTAX_ERROR,
                        INVALID_TEXT_REPRESENTATION,
                        UNTRANSLATABLE_CHARACTER,
                        NUMERIC_VALUE_OUT_OF_RANGE,
                        STATEMENT_TOO_COMPLEX,
                        INVALID_REGULAR_EXPRESSION,
                        FEATURE_NOT_SUPPORTED)
                .kernel("jsonpath_in"));
        List<PgType> all = List.of(JSONB, JSONPATH, JSONB, BOOL);
        for (int count = 2; count <= all.size(); count++) {
            PgType[] arguments = all.subList(0, count).toArray(PgType[]::new);
            for (String zone : List.of("", "_tz")) {
                for (String name : List.of("exists", "match")) {
                    rows.add(path(name, zone, arguments)
                            .gives(BOOL)
                            .givesNull()
                            .kernel("jsonb_path_" + name + zone + ":" + count));
                }
                rows.add(path("query_array", zone, arguments)
                        .gives(JSONB)
                        .kernel("jsonb_path_query_array" + zone + ":" + count));
                rows.add(path("query_first", zone, arguments)
                        .gives(JSONB)
                        .givesNull()
                        .kernel("jsonb_path_query_first" + zone + ":" + count));
                rows.add(path("query", zone, arguments).gives(JSONB).rows("jsonb_path_query" + zone));
            }
        }
        for (String name : List.of("exists", "match")) {
            rows.add(path(name + "_opr", "", JSONB, JSONPATH)
                    .gives(BOOL)
                    .givesNull()
                    .kernel("jsonb_path_" + name + "_opr"));
        }
    }

    /// @param zone `_tz` for a function that converts dates and times by the session's time zone. The others find a
    ///     time zone of use in what needs no conversion, such as the names of zones
    private static FunctionRow.Draft path(String name, String zone, PgType... arguments) {
        FunctionRow.Draft row =
                function("jsonb_path_" + name + zone, arguments).zoned().fails(PATH_FAULTS.toArray(SqlState[]::new));
        return zone.isEmpty() ? row : row.stable();
    }

    private static void addComparisons(List<FunctionRow> rows) {
        for (String name : List.of("eq", "ne", "lt", "le", "gt", "ge", "contains", "contained")) {
            rows.add(function("jsonb_" + name, JSONB, JSONB).gives(BOOL).kernel("jsonb_" + name));
        }
        rows.add(function("jsonb_exists", JSONB, TEXT).gives(BOOL).kernel("jsonb_exists"));
        rows.add(function("jsonb_exists_any", JSONB, TEXT_ARRAY).gives(BOOL).kernel("jsonb_exists_any"));
        rows.add(function("jsonb_exists_all", JSONB, TEXT_ARRAY).gives(BOOL).kernel("jsonb_exists_all"));
    }
}
