package dev.quarrel.core.pg;

import dev.quarrel.core.type.Interval;

/// Intervals and times of day as text.
///
/// - Source: PostgreSQL's `datetime.c` (EncodeInterval, AddPostgresIntPart, EncodeTimeOnly), IntervalStyle postgres.
final class IntervalText {
    private static final long MICROS_PER_SECOND = 1_000_000;
    private static final long SECONDS_PER_HOUR = 3_600;

    private IntervalText() {}

    static void append(long calendar, long micros, TextBuffer out) {
        if (!Interval.isFinite(calendar, micros)) {
            out.appendAscii(micros > 0 ? "infinity" : "-infinity");
            return;
        }
        int start = out.length();
        int years = Interval.months(calendar) / 12;
        int months = Interval.months(calendar) % 12;
        int days = Interval.days(calendar);
        // A positive part shows its sign behind a negative one.
        boolean isBehindNegative = part(years, "year", false, start, out);
        isBehindNegative = part(months, "mon", isBehindNegative, start, out);
        isBehindNegative = part(days, "day", isBehindNegative, start, out);
        if (micros == 0 && out.length() > start) {
            return;
        }
        if (out.length() > start) {
            out.append(' ');
        }
        if (micros < 0) {
            out.append('-');
        } else if (isBehindNegative) {
            out.append('+');
        }
        appendClock(micros, out);
    }

    /// @return whether the part that stands last is negative
    private static boolean part(int count, String unit, boolean isBehindNegative, int start, TextBuffer out) {
        if (count == 0) {
            return isBehindNegative;
        }
        if (out.length() > start) {
            out.append(' ');
        }
        if (isBehindNegative && count > 0) {
            out.append('+');
        }
        PgText.appendInt(count, out);
        out.append(' ');
        out.appendAscii(unit);
        if (count != 1) {
            out.append('s');
        }
        return count < 0;
    }

    /// Hours, minutes, seconds and their fraction, without a sign.
    static void appendClock(long micros, TextBuffer out) {
        // The least number has no magnitude of its own sign: quotients and remainders have.
        long seconds = Math.abs(micros / MICROS_PER_SECOND);
        int fraction = (int) Math.abs(micros % MICROS_PER_SECOND);
        long hours = seconds / SECONDS_PER_HOUR;
        if (hours < 10) {
            out.append('0');
        }
        PgText.appendInt(hours, out);
        two(seconds / 60 % 60, out);
        two(seconds % 60, out);
        if (fraction == 0) {
            return;
        }
        out.append('.');
        int unit = 100_000;
        while (fraction > 0) {
            out.append((char) ('0' + fraction / unit));
            fraction %= unit;
            unit /= 10;
        }
    }

    private static void two(long value, TextBuffer out) {
        out.append(':');
        out.append((char) ('0' + value / 10));
        out.append((char) ('0' + value % 10));
    }
}
