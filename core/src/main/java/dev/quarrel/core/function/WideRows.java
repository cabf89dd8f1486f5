package dev.quarrel.core.function;

import static dev.quarrel.core.function.FunctionRow.function;
import static dev.quarrel.core.pg.PgType.FLOAT4;
import static dev.quarrel.core.pg.PgType.FLOAT8;
import static dev.quarrel.core.pg.PgType.INT2;
import static dev.quarrel.core.pg.PgType.INT4;
import static dev.quarrel.core.pg.PgType.INT8;
import static dev.quarrel.core.pg.PgType.NUMERIC;
import static dev.quarrel.core.pg.PgType.NUMERIC_ARRAY;
import static dev.quarrel.core.pg.PgType.TEXT;
import static dev.quarrel.core.pg.PgType.WIDE_NUMERIC;
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
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;

/// Functions of numerics of any number of digits: overloads of those of numeric, which no list shows, since
/// PostgreSQL has one numeric. A statement gets them where an argument has too many digits for the other.
public final class WideRows {
    private static final Map<String, String> UNARY = new TreeMap<>(Map.ofEntries(
            Map.entry("abs", "abs"),
            Map.entry("numeric_abs", "abs"),
            Map.entry("numeric_uminus", "uminus"),
            Map.entry("numeric_uplus", "uplus"),
            Map.entry("numeric_inc", "inc"),
            Map.entry("ceil", "ceil"),
            Map.entry("ceiling", "ceil"),
            Map.entry("floor", "floor"),
            Map.entry("round", "round"),
            Map.entry("trunc", "trunc"),
            Map.entry("sign", "sign"),
            Map.entry("sqrt", "sqrt"),
            Map.entry("numeric_sqrt", "sqrt"),
            Map.entry("exp", "exp"),
            Map.entry("numeric_exp", "exp"),
            Map.entry("ln", "ln"),
            Map.entry("numeric_ln", "ln"),
            Map.entry("log", "log10"),
            Map.entry("log10", "log10"),
            Map.entry("trim_scale", "trim_scale")));
    private static final Map<String, String> BINARY = new TreeMap<>(Map.ofEntries(
            Map.entry("numeric_add", "add"),
            Map.entry("numeric_sub", "sub"),
            Map.entry("numeric_mul", "mul"),
            Map.entry("numeric_div", "div"),
            Map.entry("numeric_mod", "mod"),
            Map.entry("mod", "mod"),
            Map.entry("power", "power"),
            Map.entry("pow", "power"),
            Map.entry("numeric_power", "power"),
            Map.entry("log", "log"),
            Map.entry("numeric_log", "log"),
            Map.entry("div", "div_trunc"),
            Map.entry("numeric_div_trunc", "div_trunc"),
            Map.entry("gcd", "gcd"),
            Map.entry("lcm", "lcm"),
            Map.entry("numeric_larger", "larger"),
            Map.entry("numeric_smaller", "smaller")));

    /// Overloads that calls by name may mean.
    public static final List<FunctionRow> OVERLOADS = overloads();

    /// Overloads of functions that give rows.
    public static final List<FunctionRow> IN_FROM = List.of(
            function("generate_series", WIDE_NUMERIC, WIDE_NUMERIC)
                    .gives(WIDE_NUMERIC)
                    .fails(INVALID_PARAMETER_VALUE, NUMERIC_VALUE_OUT_OF_RANGE)
                    .rows("generate_series_wide"),
            function("generate_series", WIDE_NUMERIC, WIDE_NUMERIC, WIDE_NUMERIC)
                    .gives(WIDE_NUMERIC)
                    .fails(INVALID_PARAMETER_VALUE, NUMERIC_VALUE_OUT_OF_RANGE)
                    .rows("generate_series_wide"));

    /// What casts and the like are made of.
    private static final List<FunctionRow> CASTS = List.of(
            row("numeric wide", WIDE_NUMERIC, WIDE_NUMERIC, INT4).kernel("wide_sized"),
            row("numeric wide", WIDE_NUMERIC, FLOAT4).kernel("wide_of_float4"),
            row("numeric wide", WIDE_NUMERIC, FLOAT8).kernel("wide_of_float8"),
            row("wide_to_numeric", NUMERIC, WIDE_NUMERIC).kernel("wide_to_numeric"),
            row("wide_fac", WIDE_NUMERIC, INT8).kernel("wide_fac"),
            row("wide_greatest", WIDE_NUMERIC, WIDE_NUMERIC, WIDE_NUMERIC)
                    .takesNull()
                    .givesNull()
                    .kernel("wide_greatest"),
            row("wide_least", WIDE_NUMERIC, WIDE_NUMERIC, WIDE_NUMERIC)
                    .takesNull()
                    .givesNull()
                    .kernel("wide_least"));

    /// What aggregates make of the array of all values.
    private static final List<FunctionRow> AGGREGATES = Stream.of(
                    "sum", "avg", "var_pop", "var_samp", "stddev_pop", "stddev_samp")
            .map(name ->
                    row(name + "_all", WIDE_NUMERIC, NUMERIC_ARRAY).givesNull().kernel("wide_" + name + "_all"))
            .toList();

    static final List<FunctionRow> INTERNAL = Stream.of(OVERLOADS, IN_FROM, CASTS, AGGREGATES)
            .flatMap(List::stream)
            .toList();

    private WideRows() {}

    private static List<FunctionRow> overloads() {
        List<FunctionRow> rows = new ArrayList<>();
        UNARY.forEach(
                (name, kernel) -> rows.add(row(name, WIDE_NUMERIC, WIDE_NUMERIC).kernel("wide_" + kernel)));
        BINARY.forEach((name, kernel) ->
                rows.add(row(name, WIDE_NUMERIC, WIDE_NUMERIC, WIDE_NUMERIC).kernel("wide_" + kernel)));
        rows.add(row("round", WIDE_NUMERIC, WIDE_NUMERIC, INT4).kernel("wide_round"));
        rows.add(row("trunc", WIDE_NUMERIC, WIDE_NUMERIC, INT4).kernel("wide_trunc"));
        rows.add(row("scale", INT4, WIDE_NUMERIC).givesNull().kernel("wide_scale"));
        rows.add(row("min_scale", INT4, WIDE_NUMERIC).givesNull().kernel("wide_min_scale"));
        rows.add(row("width_bucket", INT4, WIDE_NUMERIC, WIDE_NUMERIC, WIDE_NUMERIC, INT4)
                .kernel("wide_width_bucket"));
        rows.add(row("to_char", TEXT, WIDE_NUMERIC, TEXT).kernel("wide_to_char"));
        for (PgType type : List.of(INT2, INT4, INT8, FLOAT4, FLOAT8)) {
            rows.add(row(type.typeName(), type, WIDE_NUMERIC).kernel("wide_to_" + type.typeName()));
        }
        return List.copyOf(rows);
    }

    private static FunctionRow.Draft row(String name, PgType result, PgType... arguments) {
        return function(name, arguments)
                .gives(result)
                .fails(
                        NUMERIC_VALUE_OUT_OF_RANGE,
                        DIVISION_BY_ZERO,
                        INVALID_ARGUMENT_FOR_LOGARITHM,
                        INVALID_ARGUMENT_FOR_POWER_FUNCTION,
                        INVALID_ARGUMENT_FOR_WIDTH_BUCKET_FUNCTION,
                        FEATURE_NOT_SUPPORTED);
    }
}
