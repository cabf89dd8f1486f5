package dev.quarrel.core.cpu.function;

import dev.quarrel.core.cpu.text.Arguments;
import dev.quarrel.core.pg.PgText;
import dev.quarrel.core.pg.PgZone;
import dev.quarrel.core.pg.TimeTz;
import dev.quarrel.core.type.CivilDate;
import dev.quarrel.core.type.Interval;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;
import java.time.Instant;
import java.util.Map;
import java.util.function.BiFunction;
import java.util.function.Supplier;

/// Functions of times of day with zones. A zone's offset is the one that it has now, where no date tells.
///
/// - Source: PostgreSQL's `date.c`.
final class TimeTzKernels {
    private TimeTzKernels() {}

    static void register(Map<String, Supplier<BatchFunction>> kernels) {
        inZone(
                kernels,
                "time_timetz",
                1,
                (in, zone) -> TimeTz.ofTime(in.int64(0), zone).text());
        inZone(kernels, "timestamptz_timetz", 1, (in, zone) -> {
            long micros = in.int64(0);
            return CivilDate.isInfinite(micros)
                    ? null
                    : TimeTz.ofInstant(micros, zone).text();
        });
        inZone(kernels, "timetz_at_local", 1, (in, zone) -> at(time(in, 0), zone));
        kernels.put("timetz_zone", () -> {
            ZoneCache zones = new ZoneCache();
            return BatchFunction.eachRow((in, out, row) ->
                    Results.set(out, row, at(time(in, 1), zones.named(in.text(0), in.text(2)))));
        });
        BitKernels.put(kernels, "timetz_izone", in -> at(time(in, 1), PgZone.of(in.interval(0))));
        BitKernels.put(kernels, "timetz_scale", in -> {
            int digits = in.int32(1);
            return (digits < 0 ? time(in, 0) : time(in, 0).rounded(Math.min(digits, 6))).text();
        });
        BitKernels.put(kernels, "timetz_time", in -> time(in, 0).micros());
        BitKernels.put(kernels, "timetz_pl_interval", in -> moved(time(in, 0), in.interval(1), 1));
        BitKernels.put(kernels, "timetz_mi_interval", in -> moved(time(in, 0), in.interval(1), -1));
        BitKernels.put(kernels, "datetimetz_timestamptz", in -> timestamp(in.int32(0), time(in, 1)));
    }

    private static void inZone(
            Map<String, Supplier<BatchFunction>> kernels,
            String id,
            int zoneArgument,
            BiFunction<Arguments, PgZone, Object> function) {
        kernels.put(id, () -> {
            ZoneCache zones = new ZoneCache();
            return BatchFunction.eachRow(
                    (in, out, row) -> Results.set(out, row, function.apply(in, zones.session(in.text(zoneArgument)))));
        });
    }

    static TimeTz time(Arguments in, int argument) {
        return TimeTz.of(BitKernels.text(in, argument));
    }

    private static long now() {
        return Instant.now().getEpochSecond();
    }

    private static String at(TimeTz time, PgZone zone) {
        return time.at(-zone.offsetAt(now())).text();
    }

    /// - Errors: 22008 for an infinite interval.
    private static String moved(TimeTz time, Interval span, int sign) {
        if (!Interval.isFinite(span.calendar(), span.micros())) {
            throw new QueryException(
                    SqlState.DATETIME_FIELD_OVERFLOW,
                    "cannot " + (sign > 0 ? "add infinite interval to" : "subtract infinite interval from") + " time");
        }
        long moved = time.micros() + sign * (span.micros() % CivilDate.MICROS_PER_DAY);
        return new TimeTz(Math.floorMod(moved, CivilDate.MICROS_PER_DAY), time.west()).text();
    }

    /// - Errors: 22008 out of range.
    private static long timestamp(int day, TimeTz time) {
        if (day == PgText.DATE_INFINITY || day == PgText.DATE_MINUS_INFINITY) {
            return day == PgText.DATE_INFINITY ? PgText.TIMESTAMP_INFINITY : PgText.TIMESTAMP_MINUS_INFINITY;
        }
        long micros =
                day > CivilDate.LAST_TIMESTAMP_DAY ? Long.MAX_VALUE : day * CivilDate.MICROS_PER_DAY + time.utcMicros();
        if (!CivilDate.isValidTimestamp(micros)) {
            throw new QueryException(SqlState.DATETIME_FIELD_OVERFLOW, "date out of range for timestamp");
        }
        return micros;
    }
}
