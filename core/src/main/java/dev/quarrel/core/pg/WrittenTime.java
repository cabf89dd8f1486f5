package dev.quarrel.core.pg;

import static dev.quarrel.core.type.CivilDate.MICROS_PER_DAY;
import static dev.quarrel.core.type.CivilDate.MICROS_PER_SECOND;

/// The time of day of a text, as far as it is read.
///
/// - Source: PostgreSQL's `datetime.c` (DecodeTime, DecodeTimeCommon, ParseFractionalSecond).
final class WrittenTime {
    private final DateTimeFault fault;
    private int hour;
    private int minute;
    private int second;
    private int micros;
    private String halfDay = ""; // or am, pm

    WrittenTime(DateTimeFault fault) {
        this.fault = fault;
    }

    /// Reads `04:05`, `04:05:06`, `04:05:06.789`, or `05:06.789`, which has no hours.
    void read(String field) {
        String[] parts = field.split(":", -1);
        if (parts.length > 3) {
            throw fault.badFormat();
        }
        hour = timePart(parts[0], false);
        if (parts.length == 2) {
            int point = parts[1].indexOf('.');
            minute = timePart(parts[1], true);
            second = 0;
            if (point >= 0) {
                // With a fraction the two numbers are minutes and seconds.
                second = minute;
                minute = hour;
                hour = 0;
                readFraction(parts[1].substring(point));
            }
        } else {
            minute = timePart(parts[1], false);
            second = timePart(parts[2], true);
            int point = parts[2].indexOf('.');
            micros = 0;
            if (point >= 0) {
                readFraction(parts[2].substring(point));
            }
        }
        if (minute > 59 || second > 60) {
            throw fault.fieldOverflow();
        }
        check();
    }

    private int timePart(String part, boolean mayHavePoint) {
        int point = part.indexOf('.');
        if (point >= 0 && !mayHavePoint) {
            throw fault.badFormat();
        }
        String digits = point < 0 ? part : part.substring(0, point);
        if (digits.isEmpty()) {
            // strtoint reads nothing as 0.
            return 0;
        }
        if (digits.length() > 9) {
            throw fault.fieldOverflow();
        }
        return Integer.parseInt(digits);
    }

    /// - Errors: 22008 for a time behind the end of the day.
    void check() {
        // 24:00 and a second 60 are taken, but nothing behind the day's end.
        boolean overflow = hour > 24 || minute > 59 || second > 60 || microsOfDay() > MICROS_PER_DAY;
        if (overflow) {
            throw fault.fieldOverflow();
        }
    }

    /// Reads `040506` or `0405`.
    void readDigits(String digits) {
        hour = Integer.parseInt(digits.substring(0, 2));
        minute = Integer.parseInt(digits.substring(2, 4));
        second = digits.length() == 6 ? Integer.parseInt(digits.substring(4, 6)) : 0;
    }

    /// Reads `.789` as part of a second.
    void readFraction(String pointAndDigits) {
        micros = (int) Math.rint(fraction(pointAndDigits, fault) * MICROS_PER_SECOND);
    }

    static double fraction(String pointAndDigits, DateTimeFault fault) {
        if (pointAndDigits.length() == 1) {
            return 0;
        }
        for (int at = 1; at < pointAndDigits.length(); at++) {
            if (!DateTimeFields.isDigit(pointAndDigits.charAt(at))) {
                throw fault.badFormat();
            }
        }
        return Double.parseDouble("0" + pointAndDigits);
    }

    void set(long microsOfDay) {
        long seconds = microsOfDay / MICROS_PER_SECOND;
        hour = (int) (seconds / 3600);
        minute = (int) (seconds / 60 % 60);
        second = (int) (seconds % 60);
        micros = (int) (microsOfDay % MICROS_PER_SECOND);
    }

    /// @param word am or pm
    void setHalfDay(String word) {
        halfDay = word;
    }

    /// Makes the hour one of 24, when all fields are read.
    void applyHalfDay() {
        if (!halfDay.isEmpty()) {
            if (hour > 12) {
                throw fault.fieldOverflow();
            }
            hour = hour % 12 + (halfDay.equals("pm") ? 12 : 0);
        }
    }

    long microsOfDay() {
        return ((hour * 60L + minute) * 60 + second) * MICROS_PER_SECOND + micros;
    }
}
