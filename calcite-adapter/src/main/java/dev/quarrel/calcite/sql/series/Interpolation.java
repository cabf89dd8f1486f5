package dev.quarrel.calcite.sql.series;

import dev.quarrel.calcite.sql.type.SqlType;
import org.apache.calcite.sql.SqlNode;

/// `interpolate(value)`: in a bucket without a group, the value on the line from the group before to the next one; NULL
/// where one of the two is missing or has none. Integers are rounded, of the same type; `numeric` is `double
/// precision`.
///
/// @param place the value's
/// @param type the value's
record Interpolation(SeriesTree tree, FilledGroups groups, GapfillSteps steps, int place, SqlType type) {
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

    /// (y0 (x1 - x) + y1 (x - x0)) / (x1 - x0), of integers as `numeric`; equal values stay as they are.
    private SqlNode between(String result) {
        String inner = type.isInteger() ? "numeric" : result;
        SqlNode before = tree.cast(groups.previousValue(place), inner);
        SqlNode after = tree.cast(groups.nextValue(place), inner);
        SqlNode left = tree.cast(steps.distance(groups.bucket(), groups.nextBucket()), inner);
        SqlNode passed = tree.cast(steps.distance(groups.previousBucket(), groups.bucket()), inner);
        SqlNode whole = tree.cast(steps.distance(groups.previousBucket(), groups.nextBucket()), inner);
        SqlNode line = tree.over(tree.plus(tree.times(before, left), tree.times(after, passed)), whole);
        return tree.cast(tree.choice(tree.equal(before, after), before, line), result);
    }
}
