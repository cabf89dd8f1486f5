package dev.quarrel.core.function;

import static dev.quarrel.core.function.FunctionRow.function;
import static dev.quarrel.core.pg.PgType.FLOAT4;
import static dev.quarrel.core.pg.PgType.FLOAT8;
import static dev.quarrel.core.pg.PgType.INT2;
import static dev.quarrel.core.pg.PgType.INT4;
import static dev.quarrel.core.pg.PgType.INT8;
import static dev.quarrel.core.pg.PgType.NUMERIC;
import static dev.quarrel.core.pg.PgType.OID;
import static dev.quarrel.core.pg.PgType.TEXT;
import static dev.quarrel.core.type.SqlState.DIVISION_BY_ZERO;
import static dev.quarrel.core.type.SqlState.FEATURE_NOT_SUPPORTED;
import static dev.quarrel.core.type.SqlState.INVALID_ARGUMENT_FOR_LOGARITHM;
import static dev.quarrel.core.type.SqlState.INVALID_ARGUMENT_FOR_POWER_FUNCTION;
import static dev.quarrel.core.type.SqlState.INVALID_ARGUMENT_FOR_WIDTH_BUCKET_FUNCTION;
import static dev.quarrel.core.type.SqlState.INVALID_PARAMETER_VALUE;
import static dev.quarrel.core.type.SqlState.NUMERIC_VALUE_OUT_OF_RANGE;

import dev.quarrel.core.pg.PgType;
import java.util.ArrayList;
import java.util.List;

/// Functions of numbers, but for those of double precision alone.
final class NumberRows {
    static final List<FunctionRow> ALL = all();

    private NumberRows() {}

    private static List<FunctionRow> all() {
        List<FunctionRow> rows = new ArrayList<>();
        for (PgType type : List.of(INT2, INT4, INT8, FLOAT4, FLOAT8, NUMERIC)) {
            rows.add(function("abs", type).gives(type).expression());
        }
        for (PgType type : List.of(INT2, INT4, INT8, NUMERIC)) {
            rows.add(function("mod", type, type).gives(type).expression());
        }
        for (String name : List.of("round", "trunc")) {
            rows.add(function(name, NUMERIC).gives(NUMERIC).expression());
            rows.add(function(name, NUMERIC, INT4).gives(NUMERIC).expression());
        }
        rows.add(function("oid", INT8)
                .gives(OID)
                .fails(NUMERIC_VALUE_OUT_OF_RANGE)
                .kernel("i8tooid"));
        for (String name : List.of("round", "dround")) {
            rows.add(function(name, FLOAT8).gives(FLOAT8).expression());
        }
        rows.add(function("int4inc", INT4)
                .gives(INT4)
                .fails(NUMERIC_VALUE_OUT_OF_RANGE)
                .expression());
        rows.add(function("numeric_inc", NUMERIC).gives(NUMERIC).expression());
        for (String name : List.of("ceil", "ceiling", "floor")) {
            rows.add(function(name, NUMERIC).gives(NUMERIC).expression());
            rows.add(function(name, FLOAT8).gives(FLOAT8).expression());
        }
        rows.add(function("sign", NUMERIC).gives(NUMERIC).kernel("numeric_sign"));
        for (String name : List.of("sqrt", "numeric_sqrt")) {
            rows.add(function(name, NUMERIC)
                    .gives(NUMERIC)
                    .fails(INVALID_ARGUMENT_FOR_POWER_FUNCTION, FEATURE_NOT_SUPPORTED)
                    .kernel("numeric_sqrt"));
        }
        for (String name : List.of("power", "pow")) {
            rows.add(function(name, NUMERIC, NUMERIC)
                    .gives(NUMERIC)
                    .fails(INVALID_ARGUMENT_FOR_POWER_FUNCTION, NUMERIC_VALUE_OUT_OF_RANGE, FEATURE_NOT_SUPPORTED)
                    .kernel("numeric_power"));
        }
        for (String name : List.of("exp", "numeric_exp")) {
            rows.add(function(name, NUMERIC)
                    .gives(NUMERIC)
                    .fails(NUMERIC_VALUE_OUT_OF_RANGE, FEATURE_NOT_SUPPORTED)
                    .kernel("numeric_exp"));
        }
        rows.add(logarithm("ln", "numeric_ln", NUMERIC));
        rows.add(logarithm("numeric_ln", "numeric_ln", NUMERIC));
        rows.add(logarithm("log", "numeric_log10", NUMERIC));
        rows.add(logarithm("log10", "numeric_log10", NUMERIC));
        rows.add(logarithm("log", "numeric_log", NUMERIC, NUMERIC));
        rows.add(logarithm("numeric_log", "numeric_log", NUMERIC, NUMERIC));
        for (String name : List.of("div", "numeric_div_trunc")) {
            rows.add(function(name, NUMERIC, NUMERIC)
                    .gives(NUMERIC)
                    .fails(DIVISION_BY_ZERO)
                    .kernel("numeric_div_trunc"));
        }
        rows.add(function("pg_size_bytes", TEXT)
                .gives(INT8)
                .fails(INVALID_PARAMETER_VALUE, NUMERIC_VALUE_OUT_OF_RANGE)
                .kernel("pg_size_bytes"));
        for (String name : List.of("gcd", "lcm")) {
            for (PgType type : List.of(INT4, INT8)) {
                rows.add(function(name, type, type)
                        .gives(type)
                        .fails(NUMERIC_VALUE_OUT_OF_RANGE)
                        .kernel(type.typeName() + name));
            }
            rows.add(function(name, NUMERIC, NUMERIC)
                    .gives(NUMERIC)
                    .fails(FEATURE_NOT_SUPPORTED)
                    .kernel("numeric_" + name));
        }
        rows.add(function("factorial", INT8)
                .gives(NUMERIC)
                .fails(NUMERIC_VALUE_OUT_OF_RANGE, FEATURE_NOT_SUPPORTED)
                .kernel("numeric_fac"));
        rows.add(function("scale", NUMERIC).gives(INT4).givesNull().kernel("numeric_scale"));
        rows.add(function("min_scale", NUMERIC).gives(INT4).givesNull().kernel("numeric_min_scale"));
        rows.add(function("trim_scale", NUMERIC).gives(NUMERIC).kernel("numeric_trim_scale"));
        rows.add(function("width_bucket", FLOAT8, FLOAT8, FLOAT8, INT4)
                .gives(INT4)
                .fails(INVALID_ARGUMENT_FOR_WIDTH_BUCKET_FUNCTION, NUMERIC_VALUE_OUT_OF_RANGE)
                .kernel("width_bucket_float8"));
        rows.add(function("width_bucket", NUMERIC, NUMERIC, NUMERIC, INT4)
                .gives(INT4)
                .fails(INVALID_ARGUMENT_FOR_WIDTH_BUCKET_FUNCTION, NUMERIC_VALUE_OUT_OF_RANGE)
                .kernel("width_bucket_numeric"));
        return List.copyOf(rows);
    }

    private static FunctionRow logarithm(String name, String id, PgType... arguments) {
        return function(name, arguments)
                .gives(NUMERIC)
                .fails(INVALID_ARGUMENT_FOR_LOGARITHM, DIVISION_BY_ZERO, FEATURE_NOT_SUPPORTED)
                .kernel(id);
    }
}
