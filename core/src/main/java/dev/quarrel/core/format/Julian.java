package dev.quarrel.core.format;

/// Julian days and ISO weeks, for months and days out of their range too: formats of intervals ask for those.
///
/// - Source: PostgreSQL's `datetime.c` and `timestamp.c` (date2j, isoweek2j, date2isoweek).
final class Julian {
    /// The Julian day of 1970-01-01.
    static final int EPOCH = 2_440_588;

    private Julian() {}

    static int day(int year, int month, int dayOfMonth) {
        int shiftedMonth = month > 2 ? month + 1 : month + 13;
        int shiftedYear = month > 2 ? year + 4800 : year + 4799;
        int century = shiftedYear / 100;
        return shiftedYear * 365
                - 32_167
                + shiftedYear / 4
                - century
                + century / 4
                + 7834 * shiftedMonth / 256
                + dayOfMonth;
    }

    /// Monday of a year's ISO week.
    static int week(int year, int week) {
        int fourth = day(year, 1, 4);
        return (week - 1) * 7 + fourth - Math.floorMod(fourth, 7);
    }

    static int isoYear(int year, int month, int dayOfMonth) {
        int day = day(year, month, dayOfMonth);
        if (day < week(year, 1)) {
            return year - 1;
        }
        return (day - week(year, 1)) / 7 + 1 >= 52 && day >= week(year + 1, 1) ? year + 1 : year;
    }

    static int isoWeek(int year, int month, int dayOfMonth) {
        return (day(year, month, dayOfMonth) - week(isoYear(year, month, dayOfMonth), 1)) / 7 + 1;
    }

    static int isoDayOfYear(int year, int month, int dayOfMonth) {
        return day(year, month, dayOfMonth) - week(isoYear(year, month, dayOfMonth), 1) + 1;
    }
}
