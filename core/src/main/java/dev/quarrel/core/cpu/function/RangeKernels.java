package dev.quarrel.core.cpu.function;

import dev.quarrel.core.cpu.text.Arguments;
import dev.quarrel.core.function.RangeRows;
import dev.quarrel.core.pg.ArrayText;
import dev.quarrel.core.pg.PgType;
import dev.quarrel.core.pg.Range;
import dev.quarrel.core.pg.RangeForm;
import dev.quarrel.core.pg.RangeSet;
import dev.quarrel.core.pg.RangeValues;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;
import java.time.ZoneId;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.BiFunction;
import java.util.function.BiPredicate;
import java.util.function.Function;
import java.util.function.Supplier;

/// Functions of ranges and multiranges, which are both sets of ranges.
///
/// - Source: PostgreSQL's `rangetypes.c` and `multirangetypes.c`.
final class RangeKernels {
    private static final Map<String, BiPredicate<RangeSet, RangeSet>> TESTS = Map.of(
            "overlaps", RangeSet::overlaps,
            "contains", RangeSet::contains,
            "contained_by", (left, right) -> right.contains(left),
            "before", RangeSet::isBefore,
            "after", (left, right) -> right.isBefore(left),
            "overleft", RangeSet::isOverLeft,
            "overright", RangeSet::isOverRight,
            "adjacent", RangeSet::isAdjacent);

    private RangeKernels() {}

    /// Functions of ranges of any values.
    static void registerOfValues(Map<String, Function<PgType, BatchFunction>> kernels) {
        for (boolean isMulti : new boolean[] {false, true}) {
            String prefix = isMulti ? "multirange_" : "range_";
            put(kernels, prefix + "lower", (in, values) -> bound(set(in, 0, values), true));
            put(kernels, prefix + "upper", (in, values) -> bound(set(in, 0, values), false));
            put(
                    kernels,
                    prefix + "lower_inc",
                    (in, values) -> has(set(in, 0, values), set -> set.first().hasLower()));
            put(
                    kernels,
                    prefix + "upper_inc",
                    (in, values) -> has(set(in, 0, values), set -> set.last().hasUpper()));
            put(
                    kernels,
                    prefix + "lower_inf",
                    (in, values) -> has(set(in, 0, values), set -> set.first().lower() == null));
            put(
                    kernels,
                    prefix + "upper_inf",
                    (in, values) -> has(set(in, 0, values), set -> set.last().upper() == null));
            put(kernels, prefix + "empty", (in, values) -> set(in, 0, values).isEmpty());
            put(
                    kernels,
                    prefix + "contains_elem",
                    (in, values) -> set(in, 0, values).contains(in.value(1)));
            put(
                    kernels,
                    "elem_contained_by_" + (isMulti ? "multirange" : "range"),
                    (in, values) -> set(in, 1, values).contains(in.value(0)));
            made(kernels, prefix + "union", isMulti, isMulti ? RangeSet::union : RangeSet::unionOfRanges, "union");
            made(kernels, prefix + "minus", isMulti, RangeSet::minus, "difference");
            made(kernels, prefix + "intersect", isMulti, RangeSet::intersect, "intersection");
            for (boolean isRightMulti : new boolean[] {false, true}) {
                TESTS.forEach((operation, test) -> put(
                        kernels,
                        RangeRows.name(operation, isMulti, isRightMulti),
                        (in, values) -> test.test(set(in, 0, values), set(in, 1, values))));
            }
        }
        put(
                kernels,
                "range_merge",
                (in, values) -> set(in, 0, values).merged(set(in, 1, values)).rangeText());
        put(
                kernels,
                "range_merge_from_multirange",
                (in, values) -> set(in, 0, values).merged().rangeText());
        put(
                kernels,
                "multirange_constructor1",
                (in, values) -> set(in, 0, values).text());
    }

    private static void made(
            Map<String, Function<PgType, BatchFunction>> kernels,
            String id,
            boolean isMulti,
            BiFunction<RangeSet, RangeSet, RangeSet> function,
            String what) {
        put(kernels, id, (in, values) -> {
            RangeSet made = function.apply(set(in, 0, values), set(in, 1, values));
            return isMulti ? made.text() : made.oneRange(what).rangeText();
        });
    }

    private static void put(
            Map<String, Function<PgType, BatchFunction>> kernels,
            String id,
            BiFunction<Arguments, RangeValues, Object> function) {
        kernels.put(id, element -> {
            RangeValues values = new RangeValues(element);
            return BatchFunction.eachRow((in, out, row) -> Results.set(out, row, function.apply(in, values)));
        });
    }

    private static RangeSet set(Arguments in, int argument, RangeValues values) {
        return RangeSet.of(BitKernels.text(in, argument), values);
    }

    private static Object bound(RangeSet set, boolean isLower) {
        return set.isEmpty() ? null : isLower ? set.first().lower() : set.last().upper();
    }

    private static boolean has(RangeSet set, Function<RangeSet, Boolean> test) {
        return !set.isEmpty() && test.apply(set);
    }

    /// Constructors, and what has the type in its name.
    static void register(Map<String, Supplier<BatchFunction>> kernels) {
        BitKernels.put(kernels, "multirange_constructor0", _ -> "{}");
        for (PgType type : PgType.values()) {
            if (!(type.form() instanceof RangeForm(RangeValues values, boolean isMulti))) {
                continue;
            }
            String name = type.typeName();
            if (isMulti) {
                BitKernels.put(
                        kernels,
                        "multirange_constructor1_" + name,
                        in -> set(in, 0, values).text());
                BitKernels.put(kernels, "multirange_of_array_" + name, in -> ofArray(in, values));
            } else {
                for (int count : new int[] {2, 3}) {
                    BitKernels.put(kernels, "range_constructor" + count + "_" + name, in -> constructed(in, values));
                }
            }
            fold(kernels, "range_agg_all_" + name, values, true, RangeSet::union);
            fold(kernels, "range_intersect_agg_all_" + name, values, isMulti, RangeSet::intersect);
            if (type.form().isShownInZone()) {
                BitKernels.put(
                        kernels,
                        "range_out_" + name,
                        in -> ((RangeForm) type.form())
                                .shown(BitKernels.text(in, 0), ZoneId.of(BitKernels.text(in, 1))));
            }
        }
    }

    private static String constructed(Arguments in, RangeValues values) {
        String brackets = in.count() < 3 ? "[)" : in.isNull(2) ? null : BitKernels.text(in, 2);
        Object lower = in.isNull(0) ? null : in.value(0);
        Object upper = in.isNull(1) ? null : in.value(1);
        return RangeSet.of(values, lower, upper, brackets).rangeText();
    }

    /// - Errors: 22000 for NULL among the ranges.
    private static String ofArray(Arguments in, RangeValues values) {
        RangeSet all = RangeSet.of("{}", values);
        for (String each : ArrayText.parseNested(BitKernels.text(in, 0)).elements()) {
            if (each == null) {
                throw new QueryException(
                        SqlState.NULL_VALUE_NOT_ALLOWED, "multirange values cannot contain null members");
            }
            all = all.union(RangeSet.of(each, values));
        }
        return all.text();
    }

    private static void fold(
            Map<String, Supplier<BatchFunction>> kernels,
            String id,
            RangeValues values,
            boolean isMulti,
            java.util.function.BinaryOperator<RangeSet> operator) {
        BitKernels.put(kernels, id, in -> {
            List<RangeSet> sets = ArrayText.parseNested(BitKernels.text(in, 0)).elements().stream()
                    .filter(Objects::nonNull)
                    .map(each -> RangeSet.of(each, values))
                    .toList();
            return sets.stream()
                    .reduce(operator)
                    .map(set -> isMulti ? set.text() : set.rangeText())
                    .orElse(null);
        });
    }

    /// The ranges of a multirange.
    static void registerRows(Map<String, Function<PgType, RowsFunction>> kernels) {
        kernels.put("multirange_unnest", element -> {
            RangeValues values = new RangeValues(element);
            return arguments -> RangeSet.of((String) arguments[0], values).ranges().stream()
                    .map(Range::text)
                    .iterator();
        });
    }
}
