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
        for (String name : List.of("trunc", "dtrunc")) {
            rows.add(function(name, FLOAT8).gives(FLOAT8).kernel("dtrunc"));
        }
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
        for (String name : List.of("exp", "dexp")) {
            rows.add(ranged(name, "dexp"));
        }
        for (String name : List.of("ln", "dlog1", "log", "log10", "dlog10")) {
            rows.add(function(name, FLOAT8)
                    .gives(FLOAT8)
                    .fails(INVALID_ARGUMENT_FOR_LOGARITHM)
                    .kernel(name.equals("ln") || name.equals("dlog1") ? "dlog1" : "dlog10"));
        }
        for (String name :
                List.of("sin", "cos", "tan", "cot", "asin", "acos", "acosh", "atanh", "degrees", "radians")) {
            rows.add(ranged(name, name.equals("degrees") || name.equals("radians") ? name : "d" + name));
        }
        for (String name : List.of("atan", "sinh", "cosh", "tanh", "asinh")) {
            rows.add(function(name, FLOAT8).gives(FLOAT8).kernel("d" + name));
        }
        for (String name : List.of("sind", "cosd", "tand", "cotd", "asind", "acosd")) {
            rows.add(ranged(name, "d" + name));
        }
        rows.add(function("atand", FLOAT8).gives(FLOAT8).kernel("datand"));
        for (String name : List.of("erf", "erfc")) {
            rows.add(function(name, FLOAT8).gives(FLOAT8).kernel("d" + name));
        }
        rows.add(ranged("gamma", "dgamma"));
        rows.add(ranged("lgamma", "dlgamma"));
        rows.add(function("atan2", FLOAT8, FLOAT8).gives(FLOAT8).kernel("datan2"));
        rows.add(function("atan2d", FLOAT8, FLOAT8).gives(FLOAT8).kernel("datan2d"));
        return List.copyOf(rows);
    }

    private static FunctionRow ranged(String name, String id) {
        return function(name, FLOAT8)
                .gives(FLOAT8)
                .fails(NUMERIC_VALUE_OUT_OF_RANGE)
                .kernel(id);
    }
}
