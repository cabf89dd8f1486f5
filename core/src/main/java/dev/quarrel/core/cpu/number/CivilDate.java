package dev.quarrel.core.cpu.number;

import dev.quarrel.core.ir.DateField;

/// Days and microseconds since 1970-01-01 in the proleptic Gregorian calendar. Year 0 is 1 BC, -1 is 2 BC.
///
/// - Source: Hinnant, "chrono-Compatible Low-Level Date Algorithms"; PostgreSQL's `timestamp.c` for the fields.
public final class CivilDate {
    public static final int INFINITY = Integer.MAX_VALUE;
    public static final int MINUS_INFINITY = Integer.MIN_VALUE;
    public static final long TIMESTAMP_INFINITY = Long.MAX_VALUE;
    public static final long TIMESTAMP_MINUS_INFINITY = Long.MIN_VALUE;

    public static final long MICROS_PER_SECOND = 1_000_000;
    public static final long MICROS_PER_DAY = 86_400 * MICROS_PER_SECOND;

    /// 4714-11-24 BC, PostgreSQL's first day.
    static final long FIRST_DAY = -2_440_588;
    /// The day after 5874897-12-31, PostgreSQL's last.
    static final long END_DAY = 2_145_042_906;
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

    /// Sunday = 0 to Saturday = 6.
    static int dayOfWeek(long days) {
        return Math.floorMod(days + 4, 7);
    }

    /// Monday of the day's week.
    static long mondayOf(long days) {
        return days - Math.floorMod(days + 3, 7);
    }

    /// A field of a day, as `extract` gives it.
    ///
    /// @param field one of a date's: YEAR, QUARTER, MONTH, DAY, DOW, ISODOW, DOY, WEEK, ISOYEAR, DECADE, CENTURY,
    ///     MILLENNIUM
    public static long field(DateField field, long days) {
        return switch (field) {
            case YEAR -> shown(yearOf(fromDays(days)));
            case QUARTER -> (monthOf(fromDays(days)) - 1) / 3 + 1;
            case MONTH -> monthOf(fromDays(days));
            case DAY -> dayOfMonthOf(fromDays(days));
            case DOW -> dayOfWeek(days);
            case ISODOW -> Math.floorMod(days + 3, 7) + 1;
            case DOY -> days - toDays(yearOf(fromDays(days)), 1, 1) + 1;
            case WEEK -> {
                long thursday = mondayOf(days) + 3;
                yield (thursday - toDays(yearOf(fromDays(thursday)), 1, 1)) / 7 + 1;
            }
            case ISOYEAR -> shown(yearOf(fromDays(mondayOf(days) + 3)));
            case DECADE -> decade(yearOf(fromDays(days)));
            case CENTURY -> century(yearOf(fromDays(days)), 100);
            case MILLENNIUM -> century(yearOf(fromDays(days)), 1000);
            case HOUR, MINUTE, SECOND, MILLISECONDS, MICROSECONDS, EPOCH ->
                throw new IllegalArgumentException(field + " is no field of a day");
        };
    }

    /// There is no year 0 outside.
    private static long shown(long year) {
        return year > 0 ? year : year - 1;
    }

    private static long decade(long year) {
        return year >= 0 ? year / 10 : -((8 - (year - 1)) / 10);
    }

    private static long century(long year, int length) {
        return year > 0 ? (year + length - 1) / length : -((length - 1 - (year - 1)) / length);
    }

    /// The start of the unit in which the time lies; infinities stay.
    ///
    /// - Errors: 22008 where that is before PostgreSQL's first day.
    public static long truncate(DateField field, long micros) {
        if (isInfinite(micros)) {
            return micros;
        }
        long day = dayOf(micros);
        long start =
                switch (field) {
                    case MICROSECONDS -> micros;
                    case MILLISECONDS -> floor(micros, 1_000);
                    case SECOND -> floor(micros, MICROS_PER_SECOND);
                    case MINUTE -> floor(micros, 60 * MICROS_PER_SECOND);
                    case HOUR -> floor(micros, 3_600 * MICROS_PER_SECOND);
                    case DAY -> day * MICROS_PER_DAY;
                    case WEEK -> mondayOf(day) * MICROS_PER_DAY;
                    case MONTH, QUARTER, YEAR, DECADE, CENTURY, MILLENNIUM ->
                        firstDay(field, fromDays(day)) * MICROS_PER_DAY;
                    case DOW, ISODOW, DOY, ISOYEAR, EPOCH ->
                        throw new IllegalArgumentException(field + " is no unit to truncate to");
                };
        if (!isValidTimestamp(start)) {
            throw RowErrors.timestampOutOfRange();
        }
        return start;
    }

    private static long floor(long micros, long unit) {
        return micros - Math.floorMod(micros, unit);
    }

    private static long firstDay(DateField field, long packed) {
        long year = yearOf(packed);
        int month = monthOf(packed);
        return switch (field) {
            case MONTH -> toDays(year, month, 1);
            case QUARTER -> toDays(year, (month - 1) / 3 * 3 + 1, 1);
            case YEAR -> toDays(year, 1, 1);
            case DECADE -> toDays(year > 0 ? year / 10 * 10 : -((8 - (year - 1)) / 10) * 10, 1, 1);
            case CENTURY -> toDays(firstYear(year, 100), 1, 1);
            case MILLENNIUM -> toDays(firstYear(year, 1000), 1, 1);
            default -> throw new IllegalArgumentException(field.name());
        };
    }

    private static long firstYear(long year, int length) {
        return year > 0
                ? (year + length - 1) / length * length - (length - 1)
                : -((length - 1 - (year - 1)) / length) * length + 1;
    }

    /// Adds months; the day is clipped to the month's last. Infinities stay.
    ///
    /// - Errors: 22008 out of range.
    public static long addMonths(long micros, int months) {
        if (isInfinite(micros)) {
            return micros;
        }
        long day = dayOf(micros);
        long packed = fromDays(day);
        long month = yearOf(packed) * 12 + monthOf(packed) - 1 + months;
        long newYear = Math.floorDiv(month, 12L);
        int newMonth = (int) Math.floorMod(month, 12L) + 1;
        int newDay = Math.min(dayOfMonthOf(packed), daysInMonth(newYear, newMonth));
        long days = toDays(newYear, newMonth, newDay);
        if (days < FIRST_DAY || days > LAST_TIMESTAMP_DAY) {
            throw RowErrors.timestampOutOfRange();
        }
        long sum = days * MICROS_PER_DAY + (micros - day * MICROS_PER_DAY);
        if (sum < 0 != days < 0 || !isValidTimestamp(sum)) {
            throw RowErrors.timestampOutOfRange();
        }
        return sum;
    }

    /// Adds days. They are more than 64 bits of microseconds hold, and so may be those of a right answer: the first
    /// timestamp and the last are 109 million days apart.
    ///
    /// - Errors: 22008 out of range.
    public static long addWholeDays(long micros, int days) {
        long before = dayOf(micros);
        long day = before + days;
        if (day < FIRST_DAY || day > LAST_TIMESTAMP_DAY) {
            throw RowErrors.timestampOutOfRange();
        }
        return addMicros(day * MICROS_PER_DAY, micros - before * MICROS_PER_DAY);
    }

    /// - Errors: 22008 out of range.
    public static long addMicros(long micros, long added) {
        if (isInfinite(micros)) {
            return micros;
        }
        long sum = micros + added;
        if (((micros ^ sum) & (added ^ sum)) < 0 || !isValidTimestamp(sum)) {
            throw RowErrors.timestampOutOfRange();
        }
        return sum;
    }

    /// - Errors: 22008 out of range.
    public static int addDays(int day, long added) {
        if (isInfinite(day)) {
            return day;
        }
        long sum = day + added;
        if (!isValidDay(sum)) {
            throw RowErrors.dateOutOfRange();
        }
        return (int) sum;
    }
}
