package dev.quarrel.core.cpu.expr;

import static dev.quarrel.core.type.CivilDate.MICROS_PER_SECOND;

import dev.quarrel.core.cpu.number.DateMath;
import dev.quarrel.core.cpu.number.IntervalMath;
import dev.quarrel.core.cpu.number.RowErrors;
import dev.quarrel.core.cpu.tile.Bits;
import dev.quarrel.core.cpu.tile.BoolVector;
import dev.quarrel.core.cpu.tile.DecimalVector;
import dev.quarrel.core.cpu.tile.DoubleVector;
import dev.quarrel.core.cpu.tile.FloatVector;
import dev.quarrel.core.cpu.tile.IntVector;
import dev.quarrel.core.cpu.tile.LongVector;
import dev.quarrel.core.cpu.tile.TextVector;
import dev.quarrel.core.cpu.tile.Vector;
import dev.quarrel.core.ir.Arithmetic;
import dev.quarrel.core.ir.DateField;
import dev.quarrel.core.pg.IntervalFields;
import dev.quarrel.core.pg.PgText;
import dev.quarrel.core.pg.SecondDigits;
import dev.quarrel.core.pg.TextBuffer;
import dev.quarrel.core.type.CivilDate;
import dev.quarrel.core.type.Interval;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;
import java.math.BigDecimal;
import java.math.MathContext;
import java.util.Arrays;
import java.util.List;

/// Intervals and times of day: arithmetic, parts, making them. All in UTC.
final class IntervalOperations {
    private static final long SECONDS_PER_DAY = 86_400;
    private static final long MICROS_PER_MINUTE = 60 * MICROS_PER_SECOND;
    private static final long MICROS_PER_HOUR = 60 * MICROS_PER_MINUTE;
    /// Four years have 1461 days: PostgreSQL counts a year as 365.25.
    private static final long QUARTER_DAYS_PER_YEAR = 1_461;

    private IntervalOperations() {}

    /// Computes one row, whose arguments are all present.
    @FunctionalInterface
    private interface RowKernel {
        void run(Vector[] in, Vector out, int row);
    }

    private static Step rows(List<Integer> arguments, int result, RowKernel kernel) {
        Vector[] in = new Vector[arguments.size()];
        return Steps.unlessEmpty((tile, rows) -> {
            Vector out = tile.value(result);
            for (int index = 0; index < in.length; index++) {
                in[index] = tile.value(arguments.get(index));
            }
            out.copyValidity(in[0], rows.wordCount());
            for (int index = 1; index < in.length; index++) {
                out.keepPresent(in[index], rows.wordCount());
            }
            int[] indexes = rows.indexes();
            int count = rows.count();
            for (int index = 0; index < count; index++) {
                int row = indexes[index];
                if (out.isPresent(row)) {
                    kernel.run(in, out, row);
                }
            }
        });
    }

    static Step arithmetic(Arithmetic operation, List<Integer> arguments, int result) {
        return switch (operation) {
            case ADD -> combine(false, arguments, result);
            case SUB -> combine(true, arguments, result);
            case NEG -> change(arguments, result, IntervalMath::negate);
            default -> throw new IllegalArgumentException(operation.name());
        };
    }

    /// Timestamp plus or minus interval: by one addition a row where the interval is the same in all and has no months.
    static Step addToTimestamp(boolean isMinus, int a, int b, int result) {
        IntervalMath span = new IntervalMath();
        return Steps.unlessEmpty((tile, rows) -> {
            LongVector time = (LongVector) tile.value(a);
            DecimalVector interval = (DecimalVector) tile.value(b);
            LongVector out = (LongVector) tile.value(result);
            out.intersectValidity(time, interval, rows.wordCount());
            int[] indexes = rows.indexes();
            int count = rows.count();
            boolean isConstant = interval.isConstant() && interval.isPresent(0);
            if (isConstant) {
                load(span, interval, 0);
                if (isMinus) {
                    span.negate();
                }
            }
            if (isConstant && span.isFinite() && span.months == 0 && span.days == 0) {
                for (int index = 0; index < count; index++) {
                    int row = indexes[index];
                    if (out.isPresent(row)) {
                        out.values()[row] = DateMath.addMicros(time.values()[row], span.micros);
                    }
                }
                return;
            }
            for (int index = 0; index < count; index++) {
                int row = indexes[index];
                if (out.isPresent(row)) {
                    if (!isConstant) {
                        load(span, interval, row);
                        if (isMinus) {
                            span.negate();
                        }
                    }
                    out.values()[row] = span.addTo(time.values()[row]);
                }
            }
        });
    }

    static Step subtractTimestamps(List<Integer> arguments, int result, boolean isAge) {
        IntervalMath span = new IntervalMath();
        return rows(arguments, result, (in, out, row) -> {
            long to = ((LongVector) in[0]).values()[row];
            long from = ((LongVector) in[1]).values()[row];
            if (isAge) {
                span.setAge(to, from);
            } else {
                span.setDifference(to, from);
            }
            store(span, (DecimalVector) out, row);
        });
    }

    static Step bin(List<Integer> arguments, int result) {
        Bin bin = new Bin();
        return Steps.unlessEmpty((tile, rows) -> {
            LongVector out = Steps.longs(tile, result);
            DecimalVector spans = Steps.decimals(tile, arguments.get(0));
            LongVector times = Steps.longs(tile, arguments.get(1));
            LongVector origins = Steps.longs(tile, arguments.get(2));
            out.copyValidity(spans, rows.wordCount());
            out.keepPresent(times, rows.wordCount());
            out.keepPresent(origins, rows.wordCount());
            if (rows.isFull() && out.validity() == null && spans.isConstant() && origins.isConstant()) {
                bin.ofAll(spans, times.values(), origins.values()[0], rows.rowCount(), out.values());
                return;
            }
            int[] indexes = rows.indexes();
            if (out.validity() == null && spans.isConstant() && origins.isConstant()) {
                bin.ofSome(spans, times.values(), origins.values()[0], indexes, rows.count(), out.values());
                return;
            }
            for (int index = 0; index < rows.count(); index++) {
                int row = indexes[index];
                if (out.isPresent(row)) {
                    out.values()[row] = bin.of(spans, times.values()[row], origins.values()[row], row);
                }
            }
        });
    }

    /// The bin of the row before: rows in the order of time are in it for long.
    private static final class Bin {
        private static final int BLOCK_ROWS = 256;

        private final IntervalMath span = new IntervalMath();
        private long low; // of the interval
        private long high;
        private long origin;
        private long start;
        private long end; // the start itself: there is none yet

        /// The bins of all rows, block by block: most are in one.
        ///
        /// @param spans the same in all rows, as `from` is
        void ofAll(DecimalVector spans, long[] times, long from, int count, long[] bins) {
            for (int row = 0; row < count; row += BLOCK_ROWS) {
                int to = Math.min(count, row + BLOCK_ROWS);
                of(spans, times[row], from, 0);
                long outside = start == end ? -1 : 0;
                for (int at = row; at < to; at++) {
                    outside |= times[at] - start | end - 1 - times[at];
                }
                if (outside >= 0) {
                    Arrays.fill(bins, row, to, start);
                    continue;
                }
                for (int at = row; at < to; at++) {
                    bins[at] = of(spans, times[at], from, 0);
                }
            }
        }

        /// The bins of some rows.
        void ofSome(DecimalVector spans, long[] times, long from, int[] rows, int count, long[] bins) {
            if (count > 0) {
                of(spans, times[rows[0]], from, 0); // it may have been another interval's
            }
            for (int index = 0; index < count; index++) {
                long time = times[rows[index]];
                bins[rows[index]] = time >= start && time < end ? start : of(spans, time, from, 0);
            }
        }

        long of(DecimalVector spans, long time, long from, int row) {
            boolean isSame = time >= start
                    && time < end
                    && from == origin
                    && spans.low()[row] == low
                    && spans.high()[row] == high;
            if (isSame) {
                return start;
            }
            load(span, spans, row);
            long begun = span.bin(time, from);
            low = spans.low()[row];
            high = spans.high()[row];
            origin = from;
            start = begun;
            // An infinite time is no bin's; one that ends beyond all times has no end here.
            end = CivilDate.isInfinite(time) ? begun : begun + span.stride();
            return begun;
        }
    }

    static Step addToTime(boolean isMinus, List<Integer> arguments, int result) {
        IntervalMath span = new IntervalMath();
        return rows(arguments, result, (in, out, row) -> {
            load(span, (DecimalVector) in[1], row);
            ((LongVector) out).values()[row] = span.addToTime(((LongVector) in[0]).values()[row], isMinus);
        });
    }

    static Step subtractTimes(List<Integer> arguments, int result) {
        return rows(arguments, result, (in, out, row) -> {
            DecimalVector spans = (DecimalVector) out;
            spans.low()[row] = 0;
            spans.high()[row] = ((LongVector) in[0]).values()[row] - ((LongVector) in[1]).values()[row];
        });
    }

    static Step addTimeToDate(List<Integer> arguments, int result) {
        return rows(arguments, result, (in, out, row) -> {
            long start = CastSteps.startOf(((IntVector) in[0]).values()[row]);
            ((LongVector) out).values()[row] = DateMath.addMicros(start, ((LongVector) in[1]).values()[row]);
        });
    }

    private static Step combine(boolean isMinus, List<Integer> arguments, int result) {
        IntervalMath span = new IntervalMath();
        IntervalMath other = new IntervalMath();
        return rows(arguments, result, (in, out, row) -> {
            load(span, (DecimalVector) in[0], row);
            load(other, (DecimalVector) in[1], row);
            if (isMinus) {
                span.subtract(other);
            } else {
                span.add(other);
            }
            store(span, (DecimalVector) out, row);
        });
    }

    static Step scale(boolean isDivision, List<Integer> arguments, int result) {
        IntervalMath span = new IntervalMath();
        return rows(arguments, result, (in, out, row) -> {
            load(span, (DecimalVector) in[0], row);
            double factor = ((DoubleVector) in[1]).values()[row];
            if (isDivision) {
                span.divide(factor);
            } else {
                span.multiply(factor);
            }
            store(span, (DecimalVector) out, row);
        });
    }

    /// What becomes of one interval.
    @FunctionalInterface
    interface Change {
        void run(IntervalMath span);
    }

    static Step change(List<Integer> arguments, int result, Change change) {
        IntervalMath span = new IntervalMath();
        return rows(arguments, result, (in, out, row) -> {
            load(span, (DecimalVector) in[0], row);
            change.run(span);
            store(span, (DecimalVector) out, row);
        });
    }

    /// Times of day, or timestamps, to some digits of a second.
    static Step round(boolean isTime, List<Integer> arguments, int result) {
        return rows(arguments, result, (in, out, row) -> {
            long micros = ((LongVector) in[0]).values()[row];
            int digits = number(in, 1, row);
            ((LongVector) out).values()[row] =
                    isTime ? SecondDigits.roundTime(micros, digits) : SecondDigits.roundTimestamp(micros, digits);
        });
    }

    static Step adjust(List<Integer> arguments, int result) {
        return rows(arguments, result, (in, out, row) -> {
            DecimalVector from = (DecimalVector) in[0];
            DecimalVector to = (DecimalVector) out;
            Interval adjusted =
                    IntervalFields.adjusted(Interval.of(from.low()[row], from.high()[row]), number(in, 1, row));
            to.low()[row] = adjusted.calendar();
            to.high()[row] = adjusted.micros();
        });
    }

    static Step isFinite(List<Integer> arguments, int result) {
        return rows(arguments, result, (in, out, row) -> {
            boolean isFinite =
                    switch (in[0]) {
                        case IntVector days -> !CivilDate.isInfinite(days.values()[row]);
                        case LongVector times -> !CivilDate.isInfinite(times.values()[row]);
                        case DecimalVector spans -> Interval.isFinite(spans.low()[row], spans.high()[row]);
                        case BoolVector _, FloatVector _, DoubleVector _, TextVector _ ->
                            throw new IllegalArgumentException(in[0].type() + " is no time");
                    };
            Bits.set(((BoolVector) out).bits(), row, isFinite);
        });
    }

    // Making values of fields

    static Step makeDate(List<Integer> arguments, int result) {
        return rows(
                arguments,
                result,
                (in, out, row) -> ((IntVector) out).values()[row] =
                        (int) day(number(in, 0, row), number(in, 1, row), number(in, 2, row), true));
    }

    private static int number(Vector[] in, int index, int row) {
        return ((IntVector) in[index]).values()[row];
    }

    /// @param isDate whether make_date() is called, whose error shows a year BC as PostgreSQL counts it inside
    private static long day(int year, int month, int day, boolean isDate) {
        // There is no year 0 outside; -1 is 1 BC, which is 0 here.
        long inner = year < 0 ? year + 1L : year;
        if (year == 0
                || year == Integer.MIN_VALUE
                || month < 1
                || month > 12
                || day < 1
                || day > CivilDate.daysInMonth(inner, month)) {
            throw new QueryException(
                    SqlState.DATETIME_FIELD_OVERFLOW,
                    "date field value out of range: " + (isDate && year != Integer.MIN_VALUE ? inner : year) + "-"
                            + two(month) + "-" + two(day));
        }
        long days = CivilDate.toDays(inner, month, day);
        if (!CivilDate.isValidDay(days)) {
            throw new QueryException(
                    SqlState.DATETIME_FIELD_OVERFLOW, "date out of range: " + year + "-" + two(month) + "-" + two(day));
        }
        return days;
    }

    private static String two(int number) {
        return number >= 0 && number < 10 ? "0" + number : Integer.toString(number);
    }

    static Step makeTime(List<Integer> arguments, int result) {
        return rows(
                arguments,
                result,
                (in, out, row) -> ((LongVector) out).values()[row] =
                        time(number(in, 0, row), number(in, 1, row), ((DoubleVector) in[2]).values()[row]));
    }

    /// Seconds of 60 are the next minute, and 24:00 is the end of a day.
    private static long time(int hour, int minute, double second) {
        boolean isIn = hour >= 0 && minute >= 0 && minute <= 59 && hour <= 24 && !Double.isNaN(second);
        long micros = !isIn || Math.abs(second) > 60 ? -1 : (long) Math.rint(second * MICROS_PER_SECOND);
        long time = hour * MICROS_PER_HOUR + minute * MICROS_PER_MINUTE + micros;
        if (micros < 0 || time > CivilDate.MICROS_PER_DAY) {
            throw new QueryException(
                    SqlState.DATETIME_FIELD_OVERFLOW,
                    "time field value out of range: " + hour + ":" + two(minute) + ":" + seconds(second));
        }
        return time;
    }

    /// As C's `%02g`.
    private static String seconds(double second) {
        if (Double.isNaN(second) || Double.isInfinite(second)) {
            return Double.toString(second);
        }
        BigDecimal rounded = new BigDecimal(second).round(new MathContext(6)).stripTrailingZeros();
        int exponent = rounded.precision() - rounded.scale() - 1;
        if (rounded.signum() == 0 || exponent >= -4 && exponent < 6) {
            String text = rounded.toPlainString();
            boolean isMinusZero = Double.doubleToRawLongBits(second) == Long.MIN_VALUE;
            return isMinusZero ? "-0" : text.length() < 2 ? "0" + text : text;
        }
        return rounded.movePointLeft(exponent).toPlainString() + (exponent < 0 ? "e-" : "e+") + two(Math.abs(exponent));
    }

    static Step makeTimestamp(List<Integer> arguments, int result) {
        return rows(arguments, result, (in, out, row) -> {
            long days = day(number(in, 0, row), number(in, 1, row), number(in, 2, row), false);
            long time = time(number(in, 3, row), number(in, 4, row), ((DoubleVector) in[5]).values()[row]);
            if (days > CivilDate.LAST_TIMESTAMP_DAY) {
                throw RowErrors.timestampOutOfRange();
            }
            ((LongVector) out).values()[row] = DateMath.addMicros(days * CivilDate.MICROS_PER_DAY, time);
        });
    }

    static Step makeInterval(List<Integer> arguments, int result) {
        IntervalMath span = new IntervalMath();
        return rows(arguments, result, (in, out, row) -> {
            span.make(
                    number(in, 0, row),
                    number(in, 1, row),
                    number(in, 2, row),
                    number(in, 3, row),
                    number(in, 4, row),
                    number(in, 5, row),
                    ((DoubleVector) in[6]).values()[row]);
            store(span, (DecimalVector) out, row);
        });
    }

    static Step ofEpoch(List<Integer> arguments, int result) {
        return rows(
                arguments,
                result,
                (in, out, row) -> ((LongVector) out).values()[row] = ofEpoch(((DoubleVector) in[0]).values()[row]));
    }

    /// PostgreSQL counts from 2000 before it rounds.
    private static long ofEpoch(double seconds) {
        if (Double.isNaN(seconds)) {
            throw new QueryException(SqlState.DATETIME_FIELD_OVERFLOW, "timestamp cannot be NaN");
        }
        if (Double.isInfinite(seconds)) {
            return seconds > 0 ? CivilDate.TIMESTAMP_INFINITY : CivilDate.TIMESTAMP_MINUS_INFINITY;
        }
        double since2000 = Math.rint((seconds - 946_684_800.0) * MICROS_PER_SECOND);
        if (Math.abs(since2000) > 9.2e18) {
            throw outOfRange(seconds);
        }
        long micros = (long) since2000;
        long sum = micros + CivilDate.POSTGRES_EPOCH_MICROS;
        if (sum < micros || !CivilDate.isValidTimestamp(sum)) {
            throw outOfRange(seconds);
        }
        return sum;
    }

    private static QueryException outOfRange(double seconds) {
        TextBuffer text = new TextBuffer(32);
        PgText.appendFloat8(seconds, text);
        return new QueryException(SqlState.DATETIME_FIELD_OVERFLOW, "timestamp out of range: \"" + text + "\"");
    }

    // Parts

    static Step extractTime(DateField field, List<Integer> arguments, int result) {
        int scale = scale(field);
        return rows(arguments, result, (in, out, row) -> {
            long micros = ((LongVector) in[0]).values()[row];
            long value =
                    switch (field) {
                        case HOUR -> micros / MICROS_PER_HOUR;
                        case EPOCH -> micros;
                        default -> ofHour(field, micros);
                    };
            put((DecimalVector) out, row, value >> 63, value, scale);
        });
    }

    private static int scale(DateField field) {
        return switch (field) {
            case SECOND, EPOCH -> 6;
            case MILLISECONDS -> 3;
            default -> 0;
        };
    }

    private static long ofHour(DateField field, long micros) {
        return field == DateField.MINUTE ? micros / MICROS_PER_MINUTE % 60 : micros % MICROS_PER_MINUTE;
    }

    private static void put(DecimalVector to, int row, long high, long low, int scale) {
        to.high()[row] = high;
        to.low()[row] = low;
        to.scale()[row] = scale;
        to.setNarrow(false);
    }

    static Step epoch(List<Integer> arguments, int result) {
        IntervalMath span = new IntervalMath();
        return rows(arguments, result, (in, out, row) -> {
            load(span, (DecimalVector) in[0], row);
            double seconds;
            if (span.isFinite()) {
                seconds = span.micros / 1_000_000.0;
                seconds += 365.25 * SECONDS_PER_DAY * (span.months / 12);
                seconds += (double) Interval.DAYS_PER_MONTH * SECONDS_PER_DAY * (span.months % 12);
                seconds += (double) SECONDS_PER_DAY * span.days;
            } else {
                seconds = span.isInfinity() ? Double.POSITIVE_INFINITY : Double.NEGATIVE_INFINITY;
            }
            ((DoubleVector) out).values()[row] = seconds;
        });
    }

    static Step extractInterval(DateField field, List<Integer> arguments, int result) {
        int scale = scale(field);
        IntervalMath span = new IntervalMath();
        return rows(arguments, result, (in, out, row) -> {
            load(span, (DecimalVector) in[0], row);
            if (!span.isFinite()) {
                throw DateOperations.infinite("interval");
            }
            if (field == DateField.EPOCH) {
                long quarters = QUARTER_DAYS_PER_YEAR * (span.months / 12)
                        + 4L * Interval.DAYS_PER_MONTH * (span.months % 12)
                        + 4L * span.days;
                long seconds = quarters * (SECONDS_PER_DAY / 4);
                long low = seconds * MICROS_PER_SECOND;
                long high = Math.multiplyHigh(seconds, MICROS_PER_SECOND);
                long sum = low + span.micros;
                high += (span.micros >> 63) + (Long.compareUnsigned(sum, low) < 0 ? 1 : 0);
                put((DecimalVector) out, row, high, sum, scale);
                return;
            }
            long value = field(field, span);
            put((DecimalVector) out, row, value >> 63, value, scale);
        });
    }

    private static long field(DateField field, IntervalMath span) {
        int year = span.months / 12;
        int month = span.months % 12;
        return switch (field) {
            case YEAR -> year;
            case QUARTER -> span.months >= 0 ? month / 3 + 1 : -(-month / 3 + 1);
            case MONTH -> month;
            case WEEK -> span.days / 7;
            case DAY -> span.days;
            case HOUR -> span.micros / MICROS_PER_HOUR;
            case MINUTE, SECOND, MILLISECONDS, MICROSECONDS -> ofHour(field, span.micros);
            case DECADE -> year / 10;
            case CENTURY -> year / 100;
            case MILLENNIUM -> year / 1000;
            case DOW, ISODOW, DOY, ISOYEAR, EPOCH -> throw new IllegalArgumentException(field + " of an interval");
        };
    }

    private static void load(IntervalMath span, DecimalVector from, int row) {
        span.set(from.low()[row], from.high()[row]);
    }

    private static void store(IntervalMath span, DecimalVector to, int row) {
        to.low()[row] = span.calendar();
        to.high()[row] = span.micros;
    }
}
