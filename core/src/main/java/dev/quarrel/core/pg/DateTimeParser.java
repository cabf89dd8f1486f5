package dev.quarrel.core.pg;

import static dev.quarrel.core.pg.DateTimePart.DATE;
import static dev.quarrel.core.pg.DateTimePart.DAY;
import static dev.quarrel.core.pg.DateTimePart.DAYLIGHT;
import static dev.quarrel.core.pg.DateTimePart.DAY_OF_YEAR;
import static dev.quarrel.core.pg.DateTimePart.ERA;
import static dev.quarrel.core.pg.DateTimePart.HALF_DAY;
import static dev.quarrel.core.pg.DateTimePart.MONTH;
import static dev.quarrel.core.pg.DateTimePart.TIME;
import static dev.quarrel.core.pg.DateTimePart.WEEKDAY;
import static dev.quarrel.core.pg.DateTimePart.ZONE;
import static dev.quarrel.core.type.CivilDate.MICROS_PER_DAY;
import static dev.quarrel.core.type.CivilDate.MICROS_PER_SECOND;

import dev.quarrel.core.pg.DateTimeFields.FieldKind;
import dev.quarrel.core.pg.DateTimeFields.TextField;
import dev.quarrel.core.type.CivilDate;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/// One text of a date or timestamp, read as PostgreSQL reads it.
///
/// It gives every field ([DateTimeFields]) a meaning from its form and from what is known already: parts of the
/// date, of the time, or the zone. The steps and their names follow PostgreSQL, so that the same oddities are taken
/// and refused. Not here: POSIX zone specifications (`EST5EDT4,M3…`), timestamps from 294247-01-10 04:00:54.775807
/// on (64-bit microseconds from 1970 end there, PostgreSQL's from 2000 in 294276), and the rarer abbreviations of
/// its "Default" set.
///
/// - Source: PostgreSQL's `datetime.c` (DecodeDateTime, DecodeTimeOnly, DecodeDate, DecodeNumberField).
final class DateTimeParser {
    private enum Meaning {
        DATE_TIME,
        EPOCH,
        LATE,
        EARLY
    }

    private final DateTimeFault fault;
    private final PgParse.Moment moment;
    private final WrittenDate date;
    private final WrittenTime time;
    private WrittenZone zone; // or null: the session's
    private int known;
    private Meaning meaning = Meaning.DATE_TIME;
    private boolean isTimeOnly;

    private DateTimeParser(String text, String typeName, PgParse.Moment moment) {
        this.fault = new DateTimeFault(text, typeName);
        this.moment = moment;
        this.date = new WrittenDate(moment.order(), fault);
        this.time = new WrittenTime(fault);
    }

    static int date(String text, PgParse.Moment moment) {
        DateTimeParser parser = new DateTimeParser(text, "date", moment);
        parser.decode();
        return switch (parser.meaning) {
            case EPOCH -> 0;
            case LATE -> PgText.DATE_INFINITY;
            case EARLY -> PgText.DATE_MINUS_INFINITY;
            case DATE_TIME -> {
                long days = parser.date.epochDay();
                if (days < CivilDate.FIRST_DAY || days >= CivilDate.END_DAY) {
                    throw parser.fault.outOfRange("date");
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
        long days = date.epochDay();
        if (days < CivilDate.FIRST_DAY || days > CivilDate.LAST_TIMESTAMP_DAY) {
            throw fault.outOfRange("timestamp");
        }
        try {
            long local = Math.addExact(Math.multiplyExact(days, MICROS_PER_DAY), time.microsOfDay());
            long result = withZone ? Math.subtractExact(local, offset(local) * MICROS_PER_SECOND) : local;
            // The two greatest and smallest values stand for the infinities.
            if (result < CivilDate.FIRST_DAY * MICROS_PER_DAY || result == Long.MAX_VALUE) {
                throw fault.outOfRange("timestamp");
            }
            return result;
        } catch (ArithmeticException _) {
            throw fault.outOfRange("timestamp");
        }
    }

    private int offset(long localMicros) {
        WrittenZone applied = zone != null ? zone : new WrittenZone.Named(PgZone.of(moment.zone()));
        return applied.offset(localMicros);
    }

    /// Microseconds since midnight; a date or zone beside the time counts for nothing.
    static long time(String text, PgParse.Moment moment) {
        DateTimeParser parser = new DateTimeParser(text, "time", moment);
        parser.isTimeOnly = true;
        parser.decode();
        return parser.time.microsOfDay();
    }

    /// A time of day and its zone's offset: today's where neither the text nor the zone's name says which.
    static TimeTz timeTz(String text, PgParse.Moment moment) {
        DateTimeParser parser = new DateTimeParser(text, "time with time zone", moment);
        parser.isTimeOnly = true;
        parser.decode();
        long micros = parser.time.microsOfDay();
        boolean isDated = (parser.known & DATE) == DATE;
        long day = isDated ? parser.date.epochDay() : Math.floorDiv(parser.localNow(), MICROS_PER_DAY);
        return new TimeTz(micros, -parser.offset(day * MICROS_PER_DAY + micros));
    }

    private void decode() {
        List<TextField> fields = DateTimeFields.of(fault);
        if (fields.isEmpty()) {
            throw fault.badFormat();
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
                        found = decodeDateField(field.text(), prefix, !isTimeOnly || isDated);
                        prefix = "";
                    }
                    case TIME -> {
                        if (prefix.equals("j")) {
                            throw fault.badFormat();
                        }
                        prefix = "";
                        time.read(field.text());
                        found = TIME;
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
                throw fault.badFormat();
            }
            known |= found;
        }
        if (!prefix.isEmpty()) {
            throw fault.badFormat();
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
            throw fault.badFormat();
        }
        FieldKind next = fields.get(index + 1).kind();
        if (julian) {
            return true;
        }
        if ((known & DATE) != DATE && !isTimeOnly
                || (next != FieldKind.NUMBER && next != FieldKind.TIME && next != FieldKind.DATE)) {
            throw fault.badFormat();
        }
        return true;
    }

    private int decodePrefixed(String prefix, TextField field) {
        if (field.kind() != FieldKind.NUMBER) {
            throw fault.badFormat();
        }
        if (prefix.equals("t")) {
            int found = decodeRunTogether(field.text(), known | DATE);
            if (found != TIME) {
                throw fault.badFormat();
            }
            return found;
        }
        int point = field.text().indexOf('.');
        String whole = point < 0 ? field.text() : field.text().substring(0, point);
        if (whole.isEmpty() || !whole.chars().allMatch(digit -> DateTimeFields.isDigit((char) digit))) {
            throw fault.badFormat();
        }
        if (whole.length() > 9) {
            throw fault.fieldOverflow();
        }
        date.setJulian(Long.parseLong(whole));
        if (point < 0) {
            return DATE;
        }
        // A fraction of a Julian day is a time of day.
        time.set(Math.round(WrittenTime.fraction(field.text().substring(point), fault) * MICROS_PER_DAY));
        return DATE | TIME;
    }

    private int decodeDateField(String field, String prefix, boolean mayBeDate) {
        if (mayBeDate && prefix.isEmpty() && (known & (MONTH | DAY)) != (MONTH | DAY)) {
            return decodeDate(field);
        }
        if (DateTimeFields.isDigit(field.charAt(0)) || !prefix.isEmpty()) {
            // A time, or a Julian day, run together with its zone: 040506-08.
            int sign = field.indexOf('-');
            if ((known & TIME) != 0 || sign < 0) {
                throw fault.badFormat();
            }
            int zoneFound = decodeOffset(field.substring(sign));
            String number = field.substring(0, sign);
            if (prefix.equals("j")) {
                return decodePrefixed("j", new TextField(FieldKind.NUMBER, number)) | TIME | zoneFound;
            }
            // Without a year so far the digits are a date, which the caller refuses beside the month and day it has.
            return decodeRunTogether(number, prefix.isEmpty() && !isTimeOnly ? known : known | DATE) | zoneFound;
        }
        zone = WrittenZone.named(field);
        if (zone == null) {
            throw new QueryException(SqlState.INVALID_PARAMETER_VALUE, "time zone \"" + field + "\" not recognized");
        }
        return ZONE;
    }

    private int decodeDate(String field) {
        List<String> parts = new ArrayList<>();
        int at = 0;
        while (at < field.length()) {
            while (at < field.length()
                    && !DateTimeFields.isDigit(field.charAt(at))
                    && !DateTimeFields.isLetter(field.charAt(at))) {
                at++;
            }
            if (at == field.length()) {
                throw fault.badFormat();
            }
            int start = at;
            boolean digits = DateTimeFields.isDigit(field.charAt(at));
            while (at < field.length()
                    && (digits
                            ? DateTimeFields.isDigit(field.charAt(at))
                            : DateTimeFields.isLetter(field.charAt(at)))) {
                at++;
            }
            parts.add(field.substring(start, at));
            at++; // the separator, whatever it is
        }
        int before = known;
        int found = 0;
        // A month named outside these digits does not help to read them.
        boolean hadMonthName = date.hasMonthName();
        date.setHasMonthName(false);
        for (String part : parts) {
            if (!DateTimeFields.isDigit(part.charAt(0))) {
                Integer number = DateTimeWords.month(part);
                if (number == null || (known & MONTH) != 0) {
                    throw fault.badFormat();
                }
                date.readMonthName(number, known);
                found |= MONTH;
                known |= MONTH;
            }
        }
        for (String part : parts) {
            if (DateTimeFields.isDigit(part.charAt(0))) {
                int next = decodeNumber(part);
                if ((known & next) != 0) {
                    throw fault.badFormat();
                }
                found |= next;
                known |= next;
            }
        }
        if ((known & ~(DAY_OF_YEAR | ZONE)) != DATE) {
            throw fault.badFormat();
        }
        known = before;
        date.setHasMonthName(hadMonthName);
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
            throw fault.badFormat();
        }
        if (whole.length() > 9) {
            throw fault.fieldOverflow();
        }
        int value = Integer.parseInt(whole);
        if (point >= 0) {
            if (point > 2) {
                return decodeRunTogether(field, known | DATE);
            }
            time.readFraction(field.substring(point));
        }
        return (known & DATE) == DATE ? decodeRunTogether(field, known) : date.readNumber(value, field.length(), known);
    }

    /// `20240229`, `240229`, `040506`, `0405`, each perhaps with a fraction of a second.
    private int decodeRunTogether(String field, int knownThen) {
        int point = field.indexOf('.');
        String digits = point < 0 ? field : field.substring(0, point);
        int length = digits.length();
        if (length > 12) {
            throw length > 25 ? fault.badFormat() : fault.fieldOverflow();
        }
        for (int at = 0; at < length; at++) {
            if (!DateTimeFields.isDigit(digits.charAt(at))) {
                throw fault.badFormat();
            }
        }
        if (point >= 0) {
            time.readFraction(field.substring(point));
        } else if ((knownThen & DATE) != DATE && length >= 6) {
            date.readDigits(digits);
            return DATE;
        }
        if ((knownThen & TIME) == 0 && (length == 6 || length == 4)) {
            time.readDigits(digits);
            return TIME;
        }
        throw fault.badFormat();
    }

    private int decodeOffset(String field) {
        zone = WrittenZone.ofOffset(field, fault);
        return ZONE;
    }

    private int decodeWord(String word) {
        WrittenZone abbreviated = WrittenZone.ofAbbreviation(word, moment.zone());
        if (abbreviated != null) {
            zone = abbreviated;
            return ZONE;
        }
        Integer month = DateTimeWords.month(word);
        if (month != null) {
            return date.readMonthName(month, known);
        }
        if (DateTimeWords.isWeekday(word)) {
            return WEEKDAY;
        }
        return switch (word) {
            case "at", "on" -> 0;
            case "am", "pm" -> {
                time.setHalfDay(word);
                yield HALF_DAY;
            }
            case "ad", "bc" -> {
                date.setEra(word);
                yield ERA;
            }
            case "epoch" -> whole(Meaning.EPOCH);
            case "infinity", "+infinity" -> whole(Meaning.LATE);
            case "-infinity" -> whole(Meaning.EARLY);
            case "now" -> {
                long local = localNow();
                date.set(Math.floorDiv(local, MICROS_PER_DAY));
                time.set(Math.floorMod(local, MICROS_PER_DAY));
                // The very instant, also where the local time is ambiguous.
                zone = new WrittenZone.Offset(
                        moment.zone().getRules().getOffset(moment.now()).getTotalSeconds());
                yield DATE | TIME | ZONE;
            }
            case "today", "tomorrow", "yesterday" -> {
                long today = Math.floorDiv(localNow(), MICROS_PER_DAY);
                date.set(today + (word.equals("tomorrow") ? 1 : word.equals("yesterday") ? -1 : 0));
                yield DATE;
            }
            case "allballs", "zulu" -> decodeZulu(word);
            case "dst" -> {
                zone = daylight();
                yield DAYLIGHT;
            }
            default -> {
                zone = WrittenZone.named(word);
                if (zone == null) {
                    throw fault.badFormat();
                }
                yield ZONE;
            }
        };
    }

    /// The zone so far, an hour further east.
    private WrittenZone daylight() {
        return switch (zone) {
            case WrittenZone.Offset(int seconds) -> new WrittenZone.Offset(seconds + 3600);
            case WrittenZone.Abbreviated(PgZone abbreviated)
            when abbreviated.fixedOffset() != null -> new WrittenZone.Offset(abbreviated.fixedOffset() + 3600);
            case WrittenZone.Abbreviated _ -> throw fault.badFormat();
            case WrittenZone.Named _ -> throw fault.badFormat();
            case null -> throw fault.badFormat();
        };
    }

    private int decodeZulu(String word) {
        zone = new WrittenZone.Offset(0);
        if (word.equals("zulu")) {
            return ZONE;
        }
        time.set(0);
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
            throw fault.badFormat();
        }
        if ((known & DATE) == DATE) {
            validate();
            return;
        }
        // A zone by name means nothing without its day.
        if ((known & ~(TIME | ZONE | HALF_DAY | DAYLIGHT)) != 0 || zone instanceof WrittenZone.Named) {
            throw fault.badFormat();
        }
        time.applyHalfDay();
        time.check();
    }

    private void validate() {
        date.validate(known);
        time.applyHalfDay();
        if ((known & DATE) != DATE) {
            throw fault.badFormat();
        }
        time.check();
    }
}
