package dev.quarrel.calcite.sql.series;

import dev.quarrel.calcite.sql.type.SqlType;
import org.apache.calcite.sql.SqlNode;

/// `interpolate(value, prev, next)`: in a bucket without a group, the value on the line from the group before to the
/// next one; NULL where one of the two is missing or has none. Integers are rounded, of the same type; `numeric` is
/// `double precision`.
///
/// In the place of a group or value that is missing up to the first bucket is `prev`, if there is one; in that of a
/// group behind is `next`.
///
/// - Source: TimescaleDB's gapfill_interpolate_calculate in `interpolate.c`.
///
/// @param place the value's
/// @param type the value's
/// @param first the first bucket
/// @param prev null for nothing
/// @param next null for nothing
record Interpolation(
        SeriesTree tree,
        FilledGroups groups,
        GapfillSteps steps,
        int place,
        SqlType type,
        SqlNode first,
        GapfillSample prev,
        GapfillSample next) {
    /// Where the line begins or ends.
    private record End(SqlNode time, SqlNode value) {}

    SqlNode value() {
        String result = result();
        SqlNode own = tree.cast(groups.previousValue(place), result);
        return tree.choice(groups.isThere(), own, between(result));
    }

    private String result() {
        return switch (type) {
            case INT2, INT4, INT8, FLOAT4 -> type.pgType().typeName();
            default -> SqlType.FLOAT8.pgType().typeName();
        };
    }

    private End before() {
        End found = new End(groups.previousBucket(), groups.previousValue(place));
        if (prev == null) {
            return found;
        }
        SqlNode begun = tree.or(tree.isNull(found.time), tree.less(found.time, first));
        SqlNode isMissing = tree.and(tree.and(tree.notLess(groups.bucket(), first), begun), tree.isNull(found.value));
        return either(isMissing, prev, found);
    }

    private End after() {
        End found = new End(groups.nextBucket(), groups.nextValue(place));
        return next == null ? found : either(tree.isNull(found.time), next, found);
    }

    private End either(SqlNode isMissing, GapfillSample sample, End found) {
        return new End(
                tree.choice(isMissing, steps.local(sample.time()), found.time),
                tree.choice(isMissing, tree.cast(sample.value(), type.pgType().typeName()), found.value));
    }

    /// (y0 (x1 - x) + y1 (x - x0)) / (x1 - x0), of integers as `numeric`; equal values stay as they are.
    private SqlNode between(String result) {
        End begin = before();
        End end = after();
        String inner = type.isInteger() ? "numeric" : result;
        SqlNode before = tree.cast(begin.value, inner);
        SqlNode after = tree.cast(end.value, inner);
        SqlNode left = tree.cast(steps.distance(groups.bucket(), end.time), inner);
        SqlNode passed = tree.cast(steps.distance(begin.time, groups.bucket()), inner);
        SqlNode whole = tree.cast(steps.distance(begin.time, end.time), inner);
        SqlNode line = tree.over(tree.plus(tree.times(before, left), tree.times(after, passed)), whole);
        return tree.cast(tree.choice(tree.equal(before, after), before, line), result);
    }
}
