package dev.quarrel.core.function;

import static dev.quarrel.core.function.FunctionRow.function;
import static dev.quarrel.core.pg.PgType.FLOAT8;
import static dev.quarrel.core.type.SqlState.INVALID_ARGUMENT_FOR_LOGARITHM;
import static dev.quarrel.core.type.SqlState.INVALID_ARGUMENT_FOR_POWER_FUNCTION;
import static dev.quarrel.core.type.SqlState.NUMERIC_VALUE_OUT_OF_RANGE;

import java.util.ArrayList;
import java.util.List;

/// Functions of double precision numbers: roots, powers, logarithms, trigonometry.
final class FloatRows {
    static final List<FunctionRow> ALL = all();

    private FloatRows() {}

    private static List<FunctionRow> all() {
        List<FunctionRow> rows = new ArrayList<>();
        rows.add(function("pi").gives(FLOAT8).kernel("dpi"));
        rows.add(function("sign", FLOAT8).gives(FLOAT8).kernel("dsign"));
        rows.add(function("trunc", FLOAT8).gives(FLOAT8).kernel("dtrunc"));
        rows.add(function("sqrt", FLOAT8)
                .gives(FLOAT8)
                .fails(INVALID_ARGUMENT_FOR_POWER_FUNCTION)
                .kernel("dsqrt"));
        rows.add(function("cbrt", FLOAT8).gives(FLOAT8).kernel("dcbrt"));
        for (String name : List.of("power", "pow")) {
            rows.add(function(name, FLOAT8, FLOAT8)
                    .gives(FLOAT8)
                    .fails(INVALID_ARGUMENT_FOR_POWER_FUNCTION, NUMERIC_VALUE_OUT_OF_RANGE)
                    .kernel("dpow"));
        }
        rows.add(ranged("exp", "dexp"));
        for (String name : List.of("ln", "log", "log10")) {
            rows.add(function(name, FLOAT8)
                    .gives(FLOAT8)
                    .fails(INVALID_ARGUMENT_FOR_LOGARITHM)
                    .kernel(name.equals("ln") ? "dlog1" : "dlog10"));
        }
        for (String name :
                List.of("sin", "cos", "tan", "cot", "asin", "acos", "acosh", "atanh", "degrees", "radians")) {
            rows.add(ranged(name, name.equals("degrees") || name.equals("radians") ? name : "d" + name));
        }
        for (String name : List.of("atan", "sinh", "cosh", "tanh", "asinh")) {
            rows.add(function(name, FLOAT8).gives(FLOAT8).kernel("d" + name));
        }
        rows.add(function("atan2", FLOAT8, FLOAT8).gives(FLOAT8).kernel("datan2"));
        return List.copyOf(rows);
    }

    private static FunctionRow ranged(String name, String id) {
        return function(name, FLOAT8)
                .gives(FLOAT8)
                .fails(NUMERIC_VALUE_OUT_OF_RANGE)
                .kernel(id);
    }
}
