package dev.quarrel.core.format;

import dev.quarrel.core.pg.ZoneAbbreviations;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;
import java.util.Locale;

/// Writes timestamps and intervals in a format.
///
/// - Source: PostgreSQL's `formatting.c` (DCH_to_char).
public final class TimeWriter {
    static final String[] MONTHS = {
        "January",
        "February",
        "March",
        "April",
        "May",
        "June",
        "July",
        "August",
        "September",
        "October",
        "November",
        "December"
    };

    static final String[] DAYS = {"Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"};

    /// December first.
    static final String[] ROMAN = {"XII", "XI", "X", "IX", "VIII", "VII", "VI", "V", "IV", "III", "II", "I"};

    private final TimePicture picture;
    private final StringBuilder out = new StringBuilder();
    private BrokenTime time;

    public TimeWriter(TimePicture picture) {
        this.picture = picture;
    }

    /// - Errors: 22007 for fields that intervals do not have.
    public String write(BrokenTime written) {
        time = written;
        out.setLength(0);
        for (TimePicture.Node node : picture.nodes()) {
            switch (node) {
                case TimePicture.Between(String text, TimePicture.Kind _) -> out.append(text);
                case TimePicture.Field field -> write(field);
            }
        }
        return out.toString();
    }

    private void write(TimePicture.Field field) {
        switch (field.key()) {
            case "A.M.", "P.M." -> word(field, isAfternoon() ? "P.M." : "A.M.");
            case "AM", "PM" -> word(field, isAfternoon() ? "PM" : "AM");
            case "HH", "HH12" -> number(field, time.hour % 12 == 0 ? 12 : time.hour % 12, time.hour >= 0 ? 2 : 3);
            case "HH24" -> number(field, time.hour, time.hour >= 0 ? 2 : 3);
            case "MI" -> number(field, time.minute, time.minute >= 0 ? 2 : 3);
            case "SS" -> number(field, time.second, time.second >= 0 ? 2 : 3);
            case "FF1" -> fraction(field, time.micros / 100_000, 1);
            case "FF2" -> fraction(field, time.micros / 10_000, 2);
            case "FF3", "MS" -> fraction(field, time.micros / 1_000, 3);
            case "FF4" -> fraction(field, time.micros / 100, 4);
            case "FF5" -> fraction(field, time.micros / 10, 5);
            case "FF6", "US" -> fraction(field, time.micros, 6);
            case "SSSS", "SSSSS" -> number(field, time.hour * 3600 + time.minute * 60 + time.second, 0);
            case "MM" -> number(field, time.month, time.month >= 0 ? 2 : 3);
            case "DDD" -> number(field, time.dayOfYear, 3);
            case "IDDD" -> number(field, Julian.isoDayOfYear(time.year, time.month, time.day), 3);
            case "DD" -> number(field, time.day, 2);
            case "WW" -> number(field, (time.dayOfYear - 1) / 7 + 1, 2);
            case "IW" -> number(field, Julian.isoWeek(time.year, time.month, time.day), 2);
            case "Q" -> {
                if (time.month != 0) {
                    number(field, (time.month - 1) / 3 + 1, 0);
                }
            }
            case "CC" -> century(field);
            case "Y,YYY" -> {
                int year = shown(time.year);
                int thousands = year / 1000;
                String rest = padded(year - thousands * 1000, 3);
                ordinal(field, thousands + "," + rest);
            }
            case "YYYY" -> number(field, shown(time.year), shown(time.year) >= 0 ? 4 : 5);
            case "YYY" -> number(field, shown(time.year) % 1000, shown(time.year) >= 0 ? 3 : 4);
            case "YY" -> number(field, shown(time.year) % 100, shown(time.year) >= 0 ? 2 : 3);
            case "Y" -> number(field, shown(time.year) % 10, 1);
            // The width looks at the calendar's year, not at the ISO year.
            case "IYYY" -> number(field, shown(isoYear()), shown(time.year) >= 0 ? 4 : 5);
            case "IYY" -> number(field, shown(isoYear()) % 1000, shown(time.year) >= 0 ? 3 : 4);
            case "IY" -> number(field, shown(isoYear()) % 100, shown(time.year) >= 0 ? 2 : 3);
            case "I" -> number(field, shown(isoYear()) % 10, 1);
            case "RM" -> roman(field);
            case "W" -> number(field, (time.day - 1) / 7 + 1, 0);
            case "J" -> number(field, Julian.day(time.year, time.month, time.day), 0);
            case "FX" -> {}
            default -> ofDate(field);
        }
    }

    private void ofDate(TimePicture.Field field) {
        if (time.isInterval) {
            throw new QueryException(
                            SqlState.INVALID_DATETIME_FORMAT, "invalid format specification for an interval value")
                    .withHint("Intervals are not tied to specific calendar dates.");
        }
        int offset = Math.abs(time.offset);
        char sign = time.offset >= 0 ? '+' : '-';
        switch (field.key()) {
            case "TZ" -> zone(field);
            case "TZH" -> out.append(sign).append(padded(offset / 3600, 2));
            case "TZM" -> out.append(padded(offset % 3600 / 60, 2));
            case "OF" -> {
                out.append(sign).append(padded(offset / 3600, field.isFilled() ? 0 : 2));
                if (offset % 3600 != 0) {
                    out.append(':').append(padded(offset % 3600 / 60, 2));
                }
            }
            case "A.D.", "B.C." -> word(field, time.year <= 0 ? "B.C." : "A.D.");
            case "AD", "BC" -> word(field, time.year <= 0 ? "BC" : "AD");
            case "MONTH" -> name(field, MONTHS[time.month - 1], 9);
            case "MON" -> name(field, MONTHS[time.month - 1].substring(0, 3), 0);
            case "DAY" -> name(field, DAYS[time.weekday], 9);
            case "DY" -> name(field, DAYS[time.weekday].substring(0, 3), 0);
            case "D" -> number(field, time.weekday + 1, 0);
            case "ID" -> number(field, time.weekday == 0 ? 7 : time.weekday, 0);
            default -> throw new IllegalStateException(field.toString());
        }
    }

    private void zone(TimePicture.Field field) {
        if (time.zone == null) {
            return;
        }
        String name = ZoneAbbreviations.of(time.zone, time.instant);
        out.append(field.name().equals("tz") ? name.toLowerCase(Locale.ROOT) : name);
    }

    private boolean isAfternoon() {
        return time.hour % 24 >= 12;
    }

    private int isoYear() {
        return Julian.isoYear(time.year, time.month, time.day);
    }

    /// There is no year 0 outside, and years BC have no sign.
    private int shown(int year) {
        return time.isInterval || year > 0 ? year : 1 - year;
    }

    private void century(TimePicture.Field field) {
        int year = time.year;
        int century = time.isInterval ? year / 100 : year > 0 ? (year - 1) / 100 + 1 : year / 100 - 1;
        int width = Math.abs(century) > 99 ? 0 : century >= 0 ? 2 : 3;
        number(field, century, width);
    }

    private void roman(TimePicture.Field field) {
        int month = time.month;
        if (month == 0 && time.year == 0) {
            return;
        }
        int place = month == 0 ? time.year >= 0 ? 0 : 11 : month < 0 ? -(month + 1) : 12 - month;
        String name = field.name().equals("rm") ? ROMAN[place].toLowerCase(Locale.ROOT) : ROMAN[place];
        blanks(name, field.isFilled() ? 0 : 4);
    }

    private void word(TimePicture.Field field, String word) {
        boolean isLower = field.name().charAt(0) >= 'a';
        out.append(isLower ? word.toLowerCase(Locale.ROOT) : word);
    }

    /// A name in the case of the field's.
    private void name(TimePicture.Field field, String name, int width) {
        String shown = field.name().charAt(0) >= 'a'
                ? name.toLowerCase(Locale.ROOT)
                : field.name().charAt(1) >= 'a' ? name : name.toUpperCase(Locale.ROOT);
        blanks(shown, field.isFilled() || field.isTranslated() ? 0 : width);
    }

    private void blanks(String text, int width) {
        out.append(text).repeat(' ', Math.max(0, width - text.length()));
    }

    private void fraction(TimePicture.Field field, int value, int width) {
        ordinal(field, padded(value, width));
    }

    private void number(TimePicture.Field field, long value, int width) {
        ordinal(field, padded(value, field.isFilled() ? 0 : width));
    }

    private static String padded(long value, int width) {
        String digits = Long.toString(Math.abs(value));
        int zeros = width - digits.length() - (value < 0 ? 1 : 0);
        return (value < 0 ? "-" : "") + "0".repeat(Math.max(0, zeros)) + digits;
    }

    private void ordinal(TimePicture.Field field, String number) {
        out.append(number);
        if (!field.ordinal().isEmpty()) {
            out.append(ordinal(number, field.ordinal().equals("TH")));
        }
    }

    /// The ending of an ordinal number: `st`, `nd`, `rd`, `th`.
    ///
    /// - Errors: 22P02 for what does not end with a digit.
    public static String ordinal(String number, boolean isUpper) {
        char last = number.isEmpty() ? ' ' : number.charAt(number.length() - 1);
        if (last < '0' || last > '9') {
            throw new QueryException(SqlState.INVALID_TEXT_REPRESENTATION, "\"" + number + "\" is not a number");
        }
        boolean isTeen = number.length() > 1 && number.charAt(number.length() - 2) == '1';
        String ending =
                switch (isTeen ? '0' : last) {
                    case '1' -> "st";
                    case '2' -> "nd";
                    case '3' -> "rd";
                    default -> "th";
                };
        return isUpper ? ending.toUpperCase(Locale.ROOT) : ending;
    }
}
