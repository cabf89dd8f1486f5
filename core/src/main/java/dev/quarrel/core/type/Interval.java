package dev.quarrel.core.type;

/// A value of type interval, as PostgreSQL keeps it: months, days and microseconds, which do not carry into one
/// another.
///
/// Intervals compare by their span, in which a month has 30 days and a day 24 hours; several intervals have one span.
/// In two 64-bit words, as columns hold it: the first has the months in its lower half and the days in its upper one,
/// the second the microseconds.
///
/// - Source: PostgreSQL's `timestamp.c` (interval_cmp_value) and `timestamp.h`.
public record Interval(int months, int days, long micros) {
    public static final Interval INFINITY = new Interval(Integer.MAX_VALUE, Integer.MAX_VALUE, Long.MAX_VALUE);
    public static final Interval MINUS_INFINITY = new Interval(Integer.MIN_VALUE, Integer.MIN_VALUE, Long.MIN_VALUE);

    public static final long MICROS_PER_DAY = CivilDate.MICROS_PER_DAY;
    public static final int DAYS_PER_MONTH = 30;

    /// The interval of two words.
    public static Interval of(long calendar, long micros) {
        return new Interval(months(calendar), days(calendar), micros);
    }

    /// The word of months and days.
    public long calendar() {
        return calendar(months, days);
    }

    public static long calendar(int months, int days) {
        return months & 0xFFFF_FFFFL | (long) days << 32;
    }

    public static int months(long calendar) {
        return (int) calendar;
    }

    public static int days(long calendar) {
        return (int) (calendar >> 32);
    }

    public boolean isFinite() {
        return isFinite(calendar(), micros);
    }

    public static boolean isFinite(long calendar, long micros) {
        return !(isInfinity(calendar, micros) || isMinusInfinity(calendar, micros));
    }

    public static boolean isInfinity(long calendar, long micros) {
        return micros == Long.MAX_VALUE && calendar == INFINITY.calendar();
    }

    public static boolean isMinusInfinity(long calendar, long micros) {
        return micros == Long.MIN_VALUE && calendar == MINUS_INFINITY.calendar();
    }

    /// The whole days of an interval's span, rounded down; [#spanMicros] is the rest of it.
    public static long spanDays(long calendar, long micros) {
        return (long) months(calendar) * DAYS_PER_MONTH + days(calendar) + Math.floorDiv(micros, MICROS_PER_DAY);
    }

    /// From 0 to a day less a microsecond.
    public static long spanMicros(long micros) {
        return Math.floorMod(micros, MICROS_PER_DAY);
    }

    /// Orders two intervals by their spans.
    public static int compareSpans(long calendar, long micros, long otherCalendar, long otherMicros) {
        int order = Long.compare(spanDays(calendar, micros), spanDays(otherCalendar, otherMicros));
        return order != 0 ? order : Long.compare(spanMicros(micros), spanMicros(otherMicros));
    }

    /// Orders two intervals of one span by how they are written: by months, then by days. So a group of equal ones has
    /// one that stands for it whatever their order.
    public static int compareForms(long calendar, long otherCalendar) {
        int order = Integer.compare(months(calendar), months(otherCalendar));
        return order != 0 ? order : Integer.compare(days(calendar), days(otherCalendar));
    }
}
