package dev.quarrel.calcite.sql.series;

import dev.quarrel.calcite.sql.type.SqlType;
import org.apache.calcite.sql.SqlNode;

/// The buckets of `time_bucket_gapfill`, counted as `time_bucket` does: of times in local time, which is UTC where no
/// zone is given; of integers as `bigint`.
///
/// @param zone of the buckets of a `timestamptz`; null for UTC
/// @param origin where buckets begin, of the time's type; null for TimescaleDB's
record GapfillSteps(SeriesTree tree, SqlType type, SqlNode width, SqlNode zone, SqlNode origin) {
    static boolean takes(SqlType type) {
        return DesignatedTimestamp.isTime(type) || type.isInteger();
    }

    /// A value of the time's type, or one that is cast to it, as the buckets are counted.
    SqlNode local(SqlNode time) {
        SqlNode typed = tree.cast(time, type.pgType().typeName());
        return switch (type) {
            case TIMESTAMPTZ -> tree.atTimeZone(typed, zone == null ? tree.text("UTC") : zone);
            case DATE -> tree.cast(typed, "timestamp");
            case TIMESTAMP -> typed;
            default -> tree.cast(typed, "int8");
        };
    }

    /// A bucket as a value of the time's type.
    SqlNode shown(SqlNode local) {
        return switch (type) {
            case TIMESTAMPTZ ->
                zone == null ? tree.atTimeZone(local, tree.text("UTC")) : tree.shownAtTimeZone(local, zone);
            case TIMESTAMP -> local;
            default -> tree.cast(local, type.pgType().typeName());
        };
    }

    /// Whether clocks show any time of a bucket; null where all are shown.
    SqlNode isShown(SqlNode bucket) {
        return zone == null || type != SqlType.TIMESTAMPTZ
                ? null
                : TimeBuckets.isShown(tree, bucket, step(), this::shown);
    }

    /// When the bucket begins that a local time is in; null for a step that is not built.
    SqlNode of(SqlNode local) {
        if (!type.isInteger()) {
            return TimeBucketCall.bucket(tree, width, local, origin == null ? null : local(origin));
        }
        SqlNode step = step();
        SqlNode past = tree.rest(tree.plus(tree.rest(local, step), step), step);
        return tree.minus(local, past);
    }

    /// From one bucket to the next.
    SqlNode step() {
        return type.isInteger() ? tree.cast(width, "int8") : TimeBucketCall.interval(tree, width);
    }

    /// The least difference of two values of the time's type.
    SqlNode unit() {
        return switch (type) {
            case TIMESTAMPTZ, TIMESTAMP -> tree.literal("interval", "1 microsecond");
            case DATE -> tree.literal("interval", "1 day");
            default -> tree.number(1);
        };
    }

    /// The distance of two buckets: of times in microseconds.
    SqlNode distance(SqlNode from, SqlNode to) {
        SqlNode difference = tree.minus(to, from);
        return type.isInteger()
                ? difference
                : tree.cast(tree.times(tree.extract("epoch", difference), tree.number(1_000_000)), "int8");
    }
}
