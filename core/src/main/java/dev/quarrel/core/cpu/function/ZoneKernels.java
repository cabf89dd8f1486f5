package dev.quarrel.core.cpu.function;

import dev.quarrel.core.cpu.number.DateMath;
import dev.quarrel.core.cpu.number.IntervalMath;
import dev.quarrel.core.cpu.text.Arguments;
import dev.quarrel.core.cpu.text.RowFunction;
import dev.quarrel.core.cpu.tile.LongVector;
import dev.quarrel.core.cpu.tile.TextVector;
import dev.quarrel.core.cpu.tile.Vector;
import dev.quarrel.core.ir.DateField;
import dev.quarrel.core.pg.DateUnit;
import dev.quarrel.core.pg.PgParse;
import dev.quarrel.core.pg.PgText;
import dev.quarrel.core.pg.PgZone;
import dev.quarrel.core.pg.TextBuffer;
import dev.quarrel.core.type.CivilDate;
import dev.quarrel.core.type.Interval;
import java.time.Instant;
import java.util.Map;
import java.util.function.Supplier;

/// Functions of timestamps that look at a time zone: the session's, which is the last argument of all, or one that the
/// statement names.
///
/// - Source: PostgreSQL's `timestamp.c`.
final class ZoneKernels {
    private ZoneKernels() {}

    /// What a kernel does with a time and the zone of its row.
    private interface InZone {
        long apply(Arguments in, PgZone zone);
    }

    static void register(Map<String, Supplier<BatchFunction>> kernels) {
        zone(kernels, "timestamptz_zone", PgZone::toLocal);
        zone(kernels, "timestamp_zone", PgZone::toInstant);
        zone(kernels, "timestamp_shown_zone", PgZone::toShownInstant);
        put(kernels, "timestamptz_at_local", (in, zone) -> zone.toLocal(in.int64(0)), -1, 1);
        put(kernels, "timestamp_at_local", (in, zone) -> zone.toInstant(in.int64(0)), -1, 1);
        kernels.put("timestamp_at_offset", () -> {
            ZoneCache zones = new ZoneCache();
            return each((in, _, _) -> zones.numberOrName(in.text(0), in.text(2)).toInstant(in.int64(1)));
        });
        kernels.put("timestamptz_izone", () -> each((in, _, _) -> inInterval(in, PgZone::toLocal)));
        kernels.put("timestamp_izone", () -> each((in, _, _) -> inInterval(in, PgZone::toInstant)));
        put(kernels, "timestamptz_pl_interval", (in, zone) -> moved(in, zone, false), -1, 2);
        put(kernels, "timestamptz_mi_interval", (in, zone) -> moved(in, zone, true), -1, 2);
        put(kernels, "timestamptz_pl_interval_at_zone", (in, zone) -> moved(in, zone, false), 2, 3);
        put(kernels, "timestamptz_mi_interval_at_zone", (in, zone) -> moved(in, zone, true), 2, 3);
        put(kernels, "timestamptz_trunc", ZoneKernels::truncated, -1, 2);
        put(kernels, "timestamptz_trunc_zone", ZoneKernels::truncated, 2, 3);
        kernels.put("timestamptz_age", () -> {
            ZoneCache zones = new ZoneCache();
            return BatchFunction.eachRow((in, out, row) -> age(in, out, row, zones.session(in.text(2))));
        });
        kernels.put("timestamptz_out", () -> {
            ZoneCache zones = new ZoneCache();
            TextBuffer buffer = new TextBuffer();
            return BatchFunction.eachRow((in, out, row) -> {
                buffer.clear();
                appendTimestampTz(in.int64(0), zones.session(in.text(1)), buffer);
                ((TextVector) out).append(row, buffer.array(), 0, buffer.length());
            });
        });
        kernels.put("timestamptz_in", () -> {
            ZoneCache zones = new ZoneCache();
            return each((in, _, _) ->
                    PgParse.timestampTz(in.text(0).string(), new PgParse.Moment(zones.id(in.text(1)), Instant.now())));
        });
    }

    private interface Moment {
        long of(Arguments in, Vector out, int row);
    }

    private static BatchFunction each(Moment moment) {
        return BatchFunction.eachRow((in, out, row) -> ((LongVector) out).values()[row] = moment.of(in, out, row));
    }

    /// @param named the argument that names the zone; -1 for the session's
    /// @param session the argument that has the session's
    private static void put(
            Map<String, Supplier<BatchFunction>> kernels, String id, InZone function, int named, int session) {
        kernels.put(id, () -> {
            ZoneCache zones = new ZoneCache();
            RowFunction body = (in, out, row) -> {
                PgZone zone =
                        named < 0 ? zones.session(in.text(session)) : zones.named(in.text(named), in.text(session));
                ((LongVector) out).values()[row] = function.apply(in, zone);
            };
            return BatchFunction.eachRow(body);
        });
    }

    /// What `timezone` makes of a time in a zone.
    private interface Shift {
        long apply(PgZone zone, long time);
    }

    /// An infinite time has no zone, whatever is named.
    private static void zone(Map<String, Supplier<BatchFunction>> kernels, String id, Shift shift) {
        kernels.put(id, () -> {
            ZoneCache zones = new ZoneCache();
            return each((in, _, _) -> {
                long time = in.int64(1);
                return CivilDate.isInfinite(time) ? time : shift.apply(zones.named(in.text(0), in.text(2)), time);
            });
        });
    }

    private static long inInterval(Arguments in, Shift shift) {
        long time = in.int64(1);
        return CivilDate.isInfinite(time) ? time : shift.apply(PgZone.of(in.interval(0)), time);
    }

    private static void appendTimestampTz(long micros, PgZone zone, TextBuffer buffer) {
        int offset =
                CivilDate.isInfinite(micros) ? 0 : zone.offsetAt(Math.floorDiv(micros, CivilDate.MICROS_PER_SECOND));
        PgText.appendTimestampTz(micros, offset, buffer);
    }

    private static long moved(Arguments in, PgZone zone, boolean isMinus) {
        Interval given = in.interval(1);
        IntervalMath span = new IntervalMath();
        span.set(given.calendar(), given.micros());
        if (isMinus) {
            span.negate();
        }
        return moved(in.int64(0), span, zone);
    }

    /// Months and days are added to the local time, the rest to the instant.
    static long moved(long time, IntervalMath span, PgZone zone) {
        if (!span.isFinite() || CivilDate.isInfinite(time)) {
            return span.addTo(time);
        }
        long moved = time;
        if (span.months != 0) {
            moved = zone.toInstant(DateMath.addMonths(zone.toLocal(moved), span.months));
        }
        if (span.days != 0) {
            moved = zone.toInstant(DateMath.addWholeDays(zone.toLocal(moved), span.days));
        }
        return span.micros == 0 ? moved : DateMath.addMicros(moved, span.micros);
    }

    private static long truncated(Arguments in, PgZone zone) {
        DateField unit = DateUnit.ofTruncation(in.text(0).string(), "timestamp with time zone");
        return truncated(unit, in.int64(1), zone);
    }

    /// Below a day the offset stays what it was: 02:30 in an overlap is truncated to the same 02:00.
    static long truncated(DateField unit, long time, PgZone zone) {
        if (CivilDate.isInfinite(time)) {
            return time;
        }
        long local = zone.toLocal(time);
        long start = DateMath.truncate(unit, local);
        return switch (unit) {
            case HOUR, MINUTE, SECOND, MILLISECONDS, MICROSECONDS -> DateMath.addMicros(start, time - local);
            default -> zone.toInstant(start);
        };
    }

    private static void age(Arguments in, Vector out, int row, PgZone zone) {
        long to = in.int64(0);
        long from = in.int64(1);
        IntervalMath span = new IntervalMath();
        span.setAge(zone.toLocal(to), zone.toLocal(from), to < from);
        Results.interval(out, row, span);
    }
}
