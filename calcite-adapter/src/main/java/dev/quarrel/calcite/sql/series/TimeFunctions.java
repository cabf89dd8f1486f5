package dev.quarrel.calcite.sql.series;

import dev.quarrel.calcite.parse.SeriesClauses;
import dev.quarrel.calcite.sql.series.SeriesCall.Argument;
import dev.quarrel.calcite.sql.type.SqlType;
import java.util.List;
import java.util.function.BiFunction;
import org.apache.calcite.sql.SqlNode;

/// QuestDB's functions of times. They count in UTC, whatever the session's time zone is; a `timestamp` has no other.
final class TimeFunctions {
    static final List<SeriesFunction> ALL = List.of(
            SeriesFunction.of("timestamp_floor", 2, 3, TimeFunctions::floor),
            SeriesFunction.of("timestamp_ceil", 2, 2, TimeFunctions::ceiling),
            SeriesFunction.of("dateadd", 3, 4, TimeFunctions::moved),
            SeriesFunction.of("datediff", 3, 3, TimeFunctions::distance),
            SeriesFunction.of("to_timezone", 2, 2, TimeFunctions::inZone),
            SeriesFunction.of("to_utc", 2, 2, TimeFunctions::ofZone),
            SeriesFunction.of("systimestamp", 0, 0, call -> now(call.tree())),
            SeriesFunction.of(
                    "sysdate",
                    0,
                    0,
                    call -> call.tree().call("date_trunc", call.tree().text("milliseconds"), now(call.tree()))),
            part("year", (tree, time) -> integer(tree, "year", time)),
            part("month", (tree, time) -> integer(tree, "month", time)),
            part("week_of_year", (tree, time) -> integer(tree, "week", time)),
            part("day", (tree, time) -> integer(tree, "day", time)),
            part("hour", (tree, time) -> integer(tree, "hour", time)),
            part("minute", (tree, time) -> integer(tree, "minute", time)),
            part("second", (tree, time) -> tree.over(micros(tree, time), tree.number(1_000_000))),
            part("millis", (tree, time) -> thousandth(tree, tree.over(micros(tree, time), thousand(tree)))),
            part("micros", (tree, time) -> thousandth(tree, micros(tree, time))),
            part("day_of_week", (tree, time) -> integer(tree, "isodow", time)),
            part("day_of_week_sunday_first", (tree, time) -> tree.plus(integer(tree, "dow", time), tree.number(1))),
            part("days_in_month", TimeFunctions::daysOfMonth),
            part("is_leap_year", TimeFunctions::isLeapYear));

    private TimeFunctions() {}

    /// A function of a time in UTC, a date among these.
    private static SeriesFunction part(String name, BiFunction<SeriesTree, SqlNode, SqlNode> form) {
        return SeriesFunction.of(name, 1, 1, call -> {
            Argument time = call.time(0);
            return time == null
                    ? null
                    : form.apply(call.tree(), time.type() == SqlType.DATE ? time.node() : utc(call.tree(), time));
        });
    }

    /// A time as `timestamp`, in UTC.
    private static SqlNode utc(SeriesTree tree, Argument time) {
        return switch (time.type()) {
            case TIMESTAMPTZ -> tree.atTimeZone(time.node(), tree.text("UTC"));
            case DATE -> tree.cast(time.node(), "timestamp");
            default -> time.node();
        };
    }

    /// A `timestamp` in UTC as what a time was; for a date, as `timestamp`.
    private static SqlNode shown(SeriesTree tree, Argument time, SqlNode utc) {
        return time.type() == SqlType.TIMESTAMPTZ ? tree.atTimeZone(utc, tree.text("UTC")) : utc;
    }

    private static SqlNode now(SeriesTree tree) {
        return tree.atTimeZone(tree.call("clock_timestamp"), tree.text("UTC"));
    }

    private static SqlNode integer(SeriesTree tree, String field, SqlNode time) {
        return tree.cast(tree.extract(field, time), "int4");
    }

    /// Of the minute.
    private static SqlNode micros(SeriesTree tree, SqlNode time) {
        return integer(tree, "microseconds", time);
    }

    private static SqlNode thousand(SeriesTree tree) {
        return tree.number(1_000);
    }

    private static SqlNode thousandth(SeriesTree tree, SqlNode count) {
        return tree.rest(count, thousand(tree));
    }

    private static SqlNode daysOfMonth(SeriesTree tree, SqlNode time) {
        SqlNode begin = tree.call("date_trunc", tree.text("month"), tree.cast(time, "timestamp"));
        return integer(tree, "day", tree.plus(begin, tree.literal("interval", "1 month - 1 day")));
    }

    /// The sixtieth day of a year is a 29th of February, or the first of March.
    private static SqlNode isLeapYear(SeriesTree tree, SqlNode time) {
        SqlNode begin = tree.call("date_trunc", tree.text("year"), tree.cast(time, "timestamp"));
        SqlNode day = tree.plus(begin, tree.literal("interval", "59 days"));
        return tree.equal(integer(tree, "month", day), tree.number(2));
    }

    /// `timestamp_floor('5m', time [, origin])`; times before an origin are its, as in QuestDB.
    private static SqlNode floor(SeriesCall call) {
        TimeSteps step = call.step(0);
        Argument time = call.time(1);
        Argument origin = call.size() < 3 ? null : call.time(2);
        if (time == null || call.size() == 3 && origin == null) {
            return null;
        }
        SeriesTree tree = call.tree();
        SqlNode utc = utc(tree, time);
        if (origin == null) {
            return shown(tree, time, begin(tree, step, utc, null));
        }
        if (step.isMonths()) {
            throw call.unsupported(0, call.name() + " of months or years from another time than 1970");
        }
        SqlNode from = utc(tree, origin);
        return shown(tree, time, tree.choice(tree.less(utc, from), from, begin(tree, step, utc, from)));
    }

    /// When the step begins that a time is in; both in UTC.
    ///
    /// @param origin null for 1970
    private static SqlNode begin(SeriesTree tree, TimeSteps step, SqlNode utc, SqlNode origin) {
        return new TimeBuckets(tree, SqlType.TIMESTAMP, step, new SeriesClauses.Sample(), origin).of(utc);
    }

    /// `timestamp_ceil('h', time)`: when the next step begins, which is later than the time even where a step begins
    /// with it.
    private static SqlNode ceiling(SeriesCall call) {
        TimeSteps step = call.step(0);
        Argument time = call.time(1);
        if (time == null) {
            return null;
        }
        SeriesTree tree = call.tree();
        SqlNode begin = begin(tree, step, utc(tree, time), null);
        return shown(tree, time, tree.plus(begin, tree.literal("interval", step.text())));
    }

    /// `dateadd('d', count, time [, zone])`, in the zone's local time.
    private static SqlNode moved(SeriesCall call) {
        TimeSteps unit = call.unit(0);
        SqlNode count = count(call);
        Argument time = call.time(2);
        if (count == null || time == null) {
            return null;
        }
        SeriesTree tree = call.tree();
        if (call.size() == 4) {
            SqlNode zone = call.zone(3);
            SqlNode local = tree.atTimeZone(tree.atTimeZone(utc(tree, time), tree.text("UTC")), zone);
            SqlNode moved =
                    tree.atTimeZone(tree.atTimeZone(plus(tree, local, count, unit.text()), zone), tree.text("UTC"));
            return shown(tree, time, moved);
        }
        // A timestamptz has days of 24 hours here: they need no calendar.
        boolean isPlain = time.type() == SqlType.TIMESTAMPTZ && !unit.isMonths();
        return isPlain
                ? plus(tree, time.node(), count, unit.micros() + " microseconds")
                : shown(tree, time, plus(tree, utc(tree, time), count, unit.text()));
    }

    private static SqlNode plus(SeriesTree tree, SqlNode time, SqlNode count, String unit) {
        return tree.plus(time, tree.times(count, tree.literal("interval", unit)));
    }

    /// How many units; null for what is no integer.
    private static SqlNode count(SeriesCall call) {
        Argument count = call.argument(1);
        return switch (count.type()) {
            case INT2, INT4, INT8 -> count.node();
            case UNKNOWN -> call.tree().cast(count.node(), "int4");
            default -> null;
        };
    }

    /// `datediff('h', time, other)`: the whole units between them, whichever comes first.
    private static SqlNode distance(SeriesCall call) {
        TimeSteps unit = call.unit(0);
        Argument one = call.time(1);
        Argument other = call.time(2);
        if (one == null || other == null) {
            return null;
        }
        SeriesTree tree = call.tree();
        if (unit.isMonths()) {
            SqlNode age = tree.call("age", utc(tree, one), utc(tree, other));
            SqlNode months = tree.plus(
                    tree.times(tree.cast(tree.extract("year", age), "int8"), tree.number(12)),
                    tree.cast(tree.extract("month", age), "int8"));
            return tree.over(tree.call("abs", months), tree.number(unit.months()));
        }
        SqlNode micros = tree.minus(epochMicros(tree, one), epochMicros(tree, other));
        return tree.over(tree.call("abs", micros), tree.number(unit.micros()));
    }

    /// Since 1970. A float8 of seconds would not hold those of all times.
    private static SqlNode epochMicros(SeriesTree tree, Argument time) {
        SqlNode seconds = tree.exactPart("epoch", utc(tree, time));
        return tree.cast(tree.times(seconds, tree.number(1_000_000)), "int8");
    }

    /// `to_timezone(time, zone)`: what clocks show there at a time of UTC.
    private static SqlNode inZone(SeriesCall call) {
        Argument time = call.time(0);
        if (time == null) {
            return null;
        }
        SeriesTree tree = call.tree();
        SqlNode moment = tree.atTimeZone(utc(tree, time), tree.text("UTC"));
        return tree.atTimeZone(moment, call.zone(1));
    }

    /// `to_utc(time, zone)`: the other way round; a timestamptz is a time of UTC already.
    private static SqlNode ofZone(SeriesCall call) {
        Argument time = call.time(0);
        if (time == null || time.type() == SqlType.TIMESTAMPTZ) {
            return null;
        }
        SeriesTree tree = call.tree();
        return tree.atTimeZone(tree.atTimeZone(utc(tree, time), call.zone(1)), tree.text("UTC"));
    }
}
