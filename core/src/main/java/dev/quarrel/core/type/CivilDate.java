package dev.quarrel.core.type;

/// The proleptic Gregorian calendar over days and microseconds since 1970-01-01. Year 0 is 1 BC, -1 is 2 BC.
///
/// - Source: Hinnant, "chrono-Compatible Low-Level Date Algorithms"; PostgreSQL's `timestamp.c` for the bounds.
public final class CivilDate {
    public static final int INFINITY = Integer.MAX_VALUE;
    public static final int MINUS_INFINITY = Integer.MIN_VALUE;
    public static final long TIMESTAMP_INFINITY = Long.MAX_VALUE;
    public static final long TIMESTAMP_MINUS_INFINITY = Long.MIN_VALUE;

    public static final long MICROS_PER_SECOND = 1_000_000;
    public static final long MICROS_PER_DAY = 86_400 * MICROS_PER_SECOND;

    /// PostgreSQL counts from 2000-01-01 where it sends dates and timestamps in binary.
    public static final int POSTGRES_EPOCH_DAY = 10_957;

    public static final long POSTGRES_EPOCH_MICROS = POSTGRES_EPOCH_DAY * MICROS_PER_DAY;

    /// 4714-11-24 BC, PostgreSQL's first day.
    public static final long FIRST_DAY = -2_440_588;
    /// The day after 5874897-12-31, PostgreSQL's last.
    public static final long END_DAY = 2_145_042_906;
    /// The last day whose start fits 64 bits of microseconds: 294247-01-10. PostgreSQL ends 30 years later.
    public static final long LAST_TIMESTAMP_DAY = 106_751_991;

    private static final int DAYS_PER_ERA = 146_097;
    /// From 0000-03-01 to 1970-01-01.
    private static final int SHIFT = 719_468;

    private CivilDate() {}

    public static boolean isInfinite(int day) {
        return day == INFINITY || day == MINUS_INFINITY;
    }

    public static boolean isInfinite(long micros) {
        return micros == TIMESTAMP_INFINITY || micros == TIMESTAMP_MINUS_INFINITY;
    }

    /// Whether a day that is not infinite lies in PostgreSQL's range.
    public static boolean isValidDay(long day) {
        return day >= FIRST_DAY && day < END_DAY;
    }

    /// Whether microseconds lie in PostgreSQL's range and ours.
    public static boolean isValidTimestamp(long micros) {
        return micros >= FIRST_DAY * MICROS_PER_DAY && micros != TIMESTAMP_INFINITY;
    }

    public static long dayOf(long micros) {
        return Math.floorDiv(micros, MICROS_PER_DAY);
    }

    /// Year, month and day, packed so that nothing is allocated: see `yearOf`, `monthOf`, `dayOfMonthOf`.
    public static long fromDays(long days) {
        long shifted = days + SHIFT;
        long era = Math.floorDiv(shifted, (long) DAYS_PER_ERA);
        int dayOfEra = (int) (shifted - era * DAYS_PER_ERA);
        int yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365;
        int dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100);
        int shiftedMonth = (5 * dayOfYear + 2) / 153;
        int day = dayOfYear - (153 * shiftedMonth + 2) / 5 + 1;
        int month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9;
        long year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0);
        return year << 16 | month << 8 | day;
    }

    public static long yearOf(long packed) {
        return packed >> 16;
    }

    public static int monthOf(long packed) {
        return (int) (packed >>> 8) & 0xFF;
    }

    public static int dayOfMonthOf(long packed) {
        return (int) packed & 0xFF;
    }

    public static long toDays(long year, int month, int day) {
        long shiftedYear = month <= 2 ? year - 1 : year;
        long era = Math.floorDiv(shiftedYear, 400L);
        int yearOfEra = (int) (shiftedYear - era * 400);
        int dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1;
        int dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear;
        return era * DAYS_PER_ERA + dayOfEra - SHIFT;
    }

    public static int daysInMonth(long year, int month) {
        return switch (month) {
            case 4, 6, 9, 11 -> 30;
            case 2 -> (year & 3) == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28;
            default -> 31;
        };
    }
}
