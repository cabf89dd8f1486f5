package dev.quarrel.calcite.sql.series;

import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;
import java.time.DateTimeException;
import java.time.LocalDateTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// The times that a text such as `2016-01` stands for: all of that month.
///
/// `2016-01;3d` ends three days later; `2016-01-01;1h;1d;4` is the day and the hour behind it, four times, a day apart.
public final class TimeRanges {
    private static final int MAX_RANGES = 1_000;
    private static final Pattern TIME = Pattern.compile(
            "(\\d{4})(?:-(\\d{1,2})(?:-(\\d{1,2})(?:[T ](\\d{1,2})(?::(\\d{1,2})(?::(\\d{1,2})(?:\\.(\\d{1,6}))?)?)?)?)?)?Z?");
    private static final Pattern DURATION = Pattern.compile("(-?\\d{1,9})([a-zA-Z]+)");

    private TimeRanges() {}

    /// Times from the first one on, without the last.
    public record Range(LocalDateTime from, LocalDateTime to) {}

    /// - Errors: 22007 for another text.
    public static List<Range> of(String text) {
        String[] parts = text.trim().split(";", -1);
        Matcher time = TIME.matcher(parts[0].trim());
        if (!time.matches() || parts.length == 3 || parts.length > 4) {
            throw wrong(text);
        }
        try {
            Range whole = whole(time);
            Range longer = parts.length == 1 ? whole : new Range(whole.from, moved(whole.to, parts[1], 1, text));
            if (parts.length < 4) {
                return longer.from.isBefore(longer.to) ? List.of(longer) : List.of();
            }
            int count = Integer.parseInt(parts[3].trim());
            if (count < 1 || count > MAX_RANGES) {
                throw wrong(text);
            }
            List<Range> ranges = new ArrayList<>();
            for (int index = 0; index < count; index++) {
                ranges.add(
                        new Range(moved(longer.from, parts[2], index, text), moved(longer.to, parts[2], index, text)));
            }
            return ranges;
        } catch (DateTimeException | NumberFormatException _) {
            throw wrong(text);
        }
    }

    /// When a text begins that says no minutes, as PostgreSQL reads a time; none for any other.
    static Optional<String> begin(String text) {
        Matcher time = TIME.matcher(text.trim());
        if (!time.matches() || time.group(5) != null) {
            return Optional.empty();
        }
        try {
            return Optional.of(whole(time).from.toString());
        } catch (DateTimeException _) {
            return Optional.empty();
        }
    }

    private static QueryException wrong(String text) {
        return new QueryException(SqlState.INVALID_DATETIME_FORMAT, "invalid time interval: \"" + text + "\"")
                .withHint("Intervals are written as in '2016', '2016-01', '2016-01-01T10', '2016-01;3d'.");
    }

    private static Range whole(Matcher time) {
        int year = number(time, 1, 1);
        LocalDateTime from = LocalDateTime.of(
                year,
                number(time, 2, 1),
                number(time, 3, 1),
                number(time, 4, 0),
                number(time, 5, 0),
                number(time, 6, 0));
        if (time.group(2) == null) {
            return new Range(from, from.plusYears(1));
        }
        if (time.group(3) == null) {
            return new Range(from, from.plusMonths(1));
        }
        if (time.group(4) == null) {
            return new Range(from, from.plusDays(1));
        }
        if (time.group(5) == null) {
            return new Range(from, from.plusHours(1));
        }
        if (time.group(6) == null) {
            return new Range(from, from.plusMinutes(1));
        }
        if (time.group(7) == null) {
            return new Range(from, from.plusSeconds(1));
        }
        String digits = time.group(7);
        long unit = 1;
        for (int digit = digits.length(); digit < 9; digit++) {
            unit *= 10;
        }
        LocalDateTime exact = from.plusNanos(Long.parseLong(digits) * unit);
        return new Range(exact, exact.plusNanos(unit));
    }

    private static int number(Matcher time, int group, int otherwise) {
        return time.group(group) == null ? otherwise : Integer.parseInt(time.group(group));
    }

    private static LocalDateTime moved(LocalDateTime time, String duration, int times, String text) {
        Matcher matcher = DURATION.matcher(duration.trim());
        if (!matcher.matches()) {
            throw wrong(text);
        }
        long count = Long.parseLong(matcher.group(1)) * times;
        return switch (matcher.group(2)) {
            case "u", "U" -> time.plusNanos(count * 1_000);
            case "T" -> time.plusNanos(count * 1_000_000);
            case "s" -> time.plusSeconds(count);
            case "m" -> time.plusMinutes(count);
            case "h" -> time.plusHours(count);
            case "d" -> time.plusDays(count);
            case "w" -> time.plusWeeks(count);
            case "M" -> time.plusMonths(count);
            case "y" -> time.plusYears(count);
            default -> throw wrong(text);
        };
    }
}
