package dev.quarrel.core.pg;

import static dev.quarrel.core.type.CivilDate.MICROS_PER_SECOND;

import dev.quarrel.core.type.Interval;

/// Intervals and times of day as text.
///
/// - Source: PostgreSQL's `datetime.c` (EncodeInterval, AddPostgresIntPart, AddVerboseIntPart,
///   AddISO8601IntPart, EncodeTimeOnly).
final class IntervalText {
    private static final long SECONDS_PER_HOUR = 3_600;

    private IntervalText() {}

    static void append(long calendar, long micros, IntervalStyle style, TextBuffer out) {
        if (!Interval.isFinite(calendar, micros)) {
            out.appendAscii(micros > 0 ? "infinity" : "-infinity");
            return;
        }
        switch (style) {
            case POSTGRES -> appendPostgres(calendar, micros, out);
            case POSTGRES_VERBOSE -> appendVerbose(calendar, micros, out);
            case SQL_STANDARD -> appendStandard(calendar, micros, out);
            case ISO_8601 -> appendIso(calendar, micros, out);
        }
    }

    // Quotients and remainders have the sign of what was divided: all parts of a time have one.

    private static long hours(long micros) {
        return micros / MICROS_PER_SECOND / SECONDS_PER_HOUR;
    }

    private static long minutes(long micros) {
        return micros / MICROS_PER_SECOND / 60 % 60;
    }

    /// Seconds of a minute with their fraction, as microseconds.
    private static long seconds(long micros) {
        return micros % (60 * MICROS_PER_SECOND);
    }

    /// Without a sign; the seconds with two digits, if they are to be filled up.
    private static void appendSeconds(long micros, boolean filled, TextBuffer out) {
        int whole = (int) Math.abs(micros / MICROS_PER_SECOND);
        if (filled && whole < 10) {
            out.append('0');
        }
        PgText.appendInt(whole, out);
        appendFraction((int) Math.abs(micros % MICROS_PER_SECOND), out);
    }

    private static void appendIso(long calendar, long micros, TextBuffer out) {
        if (calendar == 0 && micros == 0) {
            out.appendAscii("PT0S");
            return;
        }
        out.append('P');
        isoPart(Interval.months(calendar) / 12, 'Y', out);
        isoPart(Interval.months(calendar) % 12, 'M', out);
        isoPart(Interval.days(calendar), 'D', out);
        if (micros == 0) {
            return;
        }
        out.append('T');
        isoPart(hours(micros), 'H', out);
        isoPart(minutes(micros), 'M', out);
        long seconds = seconds(micros);
        if (seconds != 0) {
            if (seconds < 0) {
                out.append('-');
            }
            appendSeconds(seconds, false, out);
            out.append('S');
        }
    }

    private static void isoPart(long count, char unit, TextBuffer out) {
        if (count != 0) {
            PgText.appendInt(count, out);
            out.append(unit);
        }
    }

    private static void appendStandard(long calendar, long micros, TextBuffer out) {
        int months = Interval.months(calendar);
        int days = Interval.days(calendar);
        boolean isNegative = months < 0 || days < 0 || micros < 0;
        boolean isPositive = months > 0 || days > 0 || micros > 0;
        if (!isNegative && !isPositive) {
            out.append('0');
            return;
        }
        if (isNegative && isPositive || months != 0 && (days != 0 || micros != 0)) {
            sign(months, out);
            yearsAndMonths(months, out);
            out.append(' ');
            sign(days, out);
            PgText.appendInt(Math.abs((long) days), out);
            out.append(' ');
            sign(micros, out);
            time(micros, out);
            return;
        }
        if (isNegative) {
            out.append('-');
        }
        if (months != 0) {
            yearsAndMonths(months, out);
            return;
        }
        if (days != 0) {
            PgText.appendInt(Math.abs((long) days), out);
            out.append(' ');
        }
        time(micros, out);
    }

    private static void sign(long count, TextBuffer out) {
        out.append(count < 0 ? '-' : '+');
    }

    private static void yearsAndMonths(int months, TextBuffer out) {
        PgText.appendInt(Math.abs(months / 12), out);
        out.append('-');
        PgText.appendInt(Math.abs(months % 12), out);
    }

    /// Without a sign.
    private static void time(long micros, TextBuffer out) {
        PgText.appendInt(Math.abs(hours(micros)), out);
        two(Math.abs(minutes(micros)), out);
        out.append(':');
        appendSeconds(seconds(micros), true, out);
    }

    private static void appendVerbose(long calendar, long micros, TextBuffer out) {
        out.append('@');
        int start = out.length();
        boolean isBefore = isBefore(calendar, micros);
        verbosePart(Interval.months(calendar) / 12, "year", isBefore, out);
        verbosePart(Interval.months(calendar) % 12, "mon", isBefore, out);
        verbosePart(Interval.days(calendar), "day", isBefore, out);
        verbosePart(hours(micros), "hour", isBefore, out);
        verbosePart(minutes(micros), "min", isBefore, out);
        long seconds = seconds(micros);
        if (seconds != 0) {
            out.append(' ');
            if (seconds < 0 != isBefore) {
                out.append('-');
            }
            appendSeconds(seconds, false, out);
            out.appendAscii(Math.abs(seconds) == MICROS_PER_SECOND ? " sec" : " secs");
        }
        if (out.length() == start) {
            out.appendAscii(" 0");
        }
        if (isBefore) {
            out.appendAscii(" ago");
        }
    }

    /// Whether the first part that is not zero is negative: then all signs turn round.
    private static boolean isBefore(long calendar, long micros) {
        int months = Interval.months(calendar);
        int days = Interval.days(calendar);
        return months != 0 ? months < 0 : days != 0 ? days < 0 : micros < 0;
    }

    private static void verbosePart(long count, String unit, boolean isBefore, TextBuffer out) {
        if (count == 0) {
            return;
        }
        long shown = isBefore ? -count : count;
        out.append(' ');
        PgText.appendInt(shown, out);
        out.append(' ');
        out.appendAscii(unit);
        if (shown != 1) {
            out.append('s');
        }
    }

    private static void appendPostgres(long calendar, long micros, TextBuffer out) {
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
        appendFraction(fraction, out);
    }

    /// A point and digits to the last that is not zero; nothing for zero.
    private static void appendFraction(int fraction, TextBuffer out) {
        if (fraction == 0) {
            return;
        }
        out.append('.');
        int unit = 100_000;
        for (int rest = fraction; rest > 0; rest %= unit, unit /= 10) {
            out.append((char) ('0' + rest / unit));
        }
    }

    private static void two(long value, TextBuffer out) {
        out.append(':');
        out.append((char) ('0' + value / 10));
        out.append((char) ('0' + value % 10));
    }
}
