package dev.quarrel.core.pg;

import dev.quarrel.core.type.CivilDate;
import java.time.Instant;

/// A time of day with the offset of its zone.
///
/// - Source: PostgreSQL's `date.c`.
///
/// @param micros since midnight there
/// @param west seconds west of Greenwich
public record TimeTz(long micros, int west) implements Comparable<TimeTz> {
    private static final int SECONDS_PER_DAY = 86_400;

    /// Reads what [#text] wrote.
    public static TimeTz of(String text) {
        int sign = Math.max(text.lastIndexOf('+'), text.lastIndexOf('-'));
        int seconds = 0;
        int unit = 3600;
        for (String part : text.substring(sign + 1).split(":", -1)) {
            seconds += unit * Integer.parseInt(part);
            unit /= 60;
        }
        return new TimeTz(PgParse.time(text.substring(0, sign)), text.charAt(sign) == '+' ? -seconds : seconds);
    }

    /// - Errors: as for a time; 22007 where a named zone's offset depends on a date that is not there.
    public static TimeTz parse(String text, PgParse.Moment moment) {
        return DateTimeParser.timeTz(text, moment);
    }

    /// A time of day with the offset that a zone has at that time today.
    public static TimeTz ofTime(long micros, PgZone zone) {
        long now = Instant.now().getEpochSecond();
        long today = Math.floorDiv(now + zone.offsetAt(now), SECONDS_PER_DAY);
        long local = today * SECONDS_PER_DAY + micros / CivilDate.MICROS_PER_SECOND;
        return new TimeTz(micros, -zone.offsetOfLocal(local));
    }

    /// The time of day that an instant, in microseconds since 1970, is in a zone.
    ///
    /// - Preconditions: it is finite.
    public static TimeTz ofInstant(long micros, PgZone zone) {
        int offset = zone.offsetAt(Math.floorDiv(micros, CivilDate.MICROS_PER_SECOND));
        return new TimeTz(Math.floorMod(zone.toLocal(micros), CivilDate.MICROS_PER_DAY), -offset);
    }

    public String text() {
        TextBuffer out = new TextBuffer();
        PgText.appendTime(micros, out);
        int seconds = Math.abs(west);
        out.append(west <= 0 ? '+' : '-');
        out.appendAscii("%02d".formatted(seconds / 3600));
        if (seconds % 3600 != 0) {
            out.appendAscii(":%02d".formatted(seconds / 60 % 60));
        }
        if (seconds % 60 != 0) {
            out.appendAscii(":%02d".formatted(seconds % 60));
        }
        return out.toString();
    }

    /// Microseconds since midnight in Greenwich, by which values order: before 0, and after a day's end, too.
    public long utcMicros() {
        return micros + west * CivilDate.MICROS_PER_SECOND;
    }

    @Override
    public int compareTo(TimeTz other) {
        int order = Long.compare(utcMicros(), other.utcMicros());
        return order != 0 ? order : Integer.compare(west, other.west);
    }

    public TimeTz rounded(int digits) {
        return new TimeTz(SecondDigits.roundTime(micros, digits), west);
    }

    /// The same time in another zone, on the same day.
    public TimeTz at(int otherWest) {
        long moved = utcMicros() - otherWest * CivilDate.MICROS_PER_SECOND;
        return new TimeTz(Math.floorMod(moved, CivilDate.MICROS_PER_DAY), otherWest);
    }
}
