package dev.quarrel.core.function;

import static dev.quarrel.core.function.FunctionRow.function;
import static dev.quarrel.core.pg.PgType.ANYELEMENT;
import static dev.quarrel.core.pg.PgType.ANYMULTIRANGE;
import static dev.quarrel.core.pg.PgType.ANYRANGE;
import static dev.quarrel.core.pg.PgType.BOOL;
import static dev.quarrel.core.pg.PgType.TEXT;
import static dev.quarrel.core.type.SqlState.DATA_EXCEPTION;
import static dev.quarrel.core.type.SqlState.DATETIME_FIELD_OVERFLOW;
import static dev.quarrel.core.type.SqlState.NULL_VALUE_NOT_ALLOWED;
import static dev.quarrel.core.type.SqlState.NUMERIC_VALUE_OUT_OF_RANGE;
import static dev.quarrel.core.type.SqlState.SYNTAX_ERROR;

import dev.quarrel.core.pg.PgType;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/// Functions of ranges and multiranges.
public final class RangeRows {
    /// What ranges are made of.
    private static final List<PgType> ELEMENTS =
            List.of(PgType.INT4, PgType.INT8, PgType.NUMERIC, PgType.DATE, PgType.TIMESTAMP, PgType.TIMESTAMPTZ);

    /// Operators between two ranges, between a range and a multirange, and between two multiranges: the functions that
    /// compute them are named after both.
    public static final Map<String, String> OPERATORS = Map.of(
            "&&", "overlaps",
            "@>", "contains",
            "<@", "contained_by",
            "<<", "before",
            ">>", "after",
            "&<", "overleft",
            "&>", "overright",
            "-|-", "adjacent");

    static final List<FunctionRow> ALL = all();

    /// What aggregates of all values are, casts to text in a zone, and multiranges of any number of ranges.
    static final List<FunctionRow> INTERNAL = internal();

    private RangeRows() {}

    /// The name of the function of an operator.
    ///
    /// @param operation as [#OPERATORS] has it
    public static String name(String operation, boolean isLeftMulti, boolean isRightMulti) {
        String left = isLeftMulti ? "multirange" : "range";
        boolean isPlain = !isLeftMulti && !isRightMulti;
        return left + "_" + operation + (isPlain ? "" : isRightMulti ? "_multirange" : "_range");
    }

    private static List<FunctionRow> all() {
        List<FunctionRow> rows = new ArrayList<>();
        for (PgType element : ELEMENTS) {
            String name = element.range().typeName();
            for (List<PgType> arguments : List.of(List.of(element, element), List.of(element, element, TEXT))) {
                rows.add(function(name, arguments.toArray(PgType[]::new))
                        .gives(element.range())
                        .takesNull()
                        .fails(DATA_EXCEPTION, SYNTAX_ERROR, NUMERIC_VALUE_OUT_OF_RANGE, DATETIME_FIELD_OVERFLOW)
                        .kernel("range_constructor" + arguments.size() + "_" + name));
            }
            String multi = element.multirange().typeName();
            rows.add(function(multi).gives(element.multirange()).kernel("multirange_constructor0"));
            rows.add(function(multi, element.range())
                    .gives(element.multirange())
                    .kernel("multirange_constructor1_" + multi));
        }
        for (PgType type : List.of(ANYRANGE, ANYMULTIRANGE)) {
            String prefix = type == ANYRANGE ? "range_" : "multirange_";
            for (String bound : List.of("lower", "upper")) {
                rows.add(function(bound, type).gives(ANYELEMENT).givesNull().kernel(prefix + bound));
                rows.add(function(bound + "_inc", type).gives(BOOL).kernel(prefix + bound + "_inc"));
                rows.add(function(bound + "_inf", type).gives(BOOL).kernel(prefix + bound + "_inf"));
            }
            rows.add(function("isempty", type).gives(BOOL).kernel(prefix + "empty"));
            rows.add(function(prefix + "contains_elem", type, ANYELEMENT)
                    .gives(BOOL)
                    .kernel(prefix + "contains_elem"));
            String contained = "elem_contained_by_" + prefix.substring(0, prefix.length() - 1);
            rows.add(function(contained, ANYELEMENT, type).gives(BOOL).kernel(contained));
            for (String operation : List.of("union", "minus", "intersect")) {
                FunctionRow.Draft draft =
                        function(prefix + operation, type, type).gives(type);
                boolean mayFail = type == ANYRANGE && !operation.equals("intersect");
                rows.add((mayFail ? draft.fails(DATA_EXCEPTION) : draft).kernel(prefix + operation));
            }
        }
        rows.add(function("range_merge", ANYRANGE, ANYRANGE).gives(ANYRANGE).kernel("range_merge"));
        rows.add(function("range_merge", ANYMULTIRANGE).gives(ANYRANGE).kernel("range_merge_from_multirange"));
        rows.add(function("multirange", ANYRANGE).gives(ANYMULTIRANGE).kernel("multirange_constructor1"));
        rows.add(function("unnest", ANYMULTIRANGE).gives(ANYRANGE).rows("multirange_unnest"));
        for (String operation : OPERATORS.values().stream().sorted().toList()) {
            for (boolean isLeftMulti : new boolean[] {false, true}) {
                for (boolean isRightMulti : new boolean[] {false, true}) {
                    String name = name(operation, isLeftMulti, isRightMulti);
                    rows.add(function(
                                    name,
                                    isLeftMulti ? ANYMULTIRANGE : ANYRANGE,
                                    isRightMulti ? ANYMULTIRANGE : ANYRANGE)
                            .gives(BOOL)
                            .kernel(name));
                }
            }
        }
        return List.copyOf(rows);
    }

    private static List<FunctionRow> internal() {
        List<FunctionRow> rows = new ArrayList<>();
        for (PgType element : ELEMENTS) {
            PgType multi = element.multirange();
            for (PgType type : List.of(element.range(), multi)) {
                PgType array = type.array().orElseThrow();
                rows.add(function("range_agg_all", array)
                        .gives(multi)
                        .givesNull()
                        .kernel("range_agg_all_" + type.typeName()));
                rows.add(function("range_intersect_agg_all", array)
                        .gives(type)
                        .givesNull()
                        .kernel("range_intersect_agg_all_" + type.typeName()));
                if (element == PgType.TIMESTAMPTZ) {
                    rows.add(function("range_out", type).gives(TEXT).zoned().kernel("range_out_" + type.typeName()));
                }
            }
            rows.add(function("multirange_of_array", element.range().array().orElseThrow())
                    .gives(multi)
                    .fails(NULL_VALUE_NOT_ALLOWED)
                    .kernel("multirange_of_array_" + multi.typeName()));
        }
        return List.copyOf(rows);
    }
}
