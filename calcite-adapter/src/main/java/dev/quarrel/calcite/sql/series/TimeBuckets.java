package dev.quarrel.calcite.sql.series;

import dev.quarrel.calcite.parse.SeriesClauses;
import dev.quarrel.calcite.sql.type.SqlType;
import java.util.function.UnaryOperator;
import org.apache.calcite.sql.SqlNode;

/// The buckets of SAMPLE BY: when the one begins that a time is in.
///
/// They are counted in local time, which is UTC where no zone is given: days begin at its midnight, weeks on Mondays,
/// months on their first. Steps of several begin with 1970, weeks with its first Monday.
final class TimeBuckets {
    private static final String EPOCH = "1970-01-01 00:00:00";
    private static final String MONDAY = "1970-01-05 00:00:00";

    private final SeriesTree tree;
    private final SqlType type; // of the timestamp
    private final TimeSteps step;
    private final SqlNode zone; // or null
    private final SqlNode offset; // an interval, or null
    private final SqlNode origin; // a local time, or null

    /// @param origin of steps that are no months; null for the calendar's
    TimeBuckets(SeriesTree tree, SqlType type, TimeSteps step, SeriesClauses.Sample sample, SqlNode origin) {
        this.tree = tree;
        this.type = type;
        this.step = step;
        this.zone = sample.zone == null ? null : SeriesCall.zone(tree, sample.zone);
        this.offset = sample.offset == null ? null : tree.typed("interval", sample.offset);
        this.origin = origin;
    }

    /// A time of the column's type as local time.
    SqlNode local(SqlNode time) {
        return switch (type) {
            case TIMESTAMPTZ -> tree.atTimeZone(time, zone == null ? tree.text("UTC") : zone);
            case DATE -> tree.cast(time, "timestamp");
            default -> zone == null ? time : tree.atTimeZone(tree.atTimeZone(time, tree.text("UTC")), zone);
        };
    }

    /// When a bucket begins, of its local time, as one of the column's type; of dates, a timestamp.
    SqlNode shown(SqlNode local) {
        return switch (type) {
            case TIMESTAMPTZ ->
                zone == null ? tree.atTimeZone(local, tree.text("UTC")) : tree.shownAtTimeZone(local, zone);
            case DATE -> local;
            default -> zone == null ? local : tree.atTimeZone(tree.shownAtTimeZone(local, zone), tree.text("UTC"));
        };
    }

    /// When the bucket begins that a local time is in, in local time.
    SqlNode of(SqlNode local) {
        if (!step.isMonths()) {
            SqlNode from = origin != null ? origin : tree.literal("timestamp", step.isWeeks() ? MONDAY : EPOCH);
            return tree.call("date_bin", interval(), local, offset == null ? from : tree.plus(from, offset));
        }
        return begun(months(counted(local)));
    }

    /// A local time as months are counted from: their first days lie a month apart, those that an offset has moved may
    /// not, such as the last of each.
    SqlNode counted(SqlNode local) {
        return offset == null || !step.isMonths() ? local : tree.minus(local, offset);
    }

    /// The local time of one that months are counted from.
    SqlNode begun(SqlNode counted) {
        return offset == null || !step.isMonths() ? counted : tree.plus(counted, offset);
    }

    /// Whether clocks show any time of a bucket, which they do not of one within an hour that they skip: the bucket
    /// would begin when the one behind it does. Null where all are shown.
    SqlNode isShown(SqlNode bucket) {
        return zone == null || type == SqlType.DATE || step.isMonths()
                ? null
                : isShown(tree, bucket, interval(), this::shown);
    }

    /// @param shown when a bucket begins, of its local time
    static SqlNode isShown(SeriesTree tree, SqlNode bucket, SqlNode step, UnaryOperator<SqlNode> shown) {
        return tree.notEqual(shown.apply(bucket), shown.apply(tree.plus(bucket, step)));
    }

    SqlNode interval() {
        return tree.literal("interval", step.text());
    }

    private SqlNode months(SqlNode local) {
        if (step.months() == 1 || step.months() == 3 || step.months() == 12) {
            return tree.call(
                    "date_trunc",
                    tree.text(step.months() == 1 ? "month" : step.months() == 3 ? "quarter" : "year"),
                    local);
        }
        // Months since 1970, and how many of them are past the bucket's first: years before it count down.
        SqlNode years = tree.minus(tree.cast(tree.extract("year", local), "int4"), tree.number(1970));
        SqlNode months = tree.plus(
                tree.times(years, tree.number(12)),
                tree.minus(tree.cast(tree.extract("month", local), "int4"), tree.number(1)));
        SqlNode steps = tree.number(step.months());
        SqlNode past = tree.rest(tree.plus(tree.rest(months, steps), steps), steps);
        return tree.minus(
                tree.call("date_trunc", tree.text("month"), local),
                tree.times(tree.literal("interval", "1 month"), past));
    }
}
