package dev.quarrel.core.pg;

import static dev.quarrel.core.type.CivilDate.MICROS_PER_SECOND;

import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;
import java.time.Instant;
import java.time.ZoneId;
import java.time.zone.ZoneRules;
import java.util.Locale;

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

    /// MSK, the one abbreviation of which PostgreSQL knows the history here.
    record MoscowTime() implements WrittenZone {
        static final int STANDARD_SECONDS = 3 * 3600;

        private static final PgZone MOSCOW = PgZone.of(ZoneId.of("Europe/Moscow"));

        /// From 2011-03-27 to 2014-10-26 MSK was four hours east.
        private static final long MSK_PLUS_4_START =
                Instant.parse("2011-03-26T23:00:00Z").getEpochSecond();

        private static final long MSK_PLUS_4_END =
                Instant.parse("2014-10-25T22:00:00Z").getEpochSecond();

        @Override
        public int offset(long localMicros) {
            long instant = Math.floorDiv(localMicros, MICROS_PER_SECOND)
                    - MOSCOW.offsetOfLocal(Math.floorDiv(localMicros, MICROS_PER_SECOND));
            return instant >= MSK_PLUS_4_START && instant < MSK_PLUS_4_END ? STANDARD_SECONDS + 3600 : STANDARD_SECONDS;
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

    /// The zone of an abbreviation, or null for another word.
    ///
    /// - Errors: 0A000 where the session's zone may give it a meaning of its own.
    static WrittenZone ofAbbreviation(String word, ZoneId sessionZone) {
        ZoneRules ownRules = sessionZone.getRules();
        if (word.equals("lmt") && !ownRules.isFixedOffset()) {
            // Local mean time: what each zone showed first.
            return new Offset(ownRules.getOffset(Instant.MIN).getTotalSeconds());
        }
        Integer minutes = ZoneNames.minutes(word);
        if (minutes == null) {
            return null;
        }
        if (isUsedElsewhere(word, sessionZone) && !isUsed(sessionZone, minutes * 60)) {
            throw new QueryException(
                    SqlState.FEATURE_NOT_SUPPORTED,
                    "the time zone abbreviation \"" + word.toUpperCase(Locale.ROOT)
                            + "\" is not supported in the time zone " + sessionZone);
        }
        return word.equals("msk") ? new MoscowTime() : new Offset(minutes * 60);
    }

    private static boolean isUsedElsewhere(String word, ZoneId zone) {
        return ZoneNames.elsewhere(word).stream()
                .anyMatch(seconds -> PgZone.of(zone).hasShown(seconds));
    }

    /// Whether a zone's clocks have ever shown the offset; one without a history has no abbreviations of its own.
    private static boolean isUsed(ZoneId zone, int seconds) {
        return zone.getRules().isFixedOffset() || PgZone.of(zone).hasShown(seconds);
    }

    /// The zone of a name in lower case, or null if there is none.
    static Named named(String name) {
        ZoneRules rules = ZoneNames.rules(name);
        return rules == null ? null : new Named(PgZone.of(rules));
    }
}
