package dev.quarrel.core.pg;

import static dev.quarrel.core.type.CivilDate.MICROS_PER_SECOND;

import java.time.ZoneId;
import java.time.zone.ZoneRules;

/// The time zone of a date or time, as a text says it: by its offset, an abbreviation, or its name.
///
/// - Source: PostgreSQL's `datetime.c` (DecodeTimezone, DecodeTimezoneAbbrev, DetermineTimeZoneOffset).
sealed interface WrittenZone {
    /// Seconds east of UTC at a local time.
    int offset(long localMicros);

    /// The same offset at all times.
    record Offset(int seconds) implements WrittenZone {
        @Override
        public int offset(long localMicros) {
            return seconds;
        }
    }

    /// One by an abbreviation: what it means may depend on the time.
    record Abbreviated(PgZone zone) implements WrittenZone {
        @Override
        public int offset(long localMicros) {
            return zone.offsetOfLocal(Math.floorDiv(localMicros, MICROS_PER_SECOND));
        }
    }

    /// One by its name.
    record Named(PgZone zone) implements WrittenZone {
        @Override
        public int offset(long localMicros) {
            return zone.offsetOfLocal(Math.floorDiv(localMicros, MICROS_PER_SECOND));
        }
    }

    /// `+05`, `-0800`, `+05:30`, `+05:30:15`.
    static Offset ofOffset(String field, DateTimeFault fault) {
        String body = field.substring(1);
        if (body.isEmpty() || !DateTimeFields.isDigit(body.charAt(0))) {
            throw fault.badFormat();
        }
        String[] parts = body.split(":", -1);
        if (parts.length > 3) {
            throw fault.badFormat();
        }
        int[] numbers = new int[3];
        for (int index = 0; index < parts.length; index++) {
            String part = parts[index];
            for (int at = 0; at < part.length(); at++) {
                if (!DateTimeFields.isDigit(part.charAt(at))) {
                    throw fault.badFormat();
                }
            }
            if (part.length() > 9) {
                throw fault.displacement();
            }
            numbers[index] = part.isEmpty() ? 0 : Integer.parseInt(part);
        }
        if (parts.length == 1 && field.length() > 3) {
            numbers[1] = numbers[0] % 100;
            numbers[0] /= 100;
        }
        if (numbers[0] > 15 || numbers[1] > 59 || numbers[2] > 59) {
            throw fault.displacement();
        }
        int seconds = (numbers[0] * 60 + numbers[1]) * 60 + numbers[2];
        return new Offset(field.charAt(0) == '-' ? -seconds : seconds);
    }

    /// The zone of an abbreviation in lower case, or null for another word. The session's zone may give it a meaning
    /// of its own.
    static Abbreviated ofAbbreviation(String word, ZoneId session) {
        PgZone own = ZoneAbbreviations.meaning(word, session);
        if (own == null) {
            own = ZoneNames.abbreviated(word);
        }
        return own == null ? null : new Abbreviated(own);
    }

    /// The zone of a name in lower case, or null if there is none.
    static Named named(String name) {
        ZoneRules rules = ZoneNames.rules(name);
        return rules == null ? null : new Named(PgZone.of(rules));
    }
}
