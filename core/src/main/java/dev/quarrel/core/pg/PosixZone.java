package dev.quarrel.core.pg;

import java.time.DateTimeException;
import java.time.DayOfWeek;
import java.time.LocalTime;
import java.time.Month;
import java.time.ZoneOffset;
import java.time.zone.ZoneOffsetTransition;
import java.time.zone.ZoneOffsetTransitionRule;
import java.time.zone.ZoneRules;
import java.util.List;
import java.util.stream.Stream;

/// The reader of POSIX time zones such as `EST5EDT`, `<+03>-3` or `CET-1CEST,M3.5.0,M10.5.0/3`: offsets count west.
///
/// - Source: PostgreSQL's `localtime.c` (tzparse).
final class PosixZone {
    private static final String USUAL_RULES = ",M3.2.0,M11.1.0";

    /// The year of the first changes. Those before repeat what comes 400 years later ([PgZone]).
    static final int FIRST_YEAR = 1600;

    private final String text;
    private int at;

    private PosixZone(String text) {
        this.text = text;
    }

    /// The rules of a specification; null for another text, and for what java.time has no rules for.
    static ZoneRules rules(String text) {
        try {
            return new PosixZone(text).read();
        } catch (DateTimeException | IndexOutOfBoundsException | NumberFormatException _) {
            return null;
        }
    }

    private ZoneRules read() {
        name();
        ZoneOffset standard = offset();
        if (at == text.length()) {
            return ZoneRules.of(standard);
        }
        int nameStart = at;
        name();
        if (at == nameStart) {
            throw new DateTimeException(text);
        }
        boolean isAnHour = at == text.length() || text.charAt(at) == ',' || text.charAt(at) == ';';
        ZoneOffset daylight = isAnHour ? ZoneOffset.ofTotalSeconds(standard.getTotalSeconds() + 3600) : offset();
        PosixZone rules = this;
        if (at == text.length()) {
            rules = new PosixZone(USUAL_RULES);
        }
        rules.expect(",;");
        ZoneOffsetTransitionRule start = rules.rule(standard, standard, daylight);
        rules.expect(",");
        ZoneOffsetTransitionRule end = rules.rule(standard, daylight, standard);
        if (rules.at != rules.text.length()) {
            throw new DateTimeException(text);
        }
        // Without transitions of their own, rules are as good as none.
        List<ZoneOffsetTransition> first = Stream.of(start, end)
                .map(each -> each.createTransition(FIRST_YEAR))
                .sorted()
                .toList();
        ZoneOffset before = first.getFirst().getOffsetBefore();
        return ZoneRules.of(standard, before, List.of(), first, List.of(start, end));
    }

    private char peek() {
        return at < text.length() ? text.charAt(at) : '\0';
    }

    private void expect(String characters) {
        if (at == text.length() || characters.indexOf(text.charAt(at)) < 0) {
            throw new DateTimeException(text);
        }
        at++;
    }

    private void name() {
        if (peek() == '<') {
            at = text.indexOf('>', at) + 1;
            if (at == 0) {
                throw new DateTimeException(text);
            }
            return;
        }
        while (at < text.length() && "0123456789,-+".indexOf(text.charAt(at)) < 0) {
            at++;
        }
    }

    private int number() {
        int start = at;
        while (DateTimeFields.isDigit(peek())) {
            at++;
        }
        return Integer.parseInt(text.substring(start, at));
    }

    /// Hours, minutes, seconds, with a sign.
    private int seconds() {
        boolean isNegative = peek() == '-';
        if (isNegative || peek() == '+') {
            at++;
        }
        int seconds = number() * 3600;
        if (peek() == ':') {
            at++;
            seconds += checked(number()) * 60;
            if (peek() == ':') {
                at++;
                seconds += checked(number());
            }
        }
        return isNegative ? -seconds : seconds;
    }

    private int checked(int sixtieth) {
        if (sixtieth > 59) {
            throw new DateTimeException(text);
        }
        return sixtieth;
    }

    private ZoneOffset offset() {
        return ZoneOffset.ofTotalSeconds(-seconds());
    }

    /// `Mmonth.week.day/time`.
    private ZoneOffsetTransitionRule rule(ZoneOffset standard, ZoneOffset before, ZoneOffset after) {
        expect("M");
        Month month = Month.of(number());
        expect(".");
        int week = number();
        expect(".");
        int day = number();
        int time = 7200;
        if (peek() == '/') {
            at++;
            time = seconds();
        }
        if (week < 1 || week > 5 || day > 6) {
            throw new DateTimeException(text);
        }
        return ZoneOffsetTransitionRule.of(
                month,
                week == 5 ? -1 : week * 7 - 6,
                day == 0 ? DayOfWeek.SUNDAY : DayOfWeek.of(day),
                time == 86_400 ? LocalTime.MIDNIGHT : LocalTime.ofSecondOfDay(time),
                time == 86_400,
                ZoneOffsetTransitionRule.TimeDefinition.WALL,
                standard,
                before,
                after);
    }
}
