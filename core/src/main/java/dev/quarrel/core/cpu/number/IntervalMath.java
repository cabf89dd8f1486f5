package dev.quarrel.core.cpu.number;

import dev.quarrel.core.ir.DateField;
import dev.quarrel.core.type.CivilDate;
import dev.quarrel.core.type.Interval;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;

/// A register for interval arithmetic: months, days and microseconds.
///
/// - Errors: 22008 `interval out of range` where a field overflows, or a finite result would be one of the infinities.
/// - Source: PostgreSQL's `timestamp.c`.
public final class IntervalMath {
    private static final double MICROS_PER_SECOND = 1_000_000.0;
    private static final int SECONDS_PER_DAY = 86_400;
    private static final int MONTHS_PER_YEAR = 12;

    public int months;
    public int days;
    public long micros;

    public void set(long calendar, long newMicros) {
        months = Interval.months(calendar);
        days = Interval.days(calendar);
        micros = newMicros;
    }

    public void set(int newMonths, int newDays, long newMicros) {
        months = newMonths;
        days = newDays;
        micros = newMicros;
    }

    public long calendar() {
        return Interval.calendar(months, days);
    }

    public boolean isInfinity() {
        return Interval.isInfinity(calendar(), micros);
    }

    public boolean isMinusInfinity() {
        return Interval.isMinusInfinity(calendar(), micros);
    }

    public boolean isFinite() {
        return Interval.isFinite(calendar(), micros);
    }

    public void setInfinite(boolean isPositive) {
        Interval infinity = isPositive ? Interval.INFINITY : Interval.MINUS_INFINITY;
        set(infinity.months(), infinity.days(), infinity.micros());
    }

    public static QueryException outOfRange() {
        return new QueryException(SqlState.DATETIME_FIELD_OVERFLOW, "interval out of range");
    }

    private static int narrow(long value) {
        if (value != (int) value) {
            throw outOfRange();
        }
        return (int) value;
    }

    private static long sum(long a, long b) {
        long sum = a + b;
        if (((a ^ sum) & (b ^ sum)) < 0) {
            throw outOfRange();
        }
        return sum;
    }

    private static long difference(long a, long b) {
        long difference = a - b;
        if (((a ^ b) & (a ^ difference)) < 0) {
            throw outOfRange();
        }
        return difference;
    }

    private void checkFinite() {
        if (!isFinite()) {
            throw outOfRange();
        }
    }

    public void negate() {
        if (isInfinity() || isMinusInfinity()) {
            setInfinite(isMinusInfinity());
            return;
        }
        months = narrow(-(long) months);
        days = narrow(-(long) days);
        micros = difference(0, micros);
        checkFinite();
    }

    public void add(IntervalMath other) {
        combine(other, false);
    }

    public void subtract(IntervalMath other) {
        combine(other, true);
    }

    private void combine(IntervalMath other, boolean isMinus) {
        if (!isFinite() || !other.isFinite()) {
            boolean isOther = isFinite();
            boolean positive = isOther ? other.isInfinity() != isMinus : isInfinity();
            if (!isOther && !other.isFinite() && other.isInfinity() != isMinus != positive) {
                throw outOfRange();
            }
            setInfinite(positive);
            return;
        }
        months = narrow(isMinus ? (long) months - other.months : (long) months + other.months);
        days = narrow(isMinus ? (long) days - other.days : (long) days + other.days);
        micros = isMinus ? difference(micros, other.micros) : sum(micros, other.micros);
        checkFinite();
    }

    private static double roundedToMicros(double seconds) {
        return Math.rint(seconds * MICROS_PER_SECOND) / MICROS_PER_SECOND;
    }

    private static int whole(double value) {
        if (!(value >= Integer.MIN_VALUE && value < -(double) Integer.MIN_VALUE)) {
            throw outOfRange();
        }
        return (int) value;
    }

    public static long wholeMicros(double value) {
        if (!(value >= Long.MIN_VALUE && value < -(double) Long.MIN_VALUE)) {
            throw outOfRange();
        }
        return (long) value;
    }

    public void multiply(double factor) {
        if (Double.isNaN(factor)) {
            throw outOfRange();
        }
        if (!isFinite()) {
            if (factor == 0) {
                throw outOfRange();
            }
            if (factor < 0) {
                negate();
            }
            return;
        }
        if (Double.isInfinite(factor)) {
            int sign = Interval.compareSpans(calendar(), micros, 0, 0);
            if (sign == 0) {
                throw outOfRange();
            }
            setInfinite(factor * sign > 0);
            return;
        }
        scale(months * factor, days * factor, micros * factor);
    }

    public void divide(double divisor) {
        if (divisor == 0) {
            throw RowErrors.divisionByZero();
        }
        if (Double.isNaN(divisor)) {
            throw outOfRange();
        }
        if (!isFinite()) {
            if (Double.isInfinite(divisor)) {
                throw outOfRange();
            }
            if (divisor < 0) {
                negate();
            }
            return;
        }
        scale(months / divisor, days / divisor, micros / divisor);
    }

    /// The parts of months go down to days, those of days to microseconds.
    private void scale(double newMonths, double newDays, double newMicros) {
        int wholeMonths = whole(newMonths);
        int wholeDays = whole(newDays);
        double restDays = roundedToMicros((newMonths - wholeMonths) * Interval.DAYS_PER_MONTH);
        double restSeconds = roundedToMicros((newDays - wholeDays + restDays - (int) restDays) * SECONDS_PER_DAY);
        if (Math.abs(restSeconds) >= SECONDS_PER_DAY) {
            int moreDays = (int) (restSeconds / SECONDS_PER_DAY);
            wholeDays = narrow((long) wholeDays + moreDays);
            restSeconds -= moreDays * (double) SECONDS_PER_DAY;
        }
        months = wholeMonths;
        days = narrow((long) wholeDays + (int) restDays);
        micros = wholeMicros(Math.rint(newMicros + restSeconds * MICROS_PER_SECOND));
        checkFinite();
    }

    public void justifyHours() {
        if (!isFinite()) {
            return;
        }
        long whole = micros / Interval.MICROS_PER_DAY;
        micros -= whole * Interval.MICROS_PER_DAY;
        days = narrow(days + whole);
        alignMicros();
    }

    private void alignMicros() {
        if (days > 0 && micros < 0) {
            micros += Interval.MICROS_PER_DAY;
            days--;
        } else if (days < 0 && micros > 0) {
            micros -= Interval.MICROS_PER_DAY;
            days++;
        }
    }

    private void carryDays() {
        int whole = days / Interval.DAYS_PER_MONTH;
        days -= whole * Interval.DAYS_PER_MONTH;
        months = narrow((long) months + whole);
    }

    public void justifyDays() {
        if (!isFinite()) {
            return;
        }
        carryDays();
        if (months > 0 && days < 0) {
            days += Interval.DAYS_PER_MONTH;
            months--;
        } else if (months < 0 && days > 0) {
            days -= Interval.DAYS_PER_MONTH;
            months++;
        }
    }

    public void justify() {
        if (!isFinite()) {
            return;
        }
        // First so, where days and time add up and might overflow.
        if (days > 0 && micros > 0 || days < 0 && micros < 0) {
            carryDays();
        }
        long whole = micros / Interval.MICROS_PER_DAY;
        micros -= whole * Interval.MICROS_PER_DAY;
        days = narrow(days + whole);
        carryDays();
        if (months > 0 && (days < 0 || days == 0 && micros < 0)) {
            days += Interval.DAYS_PER_MONTH;
            months--;
        } else if (months < 0 && (days > 0 || days == 0 && micros > 0)) {
            days -= Interval.DAYS_PER_MONTH;
            months++;
        }
        alignMicros();
    }

    /// The time from `from` to `to`, days of 24 hours apart.
    public void setDifference(long to, long from) {
        if (isInfiniteDifference(to, from)) {
            return;
        }
        set(0, 0, difference(to, from));
        justifyHours();
    }

    private boolean isInfiniteDifference(long to, long from) {
        if (!CivilDate.isInfinite(to) && !CivilDate.isInfinite(from)) {
            return false;
        }
        if (to == from) {
            throw outOfRange();
        }
        setInfinite(CivilDate.isInfinite(to) ? to > 0 : from < 0);
        return true;
    }

    /// The difference field by field: years and months, days, and time of day.
    public void setAge(long to, long from) {
        setAge(to, from, to < from);
    }

    /// The same for local times.
    ///
    /// @param isNegative whether `to` is the earlier instant
    public void setAge(long to, long from, boolean isNegative) {
        if (isInfiniteDifference(to, from)) {
            return;
        }
        long later = isNegative ? from : to;
        long earlier = isNegative ? to : from;
        long laterDay = CivilDate.dayOf(later);
        long earlierDay = CivilDate.dayOf(earlier);
        long laterDate = CivilDate.fromDays(laterDay);
        long earlierDate = CivilDate.fromDays(earlierDay);
        long time = later - laterDay * CivilDate.MICROS_PER_DAY - (earlier - earlierDay * CivilDate.MICROS_PER_DAY);
        int day = CivilDate.dayOfMonthOf(laterDate) - CivilDate.dayOfMonthOf(earlierDate);
        long month = (CivilDate.yearOf(laterDate) - CivilDate.yearOf(earlierDate)) * MONTHS_PER_YEAR
                + CivilDate.monthOf(laterDate)
                - CivilDate.monthOf(earlierDate);
        if (time < 0) {
            time += CivilDate.MICROS_PER_DAY;
            day--;
        }
        while (day < 0) {
            // The month in which the earlier time lies gives the days.
            day += CivilDate.daysInMonth(CivilDate.yearOf(earlierDate), CivilDate.monthOf(earlierDate));
            month--;
        }
        set(narrow(month), day, time);
        if (isNegative) {
            set(-months, -days, -micros);
        }
    }

    /// - Errors: 22008 out of the range of intervals; 22003 where the seconds overflow.
    public void make(int years, int newMonths, int weeks, int newDays, int hours, int minutes, double seconds) {
        if (Double.isInfinite(seconds) || Double.isNaN(seconds)) {
            throw outOfRange();
        }
        months = narrow(narrow((long) years * MONTHS_PER_YEAR) + (long) newMonths);
        days = narrow(narrow(weeks * 7L) + (long) newDays);
        double scaled = seconds * MICROS_PER_SECOND;
        if (Double.isInfinite(scaled)) {
            throw RowErrors.floatOverflow();
        }
        micros = sum(hours * 3_600_000_000L + minutes * 60_000_000L, wholeMicros(Math.rint(scaled)));
        checkFinite();
    }

    /// The time moved by this interval: months first, then days and time.
    ///
    /// - Errors: 22008 `timestamp out of range`.
    public long addTo(long time) {
        if (!isFinite()) {
            boolean isPositive = isInfinity();
            long infinity = isPositive ? CivilDate.TIMESTAMP_INFINITY : CivilDate.TIMESTAMP_MINUS_INFINITY;
            if (CivilDate.isInfinite(time) && time != infinity) {
                throw RowErrors.timestampOutOfRange();
            }
            return infinity;
        }
        if (CivilDate.isInfinite(time)) {
            return time;
        }
        long moved = months == 0 ? time : DateMath.addMonths(time, months);
        if (days != 0) {
            moved = DateMath.addWholeDays(moved, days);
        }
        return micros == 0 ? moved : DateMath.addMicros(moved, micros);
    }

    /// The time of day moved by the microseconds alone, round the clock.
    public long addToTime(long time, boolean isMinus) {
        if (!isFinite()) {
            throw new QueryException(
                    SqlState.DATETIME_FIELD_OVERFLOW,
                    isMinus ? "cannot subtract infinite interval from time" : "cannot add infinite interval to time");
        }
        return Math.floorMod(isMinus ? time - micros : time + micros, CivilDate.MICROS_PER_DAY);
    }

    /// Microseconds of one that times have been binned into.
    public long stride() {
        return days * CivilDate.MICROS_PER_DAY + micros;
    }

    /// The start of the bin in which `time` lies; bins begin at `origin` and are as long as this interval.
    ///
    /// - Errors: 22008; 0A000 for months.
    public long bin(long time, long origin) {
        if (CivilDate.isInfinite(time)) {
            return time;
        }
        if (CivilDate.isInfinite(origin)) {
            throw new QueryException(SqlState.DATETIME_FIELD_OVERFLOW, "origin out of range");
        }
        if (!isFinite()) {
            throw new QueryException(
                    SqlState.DATETIME_FIELD_OVERFLOW, "timestamps cannot be binned into infinite intervals");
        }
        if (months != 0) {
            throw new QueryException(
                    SqlState.FEATURE_NOT_SUPPORTED,
                    "timestamps cannot be binned into intervals containing months or years");
        }
        // 64 bits of microseconds hold as many days either side of zero.
        if (Math.abs((long) days) > CivilDate.LAST_TIMESTAMP_DAY) {
            throw outOfRange();
        }
        long stride = sum(days * CivilDate.MICROS_PER_DAY, micros);
        if (stride <= 0) {
            throw new QueryException(SqlState.DATETIME_FIELD_OVERFLOW, "stride must be greater than zero");
        }
        long past = difference(time, origin);
        long start = origin + (past - past % stride);
        if (past % stride < 0) {
            long earlier = start - stride;
            if (earlier > start || !CivilDate.isValidTimestamp(earlier)) {
                throw RowErrors.timestampOutOfRange();
            }
            return earlier;
        }
        return start;
    }

    /// Down to a unit, fields of their own each.
    public void truncate(DateField field) {
        if (!isFinite()) {
            return;
        }
        switch (field) {
            case MILLENNIUM -> clearBelowMonths(12_000);
            case CENTURY -> clearBelowMonths(1_200);
            case DECADE -> clearBelowMonths(120);
            case YEAR -> clearBelowMonths(12);
            case QUARTER -> clearBelowMonths(3);
            case MONTH -> clearBelowMonths(1);
            case DAY -> micros = 0;
            case HOUR -> micros -= micros % 3_600_000_000L;
            case MINUTE -> micros -= micros % 60_000_000L;
            case SECOND -> micros -= micros % 1_000_000L;
            case MILLISECONDS -> micros -= micros % 1_000L;
            case MICROSECONDS -> {}
            case WEEK, DOW, ISODOW, DOY, ISOYEAR, EPOCH ->
                throw new IllegalArgumentException(field + " is no unit of an interval");
        }
    }

    private void clearBelowMonths(int unit) {
        months -= months % unit;
        days = 0;
        micros = 0;
    }
}
