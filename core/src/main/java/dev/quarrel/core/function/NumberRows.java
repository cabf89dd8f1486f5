package dev.quarrel.core.function;

import static dev.quarrel.core.function.FunctionRow.function;
import static dev.quarrel.core.pg.PgType.FLOAT4;
import static dev.quarrel.core.pg.PgType.FLOAT8;
import static dev.quarrel.core.pg.PgType.INT2;
import static dev.quarrel.core.pg.PgType.INT4;
import static dev.quarrel.core.pg.PgType.INT8;
import static dev.quarrel.core.pg.PgType.NUMERIC;
import static dev.quarrel.core.type.SqlState.FEATURE_NOT_SUPPORTED;
import static dev.quarrel.core.type.SqlState.INVALID_ARGUMENT_FOR_LOGARITHM;
import static dev.quarrel.core.type.SqlState.INVALID_ARGUMENT_FOR_POWER_FUNCTION;
import static dev.quarrel.core.type.SqlState.NUMERIC_VALUE_OUT_OF_RANGE;

import java.util.ArrayList;
import java.util.List;

/// Functions of numbers.
final class NumberRows {
    static final List<FunctionRow> ALL = all();

    private NumberRows() {}

    private static List<FunctionRow> all() {
        List<FunctionRow> rows = new ArrayList<>();
        for (var type : List.of(INT2, INT4, INT8, FLOAT4, FLOAT8, NUMERIC)) {
            rows.add(function("abs", type).gives(type).expression());
        }
        for (var type : List.of(INT2, INT4, INT8, NUMERIC)) {
            rows.add(function("mod", type, type).gives(type).expression());
        }
        for (String name : List.of("round", "trunc")) {
            rows.add(function(name, NUMERIC).gives(NUMERIC).expression());
            rows.add(function(name, NUMERIC, INT4).gives(NUMERIC).expression());
        }
        rows.add(function("round", FLOAT8).gives(FLOAT8).expression());
        for (String name : List.of("ceil", "ceiling", "floor")) {
            rows.add(function(name, NUMERIC).gives(NUMERIC).expression());
            rows.add(function(name, FLOAT8).gives(FLOAT8).expression());
        }
        rows.add(function("sign", NUMERIC).gives(NUMERIC).kernel("numeric_sign"));
        rows.add(function("sign", FLOAT8).gives(FLOAT8).kernel("dsign"));
        rows.add(function("sqrt", FLOAT8)
                .gives(FLOAT8)
                .fails(INVALID_ARGUMENT_FOR_POWER_FUNCTION)
                .kernel("dsqrt"));
        rows.add(function("sqrt", NUMERIC)
                .gives(NUMERIC)
                .fails(INVALID_ARGUMENT_FOR_POWER_FUNCTION, FEATURE_NOT_SUPPORTED)
                .kernel("numeric_sqrt"));
        rows.add(function("ln", FLOAT8)
                .gives(FLOAT8)
                .fails(INVALID_ARGUMENT_FOR_LOGARITHM)
                .kernel("dlog1"));
        rows.add(function("ln", NUMERIC)
                .gives(NUMERIC)
                .fails(INVALID_ARGUMENT_FOR_LOGARITHM, FEATURE_NOT_SUPPORTED)
                .kernel("numeric_ln"));
        for (String name : List.of("power", "pow")) {
            rows.add(function(name, FLOAT8, FLOAT8)
                    .gives(FLOAT8)
                    .fails(INVALID_ARGUMENT_FOR_POWER_FUNCTION, NUMERIC_VALUE_OUT_OF_RANGE)
                    .kernel("dpow"));
            rows.add(function(name, NUMERIC, NUMERIC)
                    .gives(NUMERIC)
                    .fails(INVALID_ARGUMENT_FOR_POWER_FUNCTION, NUMERIC_VALUE_OUT_OF_RANGE, FEATURE_NOT_SUPPORTED)
                    .kernel("numeric_power"));
        }
        return List.copyOf(rows);
    }
}
