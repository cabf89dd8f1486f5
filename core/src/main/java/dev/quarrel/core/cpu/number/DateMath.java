package dev.quarrel.core.cpu.number;

import dev.quarrel.core.ir.DateField;
import dev.quarrel.core.type.CivilDate;

/// The arithmetic of dates and timestamps as in PostgreSQL: fields, truncation, and sums with days, months and
/// microseconds.
///
/// - Source: PostgreSQL's `timestamp.c`.
public final class DateMath {
    private DateMath() {}

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
            case YEAR -> shown(CivilDate.yearOf(CivilDate.fromDays(days)));
            case QUARTER -> (CivilDate.monthOf(CivilDate.fromDays(days)) - 1) / 3 + 1;
            case MONTH -> CivilDate.monthOf(CivilDate.fromDays(days));
            case DAY -> CivilDate.dayOfMonthOf(CivilDate.fromDays(days));
            case DOW -> dayOfWeek(days);
            case ISODOW -> Math.floorMod(days + 3, 7) + 1;
            case DOY -> days - CivilDate.toDays(CivilDate.yearOf(CivilDate.fromDays(days)), 1, 1) + 1;
            case WEEK -> {
                long thursday = mondayOf(days) + 3;
                yield (thursday - CivilDate.toDays(CivilDate.yearOf(CivilDate.fromDays(thursday)), 1, 1)) / 7 + 1;
            }
            case ISOYEAR -> shown(CivilDate.yearOf(CivilDate.fromDays(mondayOf(days) + 3)));
            case DECADE -> decade(CivilDate.yearOf(CivilDate.fromDays(days)));
            case CENTURY -> century(CivilDate.yearOf(CivilDate.fromDays(days)), 100);
            case MILLENNIUM -> century(CivilDate.yearOf(CivilDate.fromDays(days)), 1000);
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
        if (CivilDate.isInfinite(micros)) {
            return micros;
        }
        long day = CivilDate.dayOf(micros);
        long start =
                switch (field) {
                    case MICROSECONDS -> micros;
                    case MILLISECONDS -> floor(micros, 1_000);
                    case SECOND -> floor(micros, CivilDate.MICROS_PER_SECOND);
                    case MINUTE -> floor(micros, 60 * CivilDate.MICROS_PER_SECOND);
                    case HOUR -> floor(micros, 3_600 * CivilDate.MICROS_PER_SECOND);
                    case DAY -> day * CivilDate.MICROS_PER_DAY;
                    case WEEK -> mondayOf(day) * CivilDate.MICROS_PER_DAY;
                    case MONTH, QUARTER, YEAR, DECADE, CENTURY, MILLENNIUM ->
                        firstDay(field, CivilDate.fromDays(day)) * CivilDate.MICROS_PER_DAY;
                    case DOW, ISODOW, DOY, ISOYEAR, EPOCH ->
                        throw new IllegalArgumentException(field + " is no unit to truncate to");
                };
        if (!CivilDate.isValidTimestamp(start)) {
            throw RowErrors.timestampOutOfRange();
        }
        return start;
    }

    private static long floor(long micros, long unit) {
        return micros - Math.floorMod(micros, unit);
    }

    private static long firstDay(DateField field, long packed) {
        long year = CivilDate.yearOf(packed);
        int month = CivilDate.monthOf(packed);
        return switch (field) {
            case MONTH -> CivilDate.toDays(year, month, 1);
            case QUARTER -> CivilDate.toDays(year, (month - 1) / 3 * 3 + 1, 1);
            case YEAR -> CivilDate.toDays(year, 1, 1);
            case DECADE -> CivilDate.toDays(year > 0 ? year / 10 * 10 : -((8 - (year - 1)) / 10) * 10, 1, 1);
            case CENTURY -> CivilDate.toDays(firstYear(year, 100), 1, 1);
            case MILLENNIUM -> CivilDate.toDays(firstYear(year, 1000), 1, 1);
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
        if (CivilDate.isInfinite(micros)) {
            return micros;
        }
        long day = CivilDate.dayOf(micros);
        long packed = CivilDate.fromDays(day);
        long month = CivilDate.yearOf(packed) * 12 + CivilDate.monthOf(packed) - 1 + months;
        long newYear = Math.floorDiv(month, 12L);
        int newMonth = (int) Math.floorMod(month, 12L) + 1;
        int newDay = Math.min(CivilDate.dayOfMonthOf(packed), CivilDate.daysInMonth(newYear, newMonth));
        long days = CivilDate.toDays(newYear, newMonth, newDay);
        if (days < CivilDate.FIRST_DAY || days > CivilDate.LAST_TIMESTAMP_DAY) {
            throw RowErrors.timestampOutOfRange();
        }
        long sum = days * CivilDate.MICROS_PER_DAY + (micros - day * CivilDate.MICROS_PER_DAY);
        if (sum < 0 != days < 0 || !CivilDate.isValidTimestamp(sum)) {
            throw RowErrors.timestampOutOfRange();
        }
        return sum;
    }

    /// Adds days. They are more than 64 bits of microseconds hold, and so may be those of a right answer: the first
    /// timestamp and the last are 109 million days apart.
    ///
    /// - Errors: 22008 out of range.
    public static long addWholeDays(long micros, int days) {
        long before = CivilDate.dayOf(micros);
        long day = before + days;
        if (day < CivilDate.FIRST_DAY || day > CivilDate.LAST_TIMESTAMP_DAY) {
            throw RowErrors.timestampOutOfRange();
        }
        return addMicros(day * CivilDate.MICROS_PER_DAY, micros - before * CivilDate.MICROS_PER_DAY);
    }

    /// - Errors: 22008 out of range.
    public static long addMicros(long micros, long added) {
        if (CivilDate.isInfinite(micros)) {
            return micros;
        }
        long sum = micros + added;
        if (((micros ^ sum) & (added ^ sum)) < 0 || !CivilDate.isValidTimestamp(sum)) {
            throw RowErrors.timestampOutOfRange();
        }
        return sum;
    }

    /// - Errors: 22008 out of range.
    public static int addDays(int day, long added) {
        if (CivilDate.isInfinite(day)) {
            return day;
        }
        long sum = day + added;
        if (!CivilDate.isValidDay(sum)) {
            throw RowErrors.dateOutOfRange();
        }
        return (int) sum;
    }
}
