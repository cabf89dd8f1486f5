package dev.quarrel.core.pg;

import static dev.quarrel.core.type.CivilDate.MICROS_PER_DAY;
import static dev.quarrel.core.type.CivilDate.MICROS_PER_SECOND;

import dev.quarrel.core.type.CivilDate;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.zone.ZoneRules;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/// One text of a date or timestamp, read as PostgreSQL reads it under DateStyle `ISO, MDY`.
///
/// It splits the text into fields, then gives every field a meaning from its form and from what is known already; the
/// steps and their names follow PostgreSQL, so that the same oddities are taken and refused. Not here: POSIX zone
/// specifications (`EST5EDT4,M3…`), timestamps from 294247-01-10 04:00:54.775807 on (64-bit microseconds from 1970 end
/// there, PostgreSQL's from 2000 in 294276), and the rarer abbreviations of its "Default" set.
///
/// - Source: PostgreSQL's `datetime.c` (ParseDateTime, DecodeDateTime, DecodeDate, DecodeNumber, ValidateDate).
final class DateTimeParser {
    private static final int YEAR = 1;
    private static final int MONTH = 1 << 1;
    private static final int DAY = 1 << 2;
    private static final int TIME = 1 << 3;
    private static final int ZONE = 1 << 4;
    private static final int DAY_OF_YEAR = 1 << 5;
    private static final int HALF_DAY = 1 << 6;
    private static final int ERA = 1 << 7;
    private static final int WEEKDAY = 1 << 8;
    private static final int DAYLIGHT = 1 << 9;
    private static final int DATE = YEAR | MONTH | DAY;

    private static final Map<String, Integer> MONTHS = numbered(
            1,
            "jan,january feb,february mar,march apr,april may jun,june jul,july aug,august sep,sept,september"
                    + " oct,october nov,november dec,december");
    private static final Map<String, Integer> WEEKDAYS = numbered(
            0,
            "sun,sunday mon,monday tue,tues,tuesday wed,weds,wednesday thu,thur,thurs,thursday fri,friday"
                    + " sat,saturday");

    /// Minutes east of UTC, from the commonest of PostgreSQL's "Default" abbreviations.
    private static final Map<String, Integer> ABBREVIATIONS = Map.ofEntries(
            Map.entry("z", 0),
            Map.entry("utc", 0),
            Map.entry("ut", 0),
            Map.entry("uct", 0),
            Map.entry("gmt", 0),
            Map.entry("wet", 0),
            Map.entry("west", 60),
            Map.entry("bst", 60),
            Map.entry("cet", 60),
            Map.entry("cest", 120),
            Map.entry("met", 60),
            Map.entry("mest", 120),
            Map.entry("eet", 120),
            Map.entry("eest", 180),
            Map.entry("sast", 120),
            Map.entry("msk", 180),
            Map.entry("msd", 240),
            Map.entry("ist", 120),
            Map.entry("jst", 540),
            Map.entry("kst", 540),
            Map.entry("nzst", 720),
            Map.entry("nzdt", 780),
            Map.entry("aest", 600),
            Map.entry("acst", 570),
            Map.entry("awst", 480),
            Map.entry("ast", -240),
            Map.entry("adt", -180),
            Map.entry("est", -300),
            Map.entry("edt", -240),
            Map.entry("cst", -360),
            Map.entry("cdt", -300),
            Map.entry("mst", -420),
            Map.entry("mdt", -360),
            Map.entry("pst", -480),
            Map.entry("pdt", -420),
            Map.entry("akst", -540),
            Map.entry("akdt", -480),
            Map.entry("hst", -600));

    /// Those that zones of other continents have too: where the session's zone is one of these, its own meaning goes
    /// first, and we do not know it.
    private static final Set<String> SHARED_ABBREVIATIONS = Set.of("ist", "bst", "cst", "cdt", "pst", "pdt");

    private static final ZoneId MOSCOW = ZoneId.of("Europe/Moscow");

    /// From 2011-03-27 to 2014-10-26 MSK was four hours east.
    private static final long MSK_PLUS_4_START =
            Instant.parse("2011-03-26T23:00:00Z").getEpochSecond();

    private static final long MSK_PLUS_4_END =
            Instant.parse("2014-10-25T22:00:00Z").getEpochSecond();

    enum FieldKind {
        NUMBER,
        WORD,
        DATE,
        TIME,
        ZONE,
        SIGNED_WORD
    }

    private enum Meaning {
        DATE_TIME,
        EPOCH,
        LATE,
        EARLY
    }

    record TextField(FieldKind kind, String text) {}

    private final String text;
    private final String typeName;
    private final PgParse.Moment moment;

    private int known;
    private long year;
    private int month;
    private int day;
    private int dayOfYear;
    private int hour;
    private int minute;
    private int second;
    private int micros;
    private Integer offsetSeconds;

    /// Whether the zone is MSK, of which PostgreSQL knows the history.
    private boolean isMoscowTime;

    private ZoneId zone;
    private boolean textMonth;
    private boolean twoDigitYear;
    private boolean bc;
    private String halfDay = "";
    private Meaning meaning = Meaning.DATE_TIME;
    private boolean isTimeOnly;

    private DateTimeParser(String text, String typeName, PgParse.Moment moment) {
        this.text = text;
        this.typeName = typeName;
        this.moment = moment;
    }

    static int date(String text, PgParse.Moment moment) {
        DateTimeParser parser = new DateTimeParser(text, "date", moment);
        parser.decode();
        return switch (parser.meaning) {
            case EPOCH -> 0;
            case LATE -> PgText.DATE_INFINITY;
            case EARLY -> PgText.DATE_MINUS_INFINITY;
            case DATE_TIME -> {
                long days = CivilDate.toDays(parser.year, parser.month, parser.day);
                if (days < CivilDate.FIRST_DAY || days >= CivilDate.END_DAY) {
                    throw parser.outOfRange("date");
                }
                yield (int) days;
            }
        };
    }

    static long timestamp(String text, PgParse.Moment moment, boolean withZone) {
        DateTimeParser parser = new DateTimeParser(text, withZone ? "timestamp with time zone" : "timestamp", moment);
        parser.decode();
        return switch (parser.meaning) {
            case EPOCH -> 0;
            case LATE -> PgText.TIMESTAMP_INFINITY;
            case EARLY -> PgText.TIMESTAMP_MINUS_INFINITY;
            case DATE_TIME -> parser.instant(withZone);
        };
    }

    private long instant(boolean withZone) {
        long days = CivilDate.toDays(year, month, day);
        if (days < CivilDate.FIRST_DAY || days > CivilDate.LAST_TIMESTAMP_DAY) {
            throw outOfRange("timestamp");
        }
        try {
            long local = Math.addExact(
                    Math.multiplyExact(days, MICROS_PER_DAY),
                    ((hour * 60L + minute) * 60 + second) * MICROS_PER_SECOND + micros);
            long result = withZone ? Math.subtractExact(local, offset(local) * MICROS_PER_SECOND) : local;
            // The two greatest and smallest values stand for the infinities.
            if (result < CivilDate.FIRST_DAY * MICROS_PER_DAY || result == Long.MAX_VALUE) {
                throw outOfRange("timestamp");
            }
            return result;
        } catch (ArithmeticException _) {
            throw outOfRange("timestamp");
        }
    }

    private int offset(long localMicros) {
        if (isMoscowTime) {
            long instant = Math.floorDiv(localMicros, MICROS_PER_SECOND) - offset(localMicros, MOSCOW);
            return instant >= MSK_PLUS_4_START && instant < MSK_PLUS_4_END ? 4 * 3600 : 3 * 3600;
        }
        if (offsetSeconds != null) {
            return offsetSeconds;
        }
        return offset(localMicros, zone != null ? zone : moment.zone());
    }

    private static int offset(long localMicros, ZoneId applied) {
        LocalDateTime local =
                LocalDateTime.ofEpochSecond(Math.floorDiv(localMicros, MICROS_PER_SECOND), 0, ZoneOffset.UTC);
        // In a gap or an overlap PostgreSQL takes the standard time: in a gap the offset before it, in an overlap the
        // later one.
        List<ZoneOffset> offsets = applied.getRules().getValidOffsets(local);
        ZoneOffset chosen =
                offsets.isEmpty() ? applied.getRules().getTransition(local).getOffsetBefore() : offsets.getLast();
        return chosen.getTotalSeconds();
    }

    /// Microseconds since midnight; a date or zone beside the time counts for nothing.
    static long time(String text, PgParse.Moment moment) {
        DateTimeParser parser = new DateTimeParser(text, "time", moment);
        parser.isTimeOnly = true;
        parser.decode();
        return ((parser.hour * 60L + parser.minute) * 60 + parser.second) * MICROS_PER_SECOND + parser.micros;
    }

    // ---- splitting into fields

    /// The fields of a text of which only the splitting is as a date's.
    ///
    /// - Errors: 22007 for characters that no field has.
    static List<TextField> fields(String text, String typeName) {
        return new DateTimeParser(text, typeName, PgParse.Moment.utc()).split();
    }

    private List<TextField> split() {
        List<TextField> fields = new ArrayList<>();
        int end = text.length();
        int at = 0;
        while (at < end) {
            char next = text.charAt(at);
            if (PgParse.isSpace(next)) {
                at++;
            } else if (isDigit(next)) {
                at = splitNumber(at, fields);
            } else if (next == '.') {
                int stop = at + 1;
                while (isDigit(charAt(stop))) {
                    stop++;
                }
                fields.add(new TextField(FieldKind.NUMBER, text.substring(at, stop)));
                at = stop;
            } else if (isLetter(next)) {
                at = splitWord(at, fields);
            } else if (next == '+' || next == '-') {
                at = splitSigned(at, fields);
            } else if (isPunctuation(next)) {
                at++;
            } else {
                throw badFormat();
            }
            if (fields.size() > 25) {
                throw badFormat();
            }
        }
        return fields;
    }

    private int splitNumber(int start, List<TextField> fields) {
        int at = start;
        while (isDigit(charAt(at))) {
            at++;
        }
        FieldKind kind = FieldKind.NUMBER;
        char delimiter = charAt(at);
        if (delimiter == ':') {
            kind = FieldKind.TIME;
            while (isDigit(charAt(at)) || charAt(at) == ':' || charAt(at) == '.') {
                at++;
            }
        } else if (delimiter == '-' || delimiter == '/' || delimiter == '.') {
            at++;
            if (isDigit(charAt(at))) {
                kind = delimiter == '.' ? FieldKind.NUMBER : FieldKind.DATE;
                while (isDigit(charAt(at))) {
                    at++;
                }
                if (charAt(at) == delimiter) {
                    kind = FieldKind.DATE;
                    while (isDigit(charAt(at)) || charAt(at) == delimiter) {
                        at++;
                    }
                }
            } else {
                kind = FieldKind.DATE;
                while (isDigit(charAt(at)) || isLetter(charAt(at)) || charAt(at) == delimiter) {
                    at++;
                }
            }
        }
        fields.add(new TextField(kind, text.substring(start, at).toLowerCase(Locale.ROOT)));
        return at;
    }

    private int splitWord(int start, List<TextField> fields) {
        int at = start;
        while (isLetter(charAt(at))) {
            at++;
        }
        char next = charAt(at);
        boolean dated = next == '-' || next == '/' || next == '.';
        if (next == '+' || isDigit(next)) {
            dated = !isKeyword(text.substring(start, at).toLowerCase(Locale.ROOT));
        }
        if (dated) {
            while (isLetter(charAt(at))
                    || isDigit(charAt(at))
                    || (at < text.length() && "+-/_.:".indexOf(charAt(at)) >= 0)) {
                at++;
            }
        }
        fields.add(new TextField(
                dated ? FieldKind.DATE : FieldKind.WORD,
                text.substring(start, at).toLowerCase(Locale.ROOT)));
        return at;
    }

    private int splitSigned(int start, List<TextField> fields) {
        int at = start + 1;
        while (at < text.length() && PgParse.isSpace(charAt(at))) {
            at++;
        }
        int body = at;
        FieldKind kind;
        if (isDigit(charAt(at))) {
            kind = FieldKind.ZONE;
            while (isDigit(charAt(at)) || (at < text.length() && ":.-".indexOf(charAt(at)) >= 0)) {
                at++;
            }
        } else if (isLetter(charAt(at))) {
            kind = FieldKind.SIGNED_WORD;
            while (isLetter(charAt(at))) {
                at++;
            }
        } else {
            throw badFormat();
        }
        fields.add(new TextField(
                kind, text.charAt(start) + text.substring(body, at).toLowerCase(Locale.ROOT)));
        return at;
    }

    // ---- giving fields a meaning

    private void decode() {
        List<TextField> fields = split();
        if (fields.isEmpty()) {
            throw badFormat();
        }
        String prefix = ""; // "t" or "j" before a number
        for (int index = 0; index < fields.size(); index++) {
            TextField field = fields.get(index);
            int found;
            if (!prefix.isEmpty() && field.kind() != FieldKind.DATE && field.kind() != FieldKind.TIME) {
                found = decodePrefixed(prefix, field);
                prefix = "";
            } else {
                switch (field.kind()) {
                    case DATE -> {
                        boolean isDated = index == 0
                                && fields.size() > 1
                                && (fields.get(1).kind() == FieldKind.TIME
                                        || fields.getLast().kind() == FieldKind.DATE);
                        if (isTimeOnly && !isDated) {
                            throw badFormat();
                        }
                        found = decodeDateField(field.text(), prefix);
                        prefix = "";
                    }
                    case TIME -> {
                        if (prefix.equals("j")) {
                            throw badFormat();
                        }
                        prefix = "";
                        found = decodeTime(field.text());
                    }
                    case ZONE -> found = decodeOffset(field.text());
                    case NUMBER -> found = decodeNumberField(field.text());
                    case WORD, SIGNED_WORD -> {
                        if (isPrefix(field.text(), fields, index)) {
                            prefix = field.text().equals("t") ? "t" : "j";
                            continue;
                        }
                        found = decodeWord(field.text());
                    }
                    default -> throw new IllegalStateException(field.toString());
                }
            }
            if ((found & known) != 0) {
                throw badFormat();
            }
            known |= found;
        }
        if (!prefix.isEmpty()) {
            throw badFormat();
        }
        if (isTimeOnly) {
            validateTime();
        } else if (meaning == Meaning.DATE_TIME) {
            validate();
        }
    }

    private boolean isPrefix(String word, List<TextField> fields, int index) {
        boolean julian = word.equals("j") || word.equals("jd") || word.equals("julian");
        if (!word.equals("t") && !julian) {
            return false;
        }
        if (index + 1 >= fields.size()) {
            throw badFormat();
        }
        FieldKind next = fields.get(index + 1).kind();
        if (julian) {
            return true;
        }
        if ((known & DATE) != DATE && !isTimeOnly
                || (next != FieldKind.NUMBER && next != FieldKind.TIME && next != FieldKind.DATE)) {
            throw badFormat();
        }
        return true;
    }

    private int decodePrefixed(String prefix, TextField field) {
        if (field.kind() != FieldKind.NUMBER) {
            throw badFormat();
        }
        if (prefix.equals("t")) {
            int found = decodeRunTogether(field.text(), known | DATE);
            if (found != TIME) {
                throw badFormat();
            }
            return found;
        }
        int point = field.text().indexOf('.');
        String whole = point < 0 ? field.text() : field.text().substring(0, point);
        if (whole.isEmpty() || !whole.chars().allMatch(digit -> isDigit((char) digit))) {
            throw badFormat();
        }
        if (whole.length() > 9) {
            throw fieldOverflow();
        }
        setDay(Long.parseLong(whole) - 2_440_588);
        julian = true;
        if (point < 0) {
            return DATE;
        }
        // A fraction of a Julian day is a time of day.
        long time = Math.round(fraction(field.text().substring(point)) * MICROS_PER_DAY);
        setTime(time);
        return DATE | TIME;
    }

    private int decodeDateField(String field, String prefix) {
        if (prefix.isEmpty() && (known & (MONTH | DAY)) != (MONTH | DAY)) {
            return decodeDate(field);
        }
        if (isDigit(field.charAt(0)) || !prefix.isEmpty()) {
            // A time, or a Julian day, run together with its zone: 040506-08.
            int sign = field.indexOf('-');
            if ((known & TIME) != 0 || sign < 0) {
                throw badFormat();
            }
            int zoneFound = decodeOffset(field.substring(sign));
            String number = field.substring(0, sign);
            if (prefix.equals("j")) {
                return decodePrefixed("j", new TextField(FieldKind.NUMBER, number)) | TIME | zoneFound;
            }
            // Without a year so far the digits are a date, which the caller refuses beside the month and day it has.
            return decodeRunTogether(number, prefix.isEmpty() ? known : known | DATE) | zoneFound;
        }
        zone = namedZone(field);
        if (zone == null) {
            throw new QueryException(SqlState.INVALID_PARAMETER_VALUE, "time zone \"" + field + "\" not recognized");
        }
        return ZONE;
    }

    private int decodeDate(String field) {
        List<String> parts = new ArrayList<>();
        int at = 0;
        while (at < field.length()) {
            while (at < field.length() && !isDigit(field.charAt(at)) && !isLetter(field.charAt(at))) {
                at++;
            }
            if (at == field.length()) {
                throw badFormat();
            }
            int start = at;
            boolean digits = isDigit(field.charAt(at));
            while (at < field.length() && (digits ? isDigit(field.charAt(at)) : isLetter(field.charAt(at)))) {
                at++;
            }
            parts.add(field.substring(start, at));
            at++; // the separator, whatever it is
        }
        int before = known;
        int found = 0;
        // A month named outside these digits does not help to read them.
        boolean textMonthOutside = textMonth;
        textMonth = false;
        for (String part : parts) {
            if (!isDigit(part.charAt(0))) {
                Integer number = MONTHS.get(truncated(part));
                if (number == null || (known & MONTH) != 0) {
                    throw badFormat();
                }
                month = number;
                textMonth = true;
                found |= MONTH;
                known |= MONTH;
            }
        }
        for (String part : parts) {
            if (isDigit(part.charAt(0))) {
                int next = decodeNumber(part);
                if ((known & next) != 0) {
                    throw badFormat();
                }
                found |= next;
                known |= next;
            }
        }
        if ((known & ~(DAY_OF_YEAR | ZONE)) != DATE) {
            throw badFormat();
        }
        known = before;
        textMonth = textMonthOutside;
        return found;
    }

    private int decodeNumberField(String field) {
        if (isTimeOnly && (known & DATE) == 0) {
            return decodeRunTogether(field, known | DATE);
        }
        int point = field.indexOf('.');
        if (point >= 0 && (known & DATE) == 0) {
            return decodeDate(field);
        }
        if (point > 2) {
            return decodeRunTogether(field, known);
        }
        boolean complete = (known & DATE) != 0 && (known & TIME) != 0;
        if (field.length() >= 6 && !complete) {
            return decodeRunTogether(field, known);
        }
        return decodeNumber(field);
    }

    private int decodeNumber(String field) {
        int point = field.indexOf('.');
        String whole = point < 0 ? field : field.substring(0, point);
        if (whole.isEmpty()) {
            throw badFormat();
        }
        if (whole.length() > 9) {
            throw fieldOverflow();
        }
        int value = Integer.parseInt(whole);
        if (point >= 0) {
            if (point > 2) {
                return decodeRunTogether(field, known | DATE);
            }
            micros = fractionMicros(field.substring(point));
        }
        int length = field.length();
        if (length == 3 && (known & DATE) == YEAR && value >= 1 && value <= 366) {
            dayOfYear = value;
            return DAY_OF_YEAR | MONTH | DAY;
        }
        boolean longNumber = length >= 3;
        return switch (known & DATE) {
            case 0 -> longNumber ? asYear(value, length) : asMonth(value);
            case YEAR -> asMonth(value);
            case MONTH -> textMonth && longNumber ? asYear(value, length) : asDay(value);
            case YEAR | MONTH -> {
                if (textMonth && longNumber && twoDigitYear) {
                    // The first number was the day after all.
                    day = (int) year;
                    year = value;
                    twoDigitYear = false;
                    yield DAY;
                }
                yield asDay(value);
            }
            case DAY -> asMonth(value);
            case MONTH | DAY -> asYear(value, length);
            case DATE -> decodeRunTogether(field, known);
            default -> throw badFormat();
        };
    }

    private int asYear(int value, int length) {
        year = value;
        twoDigitYear = length <= 2;
        return YEAR;
    }

    private int asMonth(int value) {
        month = value;
        return MONTH;
    }

    private int asDay(int value) {
        day = value;
        return DAY;
    }

    /// `20240229`, `240229`, `040506`, `0405`, each perhaps with a fraction of a second.
    private int decodeRunTogether(String field, int knownThen) {
        int point = field.indexOf('.');
        String digits = point < 0 ? field : field.substring(0, point);
        int length = digits.length();
        if (length > 12) {
            throw length > 25 ? badFormat() : fieldOverflow();
        }
        for (int at = 0; at < length; at++) {
            if (!isDigit(digits.charAt(at))) {
                throw badFormat();
            }
        }
        if (point >= 0) {
            micros = fractionMicros(field.substring(point));
        } else if ((knownThen & DATE) != DATE && length >= 6) {
            day = number(digits, length - 2, length);
            month = number(digits, length - 4, length - 2);
            year = Long.parseLong(digits.substring(0, length - 4));
            twoDigitYear = length == 6;
            return DATE;
        }
        if ((knownThen & TIME) == 0 && (length == 6 || length == 4)) {
            hour = number(digits, 0, 2);
            minute = number(digits, 2, 4);
            second = length == 6 ? number(digits, 4, 6) : 0;
            return TIME;
        }
        throw badFormat();
    }

    private static int number(String digits, int start, int end) {
        return Integer.parseInt(digits.substring(start, end));
    }

    private int decodeTime(String field) {
        String[] parts = field.split(":", -1);
        if (parts.length > 3) {
            throw badFormat();
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
                micros = fractionMicros(parts[1].substring(point));
            }
        } else {
            minute = timePart(parts[1], false);
            second = timePart(parts[2], true);
            int point = parts[2].indexOf('.');
            micros = point < 0 ? 0 : fractionMicros(parts[2].substring(point));
        }
        if (minute > 59 || second > 60) {
            throw fieldOverflow();
        }
        checkTimeOfDay();
        return TIME;
    }

    private int timePart(String part, boolean mayHavePoint) {
        int point = part.indexOf('.');
        if (point >= 0 && !mayHavePoint) {
            throw badFormat();
        }
        String digits = point < 0 ? part : part.substring(0, point);
        if (digits.isEmpty()) {
            // strtoint reads nothing as 0.
            return 0;
        }
        if (digits.length() > 9) {
            throw fieldOverflow();
        }
        return Integer.parseInt(digits);
    }

    private void checkTimeOfDay() {
        // 24:00 and a second 60 are taken, but nothing behind the day's end.
        boolean overflow = hour > 24
                || minute > 59
                || second > 60
                || ((hour * 60L + minute) * 60 + second) * MICROS_PER_SECOND + micros > MICROS_PER_DAY;
        if (overflow) {
            throw fieldOverflow();
        }
    }

    /// `+05`, `-0800`, `+05:30`, `+05:30:15`.
    private int decodeOffset(String field) {
        String body = field.substring(1);
        if (body.isEmpty() || !isDigit(body.charAt(0))) {
            throw badFormat();
        }
        String[] parts = body.split(":", -1);
        if (parts.length > 3) {
            throw badFormat();
        }
        int[] numbers = new int[3];
        for (int index = 0; index < parts.length; index++) {
            String part = parts[index];
            for (int at = 0; at < part.length(); at++) {
                if (!isDigit(part.charAt(at))) {
                    throw badFormat();
                }
            }
            if (part.length() > 9) {
                throw displacement();
            }
            numbers[index] = part.isEmpty() ? 0 : Integer.parseInt(part);
        }
        if (parts.length == 1 && field.length() > 3) {
            numbers[1] = numbers[0] % 100;
            numbers[0] /= 100;
        }
        if (numbers[0] > 15 || numbers[1] > 59 || numbers[2] > 59) {
            throw displacement();
        }
        int seconds = (numbers[0] * 60 + numbers[1]) * 60 + numbers[2];
        offsetSeconds = field.charAt(0) == '-' ? -seconds : seconds;
        zone = null;
        return ZONE;
    }

    /// Whether a zone's clocks have ever shown the offset; one without a history has no abbreviations of its own.
    private static boolean isUsed(ZoneId zone, int seconds) {
        ZoneRules rules = zone.getRules();
        return rules.isFixedOffset()
                || rules.getStandardOffset(Instant.EPOCH).getTotalSeconds() == seconds
                || rules.getTransitions().stream()
                        .anyMatch(each -> each.getOffsetAfter().getTotalSeconds() == seconds);
    }

    private int decodeWord(String word) {
        Integer abbreviation = ABBREVIATIONS.get(word);
        if (abbreviation != null) {
            if (SHARED_ABBREVIATIONS.contains(word) && !isUsed(moment.zone(), abbreviation * 60)) {
                throw new QueryException(
                        SqlState.FEATURE_NOT_SUPPORTED,
                        "the time zone abbreviation \"" + word.toUpperCase(Locale.ROOT)
                                + "\" is not supported in the time zone " + moment.zone());
            }
            offsetSeconds = abbreviation * 60;
            isMoscowTime = word.equals("msk");
            return ZONE;
        }
        Integer monthNumber = MONTHS.get(truncated(word));
        if (monthNumber != null) {
            int found = MONTH;
            if ((known & MONTH) != 0 && !textMonth && (known & DAY) == 0 && month >= 1 && month <= 31) {
                // What looked like a month was the day.
                day = month;
                found = DAY;
            }
            textMonth = true;
            month = monthNumber;
            return found;
        }
        if (WEEKDAYS.containsKey(word)) {
            return WEEKDAY;
        }
        return switch (word) {
            case "at", "on" -> 0;
            case "am", "pm" -> {
                halfDay = word;
                yield HALF_DAY;
            }
            case "ad", "bc" -> {
                bc = word.equals("bc");
                yield ERA;
            }
            case "epoch" -> whole(Meaning.EPOCH);
            case "infinity", "+infinity" -> whole(Meaning.LATE);
            case "-infinity" -> whole(Meaning.EARLY);
            case "now" -> {
                long local = localNow();
                setDay(Math.floorDiv(local, MICROS_PER_DAY));
                setTime(Math.floorMod(local, MICROS_PER_DAY));
                // The very instant, also where the local time is ambiguous.
                offsetSeconds = moment.zone().getRules().getOffset(moment.now()).getTotalSeconds();
                yield DATE | TIME | ZONE;
            }
            case "today", "tomorrow", "yesterday" -> {
                long today = Math.floorDiv(localNow(), MICROS_PER_DAY);
                setDay(today + (word.equals("tomorrow") ? 1 : word.equals("yesterday") ? -1 : 0));
                yield DATE;
            }
            case "allballs", "zulu" -> decodeZulu(word);
            case "dst" -> {
                if (offsetSeconds == null) {
                    throw badFormat();
                }
                offsetSeconds += 3600;
                isMoscowTime = false;
                yield DAYLIGHT;
            }
            default -> {
                zone = namedZone(word);
                if (zone == null) {
                    throw badFormat();
                }
                yield ZONE;
            }
        };
    }

    private int decodeZulu(String word) {
        offsetSeconds = 0;
        if (word.equals("zulu")) {
            return ZONE;
        }
        setTime(0);
        return TIME | ZONE;
    }

    private int whole(Meaning found) {
        meaning = found;
        return DATE | TIME | ZONE;
    }

    private long localNow() {
        Instant now = moment.now();
        int offset = moment.zone().getRules().getOffset(now).getTotalSeconds();
        return (now.getEpochSecond() + offset) * MICROS_PER_SECOND + now.getNano() / 1000;
    }

    private void validateTime() {
        if (meaning != Meaning.DATE_TIME || (known & TIME) == 0) {
            throw badFormat();
        }
        if ((known & DATE) == DATE) {
            validate();
            return;
        }
        // A zone by name means nothing without its day.
        if ((known & ~(TIME | ZONE | HALF_DAY | DAYLIGHT)) != 0 || zone != null) {
            throw badFormat();
        }
        validateHalfDay();
        checkTimeOfDay();
    }

    private void validateHalfDay() {
        if (!halfDay.isEmpty()) {
            if (hour > 12) {
                throw fieldOverflow();
            }
            hour = hour % 12 + (halfDay.equals("pm") ? 12 : 0);
        }
    }

    private void validate() {
        if ((known & YEAR) != 0 && !julian) {
            if (bc) {
                if (year <= 0) {
                    throw fieldOverflow();
                }
                year = 1 - year;
            } else if (twoDigitYear) {
                year += year < 70 ? 2000 : year < 100 ? 1900 : 0;
            } else if (year <= 0 && !wasSetAsDay) {
                throw fieldOverflow();
            }
        }
        if ((known & DAY_OF_YEAR) != 0) {
            setDay(CivilDate.toDays(year, 1, 1) + dayOfYear - 1);
        }
        if ((known & MONTH) != 0 && (month < 1 || month > 12)) {
            throw dateStyle();
        }
        if ((known & DAY) != 0 && (day < 1 || day > 31)) {
            throw dateStyle();
        }
        if ((known & DATE) == DATE && day > CivilDate.daysInMonth(year, month)) {
            throw fieldOverflow();
        }
        validateHalfDay();
        if ((known & DATE) != DATE) {
            throw badFormat();
        }
        checkTimeOfDay();
    }

    // A day set as a whole (Julian, today) may lie before year 1; one written in digits may not.
    private boolean wasSetAsDay;
    // The year of a Julian day is right as it is: an era beside it changes nothing.
    private boolean julian;

    private void setDay(long epochDay) {
        wasSetAsDay = true;
        long packed = CivilDate.fromDays(epochDay);
        year = CivilDate.yearOf(packed);
        month = CivilDate.monthOf(packed);
        day = CivilDate.dayOfMonthOf(packed);
    }

    private void setTime(long microsOfDay) {
        long seconds = microsOfDay / MICROS_PER_SECOND;
        hour = (int) (seconds / 3600);
        minute = (int) (seconds / 60 % 60);
        second = (int) (seconds % 60);
        micros = (int) (microsOfDay % MICROS_PER_SECOND);
    }

    private double fraction(String pointAndDigits) {
        if (pointAndDigits.length() == 1) {
            return 0;
        }
        for (int at = 1; at < pointAndDigits.length(); at++) {
            if (!isDigit(pointAndDigits.charAt(at))) {
                throw badFormat();
            }
        }
        return Double.parseDouble("0" + pointAndDigits);
    }

    private int fractionMicros(String pointAndDigits) {
        return (int) Math.rint(fraction(pointAndDigits) * MICROS_PER_SECOND);
    }

    private static boolean isKeyword(String word) {
        return MONTHS.containsKey(truncated(word))
                || WEEKDAYS.containsKey(word)
                || switch (word) {
                    case "t",
                            "j",
                            "jd",
                            "julian",
                            "am",
                            "pm",
                            "ad",
                            "bc",
                            "at",
                            "on",
                            "dst",
                            "epoch",
                            "infinity",
                            "now",
                            "today",
                            "tomorrow",
                            "yesterday",
                            "allballs",
                            "d",
                            "dow",
                            "doy",
                            "h",
                            "isodow",
                            "isoyear",
                            "m",
                            "mm",
                            "s",
                            "y" -> true;
                    default -> false;
                };
    }

    /// PostgreSQL compares at most ten letters of a keyword.
    private static String truncated(String word) {
        return word.length() > 10 ? word.substring(0, 10) : word;
    }

    private static final class ZoneNames {
        static final Map<String, String> BY_LOWER_CASE = new HashMap<>();

        static {
            for (String id : ZoneId.getAvailableZoneIds()) {
                if (!id.startsWith("SystemV/")) {
                    BY_LOWER_CASE.put(id.toLowerCase(Locale.ROOT), id);
                }
            }
        }
    }

    private static ZoneId namedZone(String name) {
        String id = ZoneNames.BY_LOWER_CASE.get(name);
        return id == null ? null : ZoneId.of(id);
    }

    private static Map<String, Integer> numbered(int first, String words) {
        Map<String, Integer> numbers = new HashMap<>();
        int number = first;
        for (String group : words.split(" ")) {
            for (String word : group.split(",")) {
                numbers.put(word, number);
            }
            number++;
        }
        return Map.copyOf(numbers);
    }

    private char charAt(int index) {
        return index < text.length() ? text.charAt(index) : '\0';
    }

    private static boolean isDigit(char character) {
        return character >= '0' && character <= '9';
    }

    private static boolean isLetter(char character) {
        return (character >= 'a' && character <= 'z') || (character >= 'A' && character <= 'Z');
    }

    private static boolean isPunctuation(char character) {
        return character > ' ' && character < 127 && !isDigit(character) && !isLetter(character);
    }

    private QueryException badFormat() {
        return new QueryException(
                SqlState.INVALID_DATETIME_FORMAT, "invalid input syntax for type " + typeName + ": \"" + text + "\"");
    }

    private QueryException fieldOverflow() {
        return new QueryException(
                SqlState.DATETIME_FIELD_OVERFLOW, "date/time field value out of range: \"" + text + "\"");
    }

    private QueryException dateStyle() {
        return fieldOverflow().withHint("Perhaps you need a different \"DateStyle\" setting.");
    }

    private QueryException displacement() {
        return new QueryException(
                SqlState.INVALID_TIME_ZONE_DISPLACEMENT_VALUE, "time zone displacement out of range: \"" + text + "\"");
    }

    private QueryException outOfRange(String what) {
        return new QueryException(SqlState.DATETIME_FIELD_OVERFLOW, what + " out of range: \"" + text + "\"");
    }
}
