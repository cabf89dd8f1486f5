package dev.quarrel.core.format;

import dev.quarrel.core.pg.PgZone;
import dev.quarrel.core.pg.SecondDigits;
import dev.quarrel.core.type.CivilDate;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;
import java.nio.charset.StandardCharsets;
import java.time.ZoneId;
import java.util.Locale;

/// Reads dates and timestamps that are written in a format.
///
/// - Source: PostgreSQL's `formatting.c` (DCH_from_char, do_to_timestamp).
public final class TimeReader {
    private static final String[] HALF_DAYS = {"am", "pm"};
    private static final String[] LONG_HALF_DAYS = {"a.m.", "p.m."};
    private static final String[] ERAS = {"ad", "bc"};
    private static final String[] LONG_ERAS = {"a.d.", "b.c."};

    private final TimePicture picture;
    private final ZoneId session;
    private final boolean isStandard;
    private final TimeFields fields = new TimeFields();
    private String text;
    private int at;
    private int skipped;
    private boolean isFixed;

    /// @param session gives abbreviations of time zones a meaning
    public TimeReader(TimePicture picture, ZoneId session) {
        this(picture, session, false);
    }

    private TimeReader(TimePicture picture, ZoneId session, boolean isStandard) {
        this.picture = picture;
        this.session = session;
        this.isStandard = isStandard;
    }

    /// One that reads by the rules of SQL: what is between fields must be as the format has it, and nothing may be left
    /// of either.
    public static TimeReader standard(TimePicture picture, ZoneId session) {
        return new TimeReader(picture, session, true);
    }

    /// Days since 1970.
    ///
    /// - Errors: 22007, 22008.
    public int date(String read) {
        fields(read);
        long day = fields.day();
        if (!CivilDate.isValidDay(day)) {
            throw new QueryException(SqlState.DATETIME_FIELD_OVERFLOW, "date out of range: \"" + read + "\"");
        }
        return (int) day;
    }

    /// Microseconds since 1970 in UTC.
    ///
    /// - Errors: 22007, 22008, 22009.
    ///
    /// @param zone where the text has none
    public long timestamp(String read, PgZone zone) {
        fields(read);
        long day = fields.day();
        if (day < CivilDate.FIRST_DAY || day > CivilDate.LAST_TIMESTAMP_DAY) {
            throw new QueryException(SqlState.DATETIME_FIELD_OVERFLOW, "timestamp out of range");
        }
        long local = day * CivilDate.MICROS_PER_DAY + fields.time();
        PgZone written = fields.zone();
        long instant = (written == null ? zone : written).toInstant(local);
        if (!CivilDate.isValidTimestamp(instant) || day > 0 && instant < 0) {
            throw new QueryException(SqlState.DATETIME_FIELD_OVERFLOW, "timestamp out of range");
        }
        return fields.fractionDigits == 0 ? instant : SecondDigits.roundTimestamp(instant, fields.fractionDigits);
    }

    /// Reads the fields, whichever the format has.
    ///
    /// - Errors: 22007, 22008, 22009.
    public TimeFields read(String read) {
        fields(read);
        return fields;
    }

    private void fields(String read) {
        text = read;
        at = 0;
        skipped = 0;
        isFixed = isStandard;
        fields.clear(read);
        int index = 0;
        for (; index < picture.nodes().size() && at < text.length(); index++) {
            TimePicture.Node node = picture.nodes().get(index);
            boolean isField = node instanceof TimePicture.Field;
            boolean isFx =
                    node instanceof TimePicture.Field field && field.key().equals("FX");
            if (!isFixed && !isFx && (isField || index == 0)) {
                skipSpaces();
            }
            switch (node) {
                case TimePicture.Between between -> pass(between);
                case TimePicture.Field field -> {
                    fields.setCalendar(field.calendar());
                    read(field, index);
                    if (!isFixed) {
                        skipped = 0;
                        skipSpaces();
                    }
                }
            }
        }
        if (isStandard && !picture.nodes().isEmpty()) {
            requireEnd(index);
        }
        fields.complete();
    }

    private void requireEnd(int index) {
        if (index < picture.nodes().size()) {
            throw invalid("input string is too short for datetime format");
        }
        skipSpaces();
        if (at < text.length()) {
            throw invalid("trailing characters remain in input string after datetime format");
        }
    }

    private char peek() {
        return at < text.length() ? text.charAt(at) : '\0';
    }

    private void skipSpaces() {
        while (TimePicture.isSpace(peek())) {
            at++;
            skipped++;
        }
    }

    private void skipCharacter() {
        if (at < text.length()) {
            at = text.offsetByCodePoints(at, 1);
        }
    }

    private void pass(TimePicture.Between between) {
        if (isStandard) {
            if (!text.startsWith(between.text(), at)) {
                String kind = between.kind() == TimePicture.Kind.CHARACTER ? "character" : "separator";
                throw invalid("unmatched format " + kind + " \"" + between.text() + "\"");
            }
            at += between.text().length();
        } else if (isFixed) {
            skipCharacter();
        } else if (between.kind() == TimePicture.Kind.CHARACTER) {
            if (skipped > 0) {
                skipped--;
            } else {
                skipCharacter();
            }
        } else {
            skipped--;
            if (TimePicture.isSpace(peek()) || TimePicture.isSeparator(peek())) {
                at++;
                skipped++;
            }
        }
    }

    private void read(TimePicture.Field field, int index) {
        switch (field.key()) {
            case "FX" -> isFixed = true;
            case "A.M.", "P.M." -> halfDay(field, LONG_HALF_DAYS);
            case "AM", "PM" -> halfDay(field, HALF_DAYS);
            case "HH", "HH12" -> {
                fields.hour = set(field, fields.hour, number(field, index, 2));
                fields.isHalfDay = true;
            }
            case "HH24" -> fields.hour = set(field, fields.hour, number(field, index, 2));
            case "MI" -> fields.minute = set(field, fields.minute, number(field, index, 2));
            case "SS" -> fields.second = set(field, fields.second, number(field, index, 2));
            case "MS" -> {
                int start = at;
                fields.millis = set(field, fields.millis, number(field, index, 3));
                int length = at - start;
                fields.millis *= length == 1 ? 100 : length == 2 ? 10 : 1;
            }
            case "FF1", "FF2", "FF3", "FF4", "FF5", "FF6", "US" -> {
                boolean isMicros = field.key().equals("US");
                if (!isMicros) {
                    fields.fractionDigits = field.key().charAt(2) - '0';
                }
                int start = at;
                fields.micros = set(field, fields.micros, number(field, index, isMicros ? 6 : fields.fractionDigits));
                for (int length = at - start; length > 0 && length < 6; length++) {
                    fields.micros *= 10;
                }
            }
            case "SSSS", "SSSSS" ->
                fields.secondOfDay = set(
                        field,
                        fields.secondOfDay,
                        number(field, index, field.name().length()));
            case "TZ" -> zone(field, index);
            case "OF" -> offset(field, index);
            case "TZH" -> {
                sign();
                fields.zoneHours = set(field, fields.zoneHours, number(field, index, 2));
            }
            case "TZM" -> {
                if (fields.zoneSign == 0) {
                    fields.zoneSign = 1;
                }
                fields.zoneMinutes = set(field, fields.zoneMinutes, number(field, index, 2));
            }
            case "A.D.", "B.C." -> fields.era = set(field, fields.era, word(field, LONG_ERAS, text.length()));
            case "AD", "BC" -> fields.era = set(field, fields.era, word(field, ERAS, text.length()));
            case "MONTH" -> fields.month = set(field, fields.month, word(field, TimeWriter.MONTHS, 20) + 1);
            case "MON" -> fields.month = set(field, fields.month, word(field, TimeWriter.MONTHS, 3) + 1);
            case "MM" -> fields.month = set(field, fields.month, number(field, index, 2));
            case "DAY" -> fields.weekday = set(field, fields.weekday, word(field, TimeWriter.DAYS, 20)) + 1;
            case "DY" -> fields.weekday = set(field, fields.weekday, word(field, TimeWriter.DAYS, 3)) + 1;
            case "DDD", "IDDD" -> fields.dayOfYear = set(field, fields.dayOfYear, number(field, index, 3));
            case "DD" -> fields.day = set(field, fields.day, number(field, index, 2));
            case "D" -> fields.weekday = set(field, fields.weekday, number(field, index, 1));
            case "ID" -> {
                // Sunday is the first day elsewhere.
                int day = set(field, fields.weekday, number(field, index, 1)) + 1;
                fields.weekday = day > 7 ? 1 : day;
            }
            case "WW", "IW" -> fields.week = set(field, fields.week, number(field, index, 2));
            case "Q" -> number(field, index, 1);
            case "CC" -> fields.century = set(field, fields.century, number(field, index, 2));
            case "Y,YYY" -> thousands(field);
            case "YYYY", "IYYY" -> {
                fields.year = set(field, fields.year, number(field, index, 4));
                fields.yearDigits = 4;
            }
            case "YYY", "IYY", "YY", "IY", "Y", "I" -> {
                int start = at;
                int length = field.name().length();
                fields.year = set(field, fields.year, number(field, index, length));
                if (at - start < 4) {
                    fields.year = near2020(fields.year);
                }
                fields.yearDigits = field.key().startsWith("I") ? Math.max(1, length) : length;
            }
            case "RM" -> fields.month = set(field, fields.month, 12 - word(field, TimeWriter.ROMAN, 20));
            case "W" -> fields.weekOfMonth = set(field, fields.weekOfMonth, number(field, index, 1));
            case "J" -> fields.julian = set(field, fields.julian, number(field, index, 1));
            default -> throw new IllegalStateException(field.toString());
        }
        boolean hasOrdinal = field.isDigits() && !field.key().equals("TZM");
        if (hasOrdinal && !field.ordinal().isEmpty()) {
            skipCharacter();
            skipCharacter();
        }
    }

    private static int near2020(int year) {
        return year < 70
                ? year + 2000
                : year < 100 ? year + 1900 : year < 520 ? year + 2000 : year < 1000 ? year + 1000 : year;
    }

    private static int set(TimePicture.Field field, int before, int value) {
        if (before != 0 && before != value) {
            throw new QueryException(
                            SqlState.INVALID_DATETIME_FORMAT,
                            "conflicting values for \"" + field.name() + "\" field in formatting string")
                    .withDetail("This value contradicts a previous setting for the same field type.");
        }
        return value;
    }

    private void halfDay(TimePicture.Field field, String[] words) {
        fields.isAfternoon = set(field, fields.isAfternoon, word(field, words, text.length()));
        fields.isHalfDay = true;
    }

    /// The index of the word that stands here.
    ///
    /// @param length of the words, if they are longer
    private int word(TimePicture.Field field, String[] words, int length) {
        for (int index = 0; index < words.length; index++) {
            String word = words[index].substring(0, Math.min(length, words[index].length()));
            if (text.regionMatches(true, at, word, 0, word.length())
                    && isAscii(text.substring(at, at + word.length()))) {
                at += word.length();
                return index;
            }
        }
        int end = at;
        while (end < text.length() && !TimePicture.isSpace(text.charAt(end))) {
            end++;
        }
        throw new QueryException(
                        SqlState.INVALID_DATETIME_FORMAT,
                        "invalid value \"" + text.substring(at, end) + "\" for \"" + field.name() + "\"")
                .withDetail("The given value did not match any of the allowed values for this field.");
    }

    private static boolean isAscii(String text) {
        return text.chars().allMatch(each -> each < 128);
    }

    /// Whether a number here may be longer than its field: what follows is no digit.
    private boolean isOpen(TimePicture.Field field, int index) {
        if (field.isFilled()
                || !field.ordinal().isEmpty()
                || index + 1 == picture.nodes().size()) {
            return true;
        }
        return switch (picture.nodes().get(index + 1)) {
            case TimePicture.Field next -> !next.isDigits();
            case TimePicture.Between(String next, TimePicture.Kind _) ->
                !(next.length() == 1 && next.charAt(0) >= '0' && next.charAt(0) <= '9');
        };
    }

    private int number(TimePicture.Field field, int index, int length) {
        int init = at;
        int start = at;
        while (start < text.length() && TimePicture.isSpace(text.charAt(start))) {
            start++;
        }
        String copy = start(start, length);
        int end;
        if (isOpen(field, index)) {
            end = numberEnd(text, start, text.length());
            at = end == start ? init : end;
        } else {
            if (text.length() - start < length && bytes(copy) < length) {
                throw invalid("source string too short for \"" + field.name() + "\" formatting field")
                        .withDetail("Field requires " + length + " characters, but only " + bytes(copy) + " remain.")
                        .withHint(FILL_HINT);
            }
            end = numberEnd(text, start, start + length);
            // Spaces within the field's length are skipped too.
            int used = end - start;
            if (used > 0 && used < length) {
                throw invalid("invalid value \"" + copy + "\" for \"" + field.name() + "\"")
                        .withDetail("Field requires " + length + " characters, but only " + used + " could be parsed.")
                        .withHint(FILL_HINT);
            }
            at = end;
        }
        if (at == init || end == start && at == start) {
            if (at == init) {
                throw invalid("invalid value \"" + copy + "\" for \"" + field.name() + "\"")
                        .withDetail("Value must be an integer.");
            }
            return 0;
        }
        return value(field, text.substring(start, end).strip());
    }

    /// What stands from a place on in a number of bytes: as those PostgreSQL counts.
    private String start(int from, int length) {
        int end = from;
        while (end < text.length()) {
            int next = text.offsetByCodePoints(end, 1);
            if (bytes(text.substring(from, next)) > length) {
                break;
            }
            end = next;
        }
        return text.substring(from, end);
    }

    private static int bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8).length;
    }

    private static final String FILL_HINT = "If your source string is not fixed-width, try using the \"FM\" modifier.";

    private static QueryException invalid(String message) {
        return new QueryException(SqlState.INVALID_DATETIME_FORMAT, message);
    }

    private static int numberEnd(String text, int start, int limit) {
        int end = start;
        if (end < limit && (text.charAt(end) == '+' || text.charAt(end) == '-')) {
            end++;
        }
        int digits = end;
        while (end < limit && text.charAt(end) >= '0' && text.charAt(end) <= '9') {
            end++;
        }
        return end == digits ? start : end;
    }

    private static int value(TimePicture.Field field, String digits) {
        try {
            return Integer.parseInt(digits);
        } catch (NumberFormatException _) {
            throw new QueryException(
                            SqlState.DATETIME_FIELD_OVERFLOW,
                            "value for \"" + field.name() + "\" in source string is out of range")
                    .withDetail("Value must be in the range -2147483648 to 2147483647.");
        }
    }

    private void zone(TimePicture.Field field, int index) {
        int letters = 0;
        while (letters < 10 && at + letters < text.length() && isLetter(text.charAt(at + letters))) {
            letters++;
        }
        for (int length = letters; length > 0; length--) {
            PgZone zone = PgZone.abbreviated(text.substring(at, at + length).toLowerCase(Locale.ROOT), session);
            if (zone != null) {
                fields.zone = zone;
                fields.zoneSign = 0;
                at += length;
                return;
            }
        }
        if (letters > 0) {
            throw invalid("invalid value \"" + text.substring(at) + "\" for \"" + field.name() + "\"")
                    .withDetail("Time zone abbreviation is not recognized.");
        }
        offset(field, index);
    }

    private static boolean isLetter(char character) {
        return character >= 'a' && character <= 'z' || character >= 'A' && character <= 'Z';
    }

    private void offset(TimePicture.Field field, int index) {
        sign();
        fields.zoneHours = set(field, fields.zoneHours, number(field, index, 2));
        if (peek() == ':') {
            at++;
            fields.zoneMinutes = set(field, fields.zoneMinutes, number(field, index, 2));
        }
    }

    /// A minus may have been taken for a separator.
    private void sign() {
        char next = peek();
        if (next == '+' || next == '-' || next == ' ') {
            fields.zoneSign = next == '-' ? -1 : 1;
            at++;
        } else {
            fields.zoneSign = skipped > 0 && at > 0 && text.charAt(at - 1) == '-' ? -1 : 1;
        }
    }

    private void thousands(TimePicture.Field field) {
        int start = at;
        while (start < text.length() && TimePicture.isSpace(text.charAt(start))) {
            start++;
        }
        int comma = numberEnd(text, start, text.length());
        int rest = comma + 1;
        while (rest < text.length() && TimePicture.isSpace(text.charAt(rest))) {
            rest++;
        }
        int end = comma < text.length() && text.charAt(comma) == ','
                ? numberEnd(text, rest, Math.min(text.length(), rest + 3))
                : rest;
        if (comma == start || end == rest) {
            throw invalid("invalid value \"" + text.substring(at) + "\" for \"Y,YYY\"");
        }
        long years;
        try {
            years = Math.addExact(
                    Math.multiplyExact(Integer.parseInt(text.substring(start, comma)), 1000),
                    Integer.parseInt(text.substring(rest, end)));
        } catch (ArithmeticException | NumberFormatException _) {
            throw new QueryException(
                    SqlState.DATETIME_FIELD_OVERFLOW, "value for \"Y,YYY\" in source string is out of range");
        }
        fields.year = set(field, fields.year, (int) years);
        fields.yearDigits = 4;
        at = end;
    }
}
