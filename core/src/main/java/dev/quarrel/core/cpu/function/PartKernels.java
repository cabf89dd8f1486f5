package dev.quarrel.core.cpu.function;

import dev.quarrel.core.cpu.number.DateMath;
import dev.quarrel.core.cpu.number.IntervalMath;
import dev.quarrel.core.cpu.text.Arguments;
import dev.quarrel.core.cpu.text.TextReader;
import dev.quarrel.core.cpu.tile.DecimalVector;
import dev.quarrel.core.cpu.tile.DoubleVector;
import dev.quarrel.core.cpu.tile.LongVector;
import dev.quarrel.core.cpu.tile.Vector;
import dev.quarrel.core.ir.DateField;
import dev.quarrel.core.pg.DateUnit;
import dev.quarrel.core.pg.PgZone;
import dev.quarrel.core.pg.TimeTz;
import dev.quarrel.core.type.CivilDate;
import dev.quarrel.core.type.Interval;
import dev.quarrel.core.type.NumericScales;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SpecialNumeric;
import dev.quarrel.core.type.SqlState;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.Map;
import java.util.function.Supplier;

/// `extract`, `date_part` and `date_trunc` whose unit is a value of the row, or one that no opcode knows.
///
/// - Source: PostgreSQL's `timestamp.c` and `date.c`.
final class PartKernels {
    /// The day 0 of Julian days.
    private static final long JULIAN_DAYS = 2_440_588;

    private static final double MICROS_PER_SECOND = 1e6;

    private final boolean isExact;
    private Vector out;
    private int row;
    private byte[] lastName = new byte[0];
    private String name;

    /// @param isExact whether the results are numeric, not float8
    private PartKernels(boolean isExact) {
        this.isExact = isExact;
    }

    /// Puts the part of one value.
    private interface Part {
        void of(PartKernels kernel, String name, Arguments in);
    }

    static void register(Map<String, Supplier<BatchFunction>> kernels) {
        both(kernels, "timestamp", (kernel, name, in) -> kernel.ofTimestamp(name, in.int64(1), null));
        for (boolean isExact : new boolean[] {true, false}) {
            kernels.put(isExact ? "extract_timestamptz" : "timestamptz_part", () -> {
                ZoneCache zones = new ZoneCache();
                return part(
                        isExact,
                        (kernel, name, in) -> kernel.ofTimestamp(name, in.int64(1), zones.session(in.text(2))));
            });
        }
        both(kernels, "time", (kernel, name, in) -> kernel.ofTime(name, in.int64(1), "time without time zone"));
        both(kernels, "timetz", (kernel, name, in) -> kernel.ofTimeTz(name, TimeTzKernels.time(in, 1)));
        both(kernels, "interval", (kernel, name, in) -> kernel.ofInterval(name, in.interval(1)));
        kernels.put("extract_date", () -> part(true, (kernel, name, in) -> kernel.ofDate(name, in.int32(1))));
        kernels.put(
                "date_part_date",
                () -> part(false, (kernel, name, in) -> kernel.ofTimestamp(name, midnight(in.int32(1)), null)));
        kernels.put("timestamp_trunc", () -> {
            PartKernels kernel = new PartKernels(true);
            return BatchFunction.eachRow((in, out, row) -> ((LongVector) out).values()[row] =
                    DateMath.truncate(DateUnit.ofTruncation(kernel.name(in), TIMESTAMP), in.int64(1)));
        });
        kernels.put("interval_trunc", () -> {
            PartKernels kernel = new PartKernels(true);
            IntervalMath span = new IntervalMath();
            return BatchFunction.eachRow((in, out, row) -> {
                DateField unit = DateUnit.ofIntervalTruncation(kernel.name(in));
                Interval value = in.interval(1);
                span.set(value.calendar(), value.micros());
                span.truncate(unit);
                Results.interval(out, row, span);
            });
        });
    }

    private static final String TIMESTAMP = "timestamp without time zone";

    private static void both(Map<String, Supplier<BatchFunction>> kernels, String type, Part part) {
        kernels.put("extract_" + type, () -> part(true, part));
        kernels.put(type + "_part", () -> part(false, part));
    }

    private static BatchFunction part(boolean isExact, Part part) {
        PartKernels kernel = new PartKernels(isExact);
        return (in, out) -> {
            kernel.out = out;
            while (in.next()) {
                kernel.row = in.row();
                part.of(kernel, kernel.name(in), in);
            }
        };
    }

    /// Argument 0 as a string, which is mostly that of the row before.
    private String name(Arguments in) {
        TextReader text = in.text(0);
        if (name == null
                || !java.util.Arrays.equals(lastName, 0, lastName.length, text.bytes, text.start, text.end())) {
            lastName = java.util.Arrays.copyOfRange(text.bytes, text.start, text.end());
            name = text.string();
        }
        return name;
    }

    private static long midnight(int day) {
        if (CivilDate.isInfinite(day)) {
            return day > 0 ? CivilDate.TIMESTAMP_INFINITY : CivilDate.TIMESTAMP_MINUS_INFINITY;
        }
        if (day > CivilDate.LAST_TIMESTAMP_DAY) {
            throw new QueryException(SqlState.DATETIME_FIELD_OVERFLOW, "date out of range for timestamp");
        }
        return day * CivilDate.MICROS_PER_DAY;
    }

    private void whole(long value) {
        if (isExact) {
            exact(value, 0);
        } else {
            real(value);
        }
    }

    private void real(double value) {
        ((DoubleVector) out).values()[row] = value;
    }

    /// The numeric `unscaled · 10^-scale`.
    private void exact(long unscaled, int scale) {
        DecimalVector numbers = (DecimalVector) out;
        numbers.setNarrow(false);
        numbers.low()[row] = unscaled;
        numbers.high()[row] = unscaled >> 63;
        numbers.scale()[row] = scale;
    }

    private void infinite(boolean isPositive) {
        if (isExact) {
            ((DecimalVector) out).set(row, SpecialNumeric.ofSign(isPositive ? 1 : -1));
            return;
        }
        real(isPositive ? Double.POSITIVE_INFINITY : Double.NEGATIVE_INFINITY);
    }

    /// What a unit that comes again and again has of an infinite time.
    private void infinite(boolean isMonotonic, boolean isPositive) {
        if (isMonotonic) {
            infinite(isPositive);
        } else {
            out.setAbsent(row);
        }
    }

    /// @param zone null for a timestamp without one
    private void ofTimestamp(String name, long micros, PgZone zone) {
        String type = zone == null ? TIMESTAMP : "timestamp with time zone";
        DateUnit unit = DateUnit.of(name, type);
        boolean isOfZone =
                unit == DateUnit.TIMEZONE || unit == DateUnit.TIMEZONE_HOUR || unit == DateUnit.TIMEZONE_MINUTE;
        if (unit == DateUnit.NONE) {
            throw DateUnit.notSupported(name, type);
        }
        if (CivilDate.isInfinite(micros)) {
            infinite(unit.isMonotonic(), micros > 0);
            return;
        }
        if (isOfZone && zone == null) {
            throw DateUnit.notSupported(name, type);
        }
        if (unit == DateUnit.EPOCH) {
            seconds(micros, 6);
            return;
        }
        if (isOfZone) {
            int offset = zone.offsetAt(Math.floorDiv(micros, CivilDate.MICROS_PER_SECOND));
            whole(
                    switch (unit) {
                        case TIMEZONE -> offset;
                        case TIMEZONE_HOUR -> offset / 3600;
                        default -> offset / 60 % 60;
                    });
            return;
        }
        long local = zone == null ? micros : zone.toLocal(micros);
        long day = CivilDate.dayOf(local);
        long time = local - day * CivilDate.MICROS_PER_DAY;
        switch (unit) {
            case HOUR, MINUTE, SECOND, MILLISECONDS, MICROSECONDS -> ofClock(unit, time);
            case JULIAN -> julian(day, time);
            default -> whole(DateMath.field(unit.field(), day));
        }
    }

    private void julian(long day, long time) {
        long julian = day + JULIAN_DAYS;
        if (!isExact) {
            real(julian + (time / 1_000_000 + time % 1_000_000 / MICROS_PER_SECOND) / 86_400.0);
            return;
        }
        if (time == 0) {
            // The scale that PostgreSQL's division of zero has.
            Results.set(out, row, BigDecimal.valueOf(julian).setScale(ZERO_DAY_SCALE));
            return;
        }
        BigDecimal part = BigDecimal.valueOf(time);
        BigDecimal length = BigDecimal.valueOf(CivilDate.MICROS_PER_DAY);
        BigDecimal fraction = part.divide(length, NumericScales.ofQuotient(part, length), RoundingMode.HALF_UP);
        Results.set(out, row, BigDecimal.valueOf(julian).add(fraction));
    }

    private static final int ZERO_DAY_SCALE = 28;

    /// Hours, minutes, seconds and their parts of a time of day, or of an interval's.
    private void ofClock(DateUnit unit, long micros) {
        long second = micros / 1_000_000 % 60;
        long fraction = micros % 1_000_000;
        switch (unit) {
            case HOUR -> whole(micros / 3_600_000_000L);
            case MINUTE -> whole(micros / 60_000_000 % 60);
            case SECOND -> exactOr(micros % 60_000_000, 6, second + fraction / MICROS_PER_SECOND);
            case MILLISECONDS -> exactOr(micros % 60_000_000, 3, second * 1000.0 + fraction / 1000.0);
            default -> whole(micros % 60_000_000);
        }
    }

    private void exactOr(long unscaled, int scale, double value) {
        if (isExact) {
            exact(unscaled, scale);
        } else {
            real(value);
        }
    }

    private void seconds(long micros, int scale) {
        exactOr(micros, scale, micros / MICROS_PER_SECOND);
    }

    private void ofDate(String name, int day) {
        DateUnit unit = DateUnit.of(name, "date");
        switch (unit) {
            case HOUR, MINUTE, SECOND, MILLISECONDS, MICROSECONDS, TIMEZONE, TIMEZONE_HOUR, TIMEZONE_MINUTE, NONE ->
                throw DateUnit.notSupported(name, "date");
            default -> {}
        }
        if (CivilDate.isInfinite(day)) {
            infinite(unit.isMonotonic(), day > 0);
            return;
        }
        whole(
                switch (unit) {
                    case EPOCH -> day * 86_400L;
                    case JULIAN -> day + JULIAN_DAYS;
                    default -> DateMath.field(unit.field(), day);
                });
    }

    private void ofTime(String name, long micros, String type) {
        DateUnit unit = DateUnit.of(name, type);
        switch (unit) {
            case HOUR, MINUTE, SECOND, MILLISECONDS, MICROSECONDS -> ofClock(unit, micros);
            case EPOCH -> seconds(micros, 6);
            case NONE ->
                throw new QueryException(
                        SqlState.INVALID_PARAMETER_VALUE,
                        "unit \"" + name.toLowerCase(java.util.Locale.ROOT) + "\" not recognized for type " + type);
            default -> throw DateUnit.notSupported(name, type);
        }
    }

    private void ofTimeTz(String name, TimeTz time) {
        DateUnit unit = DateUnit.of(name, "time with time zone");
        int east = -time.west();
        switch (unit) {
            case TIMEZONE -> whole(east);
            case TIMEZONE_HOUR -> whole(east / 3600);
            case TIMEZONE_MINUTE -> whole(east / 60 % 60);
            case EPOCH -> exactOr(time.utcMicros(), 6, time.micros() / MICROS_PER_SECOND + time.west());
            default -> ofTime(name, time.micros(), "time with time zone");
        }
    }

    private void ofInterval(String name, Interval span) {
        DateUnit unit = DateUnit.of(name, "interval");
        boolean isFinite = Interval.isFinite(span.calendar(), span.micros());
        if (unit == DateUnit.NONE && isFinite) {
            throw new QueryException(
                    SqlState.INVALID_PARAMETER_VALUE,
                    "unit \"" + name.toLowerCase(java.util.Locale.ROOT) + "\" not recognized for type interval");
        }
        DateField field = unit.field();
        if (field == null || !field.isOfInterval()) {
            throw DateUnit.notSupported(name, "interval");
        }
        if (!isFinite) {
            switch (unit) {
                case MICROSECONDS, MILLISECONDS, SECOND, MINUTE, WEEK, MONTH, QUARTER -> out.setAbsent(row);
                default -> infinite(Interval.isInfinity(span.calendar(), span.micros()));
            }
            return;
        }
        int months = span.months();
        int years = months / 12;
        switch (unit) {
            case HOUR, MINUTE, SECOND, MILLISECONDS, MICROSECONDS -> ofClock(unit, span.micros());
            case DAY -> whole(span.days());
            case WEEK -> whole(span.days() / 7);
            case MONTH -> whole(months % 12);
            case QUARTER -> whole(months >= 0 ? months % 12 / 3 + 1 : -(-months % 12 / 3 + 1));
            case YEAR -> whole(years);
            case DECADE -> whole(years / 10);
            case CENTURY -> whole(years / 100);
            case MILLENNIUM -> whole(years / 1000);
            default -> ofEpoch(span);
        }
    }

    private void ofEpoch(Interval span) {
        if (isExact) {
            Results.set(out, row, exactEpoch(span));
        } else {
            real(epoch(span));
        }
    }

    private static BigDecimal exactEpoch(Interval span) {
        long days = 1461L * (span.months() / 12) + 120L * (span.months() % 12) + 4L * span.days();
        return BigDecimal.valueOf(days).multiply(BigDecimal.valueOf(21_600)).add(BigDecimal.valueOf(span.micros(), 6));
    }

    private static double epoch(Interval span) {
        double seconds = span.micros() / MICROS_PER_SECOND;
        seconds += 365.25 * 86_400 * (span.months() / 12);
        seconds += 30.0 * 86_400 * (span.months() % 12);
        return seconds + 86_400.0 * span.days();
    }
}
