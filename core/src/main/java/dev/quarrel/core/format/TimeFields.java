package dev.quarrel.core.format;

import dev.quarrel.core.pg.PgZone;
import dev.quarrel.core.type.CivilDate;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;
import java.time.ZoneOffset;

/// The fields that a format found in a text, and the date and time that they make. 0 stands for a field that is
/// missing.
///
/// - Source: PostgreSQL's `formatting.c` (do_to_timestamp) and `datetime.c` (ValidateDate).
public final class TimeFields {
    private static final long SECONDS_PER_DAY = 86_400;

    int hour;
    int minute;
    int second;
    int secondOfDay;
    int millis;
    int micros;
    int fractionDigits;
    /// Whether the hour is that of a clock of twelve.
    boolean isHalfDay;
    /// 1 for pm.
    int isAfternoon;

    int year;
    int yearDigits;
    int century;
    /// 1 for BC.
    int era;
    int month;
    int day;
    /// Sunday is 1.
    int weekday;
    int dayOfYear;
    int week;
    int weekOfMonth;
    int julian;
    private char calendar;

    int zoneSign;
    int zoneHours;
    int zoneMinutes;
    /// What an abbreviation means; null for none.
    PgZone zone;

    private String text;
    private int resultYear;
    private int resultMonth;
    private int resultDay;
    private boolean hasYear;
    private boolean hasMonth;
    private boolean hasDay;
    private long time;

    void clear(String newText) {
        text = newText;
        hour = minute = second = secondOfDay = millis = micros = fractionDigits = isAfternoon = 0;
        year = yearDigits = century = era = month = day = weekday = dayOfYear = week = weekOfMonth = julian = 0;
        zoneSign = zoneHours = zoneMinutes = 0;
        isHalfDay = hasYear = hasMonth = hasDay = false;
        calendar = ' ';
        zone = null;
    }

    void setCalendar(char used) {
        if (used == ' ') {
            return;
        }
        if (calendar != ' ' && calendar != used) {
            throw new QueryException(SqlState.INVALID_DATETIME_FORMAT, "invalid combination of date conventions")
                    .withHint("Do not mix Gregorian and ISO week date conventions in a formatting template.");
        }
        calendar = used;
    }

    /// Days since 1970.
    public long day() {
        return CivilDate.toDays(resultYear, resultMonth, resultDay);
    }

    /// Microseconds since midnight.
    public long time() {
        return time;
    }

    /// null where the text has no zone.
    public PgZone zone() {
        if (zoneSign == 0) {
            return zone;
        }
        if (zoneHours < 0 || zoneHours > 15 || zoneMinutes < 0 || zoneMinutes > 59) {
            throw new QueryException(
                    SqlState.INVALID_TIME_ZONE_DISPLACEMENT_VALUE,
                    "time zone displacement out of range: \"" + text + "\"");
        }
        return PgZone.of(ZoneOffset.ofTotalSeconds(zoneSign * (zoneHours * 60 + zoneMinutes) * 60));
    }

    /// Seconds east of UTC at that time, of a text that has a zone.
    public int zoneOffset() {
        return zone().offsetOfLocal(day() * SECONDS_PER_DAY + time / CivilDate.MICROS_PER_SECOND);
    }

    /// Digits of a second that the format asks for; 0 where it does not say.
    public int fractionDigits() {
        return fractionDigits;
    }

    private QueryException overflow() {
        return new QueryException(
                SqlState.DATETIME_FIELD_OVERFLOW, "date/time field value out of range: \"" + text + "\"");
    }

    /// Makes the date and time.
    ///
    /// - Errors: 22007, 22008, 22009.
    void complete() {
        try {
            completeExactly();
        } catch (ArithmeticException _) {
            throw overflow();
        }
    }

    private void completeExactly() {
        int hours = secondOfDay / 3600;
        int minutes = secondOfDay % 3600 / 60;
        int seconds = secondOfDay % 60;
        seconds = second != 0 ? second : seconds;
        minutes = minute != 0 ? minute : minutes;
        hours = hour != 0 ? hour : hours;
        if (isHalfDay) {
            hours = ofHalfDay(hours);
        }
        resultYear = 0;
        resultMonth = 1;
        resultDay = 1;
        setYear();
        if (julian != 0) {
            setJulian(julian);
        }
        setWeeks();
        if (day != 0) {
            resultDay = day;
            hasDay = true;
        }
        if (month != 0) {
            resultMonth = month;
            hasMonth = true;
        }
        if (dayOfYear != 0 && (resultMonth <= 1 || resultDay <= 1)) {
            setDayOfYear();
        }
        long fraction = Math.addExact(Math.multiplyExact(millis, 1000), micros);
        validate();
        boolean isTime = hours >= 0
                && hours < 24
                && minutes >= 0
                && minutes < 60
                && seconds >= 0
                && seconds < 60
                && fraction >= 0
                && fraction < 1_000_000;
        if (!isTime) {
            throw overflow();
        }
        time = ((hours * 60L + minutes) * 60 + seconds) * 1_000_000 + fraction;
        zone();
    }

    private int ofHalfDay(int hours) {
        if (hours < 1 || hours > 12) {
            throw new QueryException(
                            SqlState.INVALID_DATETIME_FORMAT, "hour \"" + hours + "\" is invalid for the 12-hour clock")
                    .withHint("Use the 24-hour clock, or give an hour between 1 and 12.");
        }
        return isAfternoon != 0 ? hours < 12 ? hours + 12 : hours : hours == 12 ? 0 : hours;
    }

    private void setYear() {
        if (year != 0) {
            if (century != 0 && yearDigits <= 2) {
                setYearOfCentury();
            } else {
                resultYear = era != 0 ? -year : year;
                if (resultYear < 0) {
                    resultYear++;
                }
            }
            hasYear = true;
        } else if (century != 0) {
            int signed = era != 0 ? -century : century;
            resultYear = signed >= 0
                    ? Math.addExact(Math.multiplyExact(signed - 1, 100), 1)
                    : Math.addExact(Math.multiplyExact(signed, 100), 1);
            hasYear = true;
        }
    }

    private void setYearOfCentury() {
        int signed = era != 0 ? -century : century;
        int rest = year % 100;
        if (rest == 0) {
            resultYear = signed * 100 + (signed >= 0 ? 0 : 1);
        } else if (signed >= 0) {
            resultYear = Math.addExact(rest, Math.multiplyExact(signed - 1, 100));
        } else {
            resultYear = Math.addExact(Math.subtractExact(Math.multiplyExact(signed + 1, 100), rest), 1);
        }
    }

    private void setJulian(int julianDay) {
        long packed = CivilDate.fromDays((long) julianDay - Julian.EPOCH);
        resultYear = (int) CivilDate.yearOf(packed);
        resultMonth = CivilDate.monthOf(packed);
        resultDay = CivilDate.dayOfMonthOf(packed);
        hasYear = hasMonth = hasDay = true;
    }

    private void setWeeks() {
        if (week != 0) {
            if (calendar == 'I') {
                int monday = Julian.week(resultYear, week);
                setJulian(weekday == 0 ? monday : weekday > 1 ? monday + weekday - 2 : monday + 6);
            } else {
                dayOfYear = Math.addExact(Math.multiplyExact(Math.subtractExact(week, 1), 7), 1);
            }
        }
        if (weekOfMonth != 0) {
            day = Math.addExact(Math.multiplyExact(Math.subtractExact(weekOfMonth, 1), 7), 1);
        }
    }

    private void setDayOfYear() {
        if (resultYear == 0 && era == 0) {
            throw new QueryException(
                    SqlState.INVALID_DATETIME_FORMAT, "cannot calculate day of year without year information");
        }
        if (calendar == 'I') {
            setJulian(Julian.week(resultYear, 1) - 1 + dayOfYear);
            return;
        }
        int before = 0;
        int found = 1;
        while (found <= 12 && dayOfYear > before + CivilDate.daysInMonth(resultYear, found)) {
            before += CivilDate.daysInMonth(resultYear, found++);
        }
        if (resultMonth <= 1) {
            resultMonth = found;
        }
        if (resultDay <= 1) {
            resultDay = dayOfYear - before;
        }
        hasMonth = hasDay = true;
    }

    private void validate() {
        if (hasMonth && (resultMonth < 1 || resultMonth > 12) || hasDay && (resultDay < 1 || resultDay > 31)) {
            throw overflow();
        }
        if (hasYear && hasMonth && hasDay && resultDay > CivilDate.daysInMonth(resultYear, resultMonth)) {
            throw overflow();
        }
    }
}
