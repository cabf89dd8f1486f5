package dev.quarrel.core.function;

import static dev.quarrel.core.function.FunctionRow.function;
import static dev.quarrel.core.pg.PgType.ANYARRAY;
import static dev.quarrel.core.pg.PgType.ANYCOMPATIBLE;
import static dev.quarrel.core.pg.PgType.ANYCOMPATIBLEARRAY;
import static dev.quarrel.core.pg.PgType.ANYELEMENT;
import static dev.quarrel.core.pg.PgType.BOOL;
import static dev.quarrel.core.pg.PgType.INT4;
import static dev.quarrel.core.pg.PgType.INT4_ARRAY;
import static dev.quarrel.core.pg.PgType.TEXT;
import static dev.quarrel.core.type.SqlState.ARRAY_SUBSCRIPT_ERROR;
import static dev.quarrel.core.type.SqlState.DATA_EXCEPTION;
import static dev.quarrel.core.type.SqlState.FEATURE_NOT_SUPPORTED;
import static dev.quarrel.core.type.SqlState.NULL_VALUE_NOT_ALLOWED;
import static dev.quarrel.core.type.SqlState.NUMERIC_VALUE_OUT_OF_RANGE;
import static dev.quarrel.core.type.SqlState.PROGRAM_LIMIT_EXCEEDED;

import java.util.List;

/// Functions of arrays. Most of them take arrays of any type, and a call decides which.
final class ArrayRows {
    static final List<FunctionRow> ALL = List.of(
            function("cardinality", ANYARRAY).gives(INT4).kernel("array_cardinality"),
            function("array_ndims", ANYARRAY).gives(INT4).givesNull().kernel("array_ndims"),
            function("array_dims", ANYARRAY).gives(TEXT).givesNull().kernel("array_dims"),
            function("array_length", ANYARRAY, INT4).gives(INT4).givesNull().kernel("array_length"),
            function("array_lower", ANYARRAY, INT4).gives(INT4).givesNull().kernel("array_lower"),
            function("array_upper", ANYARRAY, INT4).gives(INT4).givesNull().kernel("array_upper"),
            function("array_append", ANYCOMPATIBLEARRAY, ANYCOMPATIBLE)
                    .gives(ANYCOMPATIBLEARRAY)
                    .takesNull()
                    .fails(DATA_EXCEPTION, NUMERIC_VALUE_OUT_OF_RANGE, PROGRAM_LIMIT_EXCEEDED)
                    .kernel("array_append"),
            function("array_prepend", ANYCOMPATIBLE, ANYCOMPATIBLEARRAY)
                    .gives(ANYCOMPATIBLEARRAY)
                    .takesNull()
                    .fails(DATA_EXCEPTION, NUMERIC_VALUE_OUT_OF_RANGE, PROGRAM_LIMIT_EXCEEDED)
                    .kernel("array_prepend"),
            function("array_cat", ANYCOMPATIBLEARRAY, ANYCOMPATIBLEARRAY)
                    .gives(ANYCOMPATIBLEARRAY)
                    .takesNull()
                    .givesNull()
                    .fails(ARRAY_SUBSCRIPT_ERROR, PROGRAM_LIMIT_EXCEEDED)
                    .kernel("array_cat"),
            function("array_remove", ANYCOMPATIBLEARRAY, ANYCOMPATIBLE)
                    .gives(ANYCOMPATIBLEARRAY)
                    .takesNull()
                    .givesNull()
                    .fails(FEATURE_NOT_SUPPORTED)
                    .kernel("array_remove"),
            function("array_replace", ANYCOMPATIBLEARRAY, ANYCOMPATIBLE, ANYCOMPATIBLE)
                    .gives(ANYCOMPATIBLEARRAY)
                    .takesNull()
                    .givesNull()
                    .fails(PROGRAM_LIMIT_EXCEEDED)
                    .kernel("array_replace"),
            function("array_position", ANYCOMPATIBLEARRAY, ANYCOMPATIBLE)
                    .gives(INT4)
                    .takesNull()
                    .givesNull()
                    .fails(FEATURE_NOT_SUPPORTED)
                    .kernel("array_position"),
            function("array_position", ANYCOMPATIBLEARRAY, ANYCOMPATIBLE, INT4)
                    .gives(INT4)
                    .takesNull()
                    .givesNull()
                    .fails(FEATURE_NOT_SUPPORTED, NULL_VALUE_NOT_ALLOWED)
                    .kernel("array_position_start"),
            function("array_positions", ANYCOMPATIBLEARRAY, ANYCOMPATIBLE)
                    .gives(INT4_ARRAY)
                    .takesNull()
                    .givesNull()
                    .fails(FEATURE_NOT_SUPPORTED)
                    .kernel("array_positions"),
            function("array_fill", ANYELEMENT, INT4_ARRAY)
                    .gives(ANYARRAY)
                    .takesNull()
                    .fails(NULL_VALUE_NOT_ALLOWED, ARRAY_SUBSCRIPT_ERROR, PROGRAM_LIMIT_EXCEEDED)
                    .kernel("array_fill"),
            function("array_fill", ANYELEMENT, INT4_ARRAY, INT4_ARRAY)
                    .gives(ANYARRAY)
                    .takesNull()
                    .fails(NULL_VALUE_NOT_ALLOWED, ARRAY_SUBSCRIPT_ERROR, PROGRAM_LIMIT_EXCEEDED)
                    .kernel("array_fill_with_lower_bounds"),
            function("array_to_string", ANYARRAY, TEXT).gives(TEXT).stable().kernel("array_to_text"),
            function("array_to_string", ANYARRAY, TEXT, TEXT)
                    .gives(TEXT)
                    .stable()
                    .takesNull()
                    .givesNull()
                    .kernel("array_to_text_null"),
            function("array_reverse", ANYARRAY).gives(ANYARRAY).kernel("array_reverse"),
            function("array_sort", ANYARRAY)
                    .gives(ANYARRAY)
                    .fails(FEATURE_NOT_SUPPORTED)
                    .kernel("array_sort"),
            function("array_sort", ANYARRAY, BOOL)
                    .gives(ANYARRAY)
                    .fails(FEATURE_NOT_SUPPORTED)
                    .kernel("array_sort_order"),
            function("array_sort", ANYARRAY, BOOL, BOOL)
                    .gives(ANYARRAY)
                    .fails(FEATURE_NOT_SUPPORTED)
                    .kernel("array_sort_order_nulls_first"),
            function("trim_array", ANYARRAY, INT4)
                    .gives(ANYARRAY)
                    .fails(ARRAY_SUBSCRIPT_ERROR)
                    .kernel("trim_array"),
            function("width_bucket", ANYCOMPATIBLE, ANYCOMPATIBLEARRAY)
                    .gives(INT4)
                    .fails(ARRAY_SUBSCRIPT_ERROR, NULL_VALUE_NOT_ALLOWED)
                    .kernel("width_bucket_array"),
            function("arraycontains", ANYARRAY, ANYARRAY).gives(BOOL).kernel("arraycontains"),
            function("arraycontained", ANYARRAY, ANYARRAY).gives(BOOL).kernel("arraycontained"),
            function("arrayoverlap", ANYARRAY, ANYARRAY).gives(BOOL).kernel("arrayoverlap"));

    private ArrayRows() {}
}
