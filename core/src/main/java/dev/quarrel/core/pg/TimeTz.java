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
        long micros = 0;
        long unit = CivilDate.MICROS_PER_SECOND;
        for (int at = 9; at < sign; at++) {
            unit /= 10;
            micros += unit * (text.charAt(at) - '0');
        }
        micros += seconds(text, 0) * CivilDate.MICROS_PER_SECOND;
        int offset = seconds(text, sign + 1);
        return new TimeTz(micros, text.charAt(sign) == '+' ? -offset : offset);
    }

    /// The seconds of `HH`, `HH:MM` or `HH:MM:SS` at `start`.
    private static int seconds(String text, int start) {
        int seconds = 0;
        int unit = 3600;
        int at = start;
        while (unit > 0 && at < text.length() && (at == start || text.charAt(at - 1) == ':')) {
            seconds += unit * (10 * (text.charAt(at) - '0') + text.charAt(at + 1) - '0');
            unit /= 60;
            at += 3;
        }
        return seconds;
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
        PgText.appendPadded(seconds / 3600, 2, out);
        if (seconds % 3600 != 0) {
            out.append(':');
            PgText.appendPadded(seconds / 60 % 60, 2, out);
        }
        if (seconds % 60 != 0) {
            out.append(':');
            PgText.appendPadded(seconds % 60, 2, out);
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
