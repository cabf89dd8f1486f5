package dev.quarrel.core.pg;

import static dev.quarrel.core.pg.DateTimePart.DATE;
import static dev.quarrel.core.pg.DateTimePart.DAY;
import static dev.quarrel.core.pg.DateTimePart.DAY_OF_YEAR;
import static dev.quarrel.core.pg.DateTimePart.MONTH;
import static dev.quarrel.core.pg.DateTimePart.YEAR;

import dev.quarrel.core.type.CivilDate;

/// The day of a text, as far as it is read, and how it was written.
///
/// - Source: PostgreSQL's `datetime.c` (ValidateDate).
final class WrittenDate {
    private static final int JULIAN_DAY_OF_EPOCH = 2_440_588;

    private final DateOrder order;
    private final DateTimeFault fault;
    private long year;
    private int month;
    private int day;
    private int dayOfYear;
    private boolean hasMonthName;
    private boolean isTwoDigitYear;
    private boolean isBeforeChrist;

    // A day set as a whole (Julian, today) may lie before year 1; one written in digits may not.
    private boolean wasSetAsDay;
    // The year of a Julian day is right as it is: an era beside it changes nothing.
    private boolean isJulian;

    WrittenDate(DateOrder order, DateTimeFault fault) {
        this.order = order;
        this.fault = fault;
    }

    void set(long epochDay) {
        wasSetAsDay = true;
        long packed = CivilDate.fromDays(epochDay);
        year = CivilDate.yearOf(packed);
        month = CivilDate.monthOf(packed);
        day = CivilDate.dayOfMonthOf(packed);
    }

    void setJulian(long julianDay) {
        set(julianDay - JULIAN_DAY_OF_EPOCH);
        isJulian = true;
    }

    /// Reads `20240229` or `240229`, with a year of any length.
    void readDigits(String digits) {
        int length = digits.length();
        day = Integer.parseInt(digits.substring(length - 2));
        month = Integer.parseInt(digits.substring(length - 4, length - 2));
        setYear(Long.parseLong(digits.substring(0, length - 4)), length - 4);
    }

    /// Reads a number that is the year, the month, the day, or the day of the year: which, tell its length and
    /// the parts known.
    ///
    /// @param known the parts that are known so far; not all three of the day
    /// @return the parts that it gives
    int readNumber(int value, int length, int known) {
        if (length == 3 && (known & DATE) == YEAR && value >= 1 && value <= 366) {
            dayOfYear = value;
            return DAY_OF_YEAR | MONTH | DAY;
        }
        boolean isLong = length >= 3;
        return switch (known & DATE) {
            case 0 ->
                isLong || order == DateOrder.YMD
                        ? setYear(value, length)
                        : order == DateOrder.DMY ? setDay(value) : setMonth(value);
            case YEAR, DAY -> setMonth(value);
            case MONTH -> hasMonthName && (isLong || order == DateOrder.YMD) ? setYear(value, length) : setDay(value);
            case YEAR | MONTH -> {
                if (hasMonthName && isLong && isTwoDigitYear) {
                    // The first number was the day after all.
                    day = (int) year;
                    year = value;
                    isTwoDigitYear = false;
                    yield DAY;
                }
                yield setDay(value);
            }
            case MONTH | DAY -> setYear(value, length);
            default -> throw fault.badFormat();
        };
    }

    private int setYear(long value, int length) {
        year = value;
        isTwoDigitYear = length <= 2;
        return YEAR;
    }

    private int setMonth(int value) {
        month = value;
        return MONTH;
    }

    private int setDay(int value) {
        day = value;
        return DAY;
    }

    /// Takes a month by its name.
    ///
    /// @param known the parts that are known so far
    /// @return the part that it gives
    int readMonthName(int number, int known) {
        int found = MONTH;
        if ((known & MONTH) != 0 && !hasMonthName && (known & DAY) == 0 && month >= 1 && month <= 31) {
            // What looked like a month was the day.
            day = month;
            found = DAY;
        }
        hasMonthName = true;
        month = number;
        return found;
    }

    boolean hasMonthName() {
        return hasMonthName;
    }

    /// Says whether a number stands beside the name of a month, and so is none.
    void setHasMonthName(boolean has) {
        hasMonthName = has;
    }

    /// @param word ad or bc
    void setEra(String word) {
        isBeforeChrist = word.equals("bc");
    }

    /// Brings the parts together when all fields are read.
    ///
    /// - Errors: 22008 for a day that there is not.
    ///
    /// @param known the parts that the text has
    void validate(int known) {
        if ((known & YEAR) != 0 && !isJulian) {
            if (isBeforeChrist) {
                if (year <= 0) {
                    throw fault.fieldOverflow();
                }
                year = 1 - year;
            } else if (isTwoDigitYear) {
                year += year < 70 ? 2000 : year < 100 ? 1900 : 0;
            } else if (year <= 0 && !wasSetAsDay) {
                throw fault.fieldOverflow();
            }
        }
        if ((known & DAY_OF_YEAR) != 0) {
            set(CivilDate.toDays(year, 1, 1) + dayOfYear - 1);
        }
        if ((known & MONTH) != 0 && (month < 1 || month > 12)) {
            throw fault.dateStyle();
        }
        if ((known & DAY) != 0 && (day < 1 || day > 31)) {
            throw fault.dateStyle();
        }
        if ((known & DATE) == DATE && day > CivilDate.daysInMonth(year, month)) {
            throw fault.fieldOverflow();
        }
    }

    /// Days since 1970-01-01.
    long epochDay() {
        return CivilDate.toDays(year, month, day);
    }
}
