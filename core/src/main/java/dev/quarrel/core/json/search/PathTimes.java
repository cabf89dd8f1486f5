package dev.quarrel.core.json.search;

import dev.quarrel.core.format.TimePicture;
import dev.quarrel.core.json.JsonValue;
import dev.quarrel.core.json.path.PathItem;
import dev.quarrel.core.pg.SecondDigits;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;
import java.math.BigDecimal;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/// The methods of SQL/JSON paths that make a date or time of a string: datetime(), date(), time(), time_tz(),
/// timestamp(), timestamp_tz().
///
/// - Source: PostgreSQL's `jsonpath_exec.c` (executeDateTimeMethod).
final class PathTimes {
    private static final List<TimePicture> DATES = pictures("yyyy-mm-dd");
    private static final List<TimePicture> TIMES =
            pictures("HH24:MI:SS.USTZ", "HH24:MI:SSTZ", "HH24:MI:SS.US", "HH24:MI:SS");
    private static final List<TimePicture> BLANK_TIMESTAMPS = pictures(
            "yyyy-mm-dd HH24:MI:SS.USTZ",
            "yyyy-mm-dd HH24:MI:SSTZ",
            "yyyy-mm-dd HH24:MI:SS.US",
            "yyyy-mm-dd HH24:MI:SS");
    private static final List<TimePicture> TIMESTAMPS = pictures(
            "yyyy-mm-dd\"T\"HH24:MI:SS.USTZ",
            "yyyy-mm-dd\"T\"HH24:MI:SSTZ",
            "yyyy-mm-dd\"T\"HH24:MI:SS.US",
            "yyyy-mm-dd\"T\"HH24:MI:SS");
    private static final Pattern CLOCK = Pattern.compile("\\s*[-+]?\\d+:.*", Pattern.DOTALL);

    private PathTimes() {}

    private static List<TimePicture> pictures(String... formats) {
        return Stream.of(formats).map(TimePicture::standard).toList();
    }

    /// - Errors: 22007, 22008, 22009, 22031; 0A000 where it takes a time zone that may not be used.
    static JsonValue of(PathItem item, JsonValue value, PathClock clock) {
        String method = item.kind().text();
        if (!(value instanceof JsonValue.Text(String text))) {
            throw PathRun.failure(
                    SqlState.INVALID_ARGUMENT_FOR_SQL_JSON_DATETIME_FUNCTION,
                    "jsonpath item method ." + method + "() can only be applied to a string");
        }
        boolean isFree = item.kind() == PathItem.Kind.DATETIME;
        if (isFree && item.left() != null) {
            return inFormat(text, TimePicture.standard((String) item.left().value()), clock);
        }
        int digits = item.left() == null ? -1 : digits(item);
        PathTime read = read(text, clock);
        if (read == null) {
            QueryException error = unrecognized(method, text);
            throw PathRun.failure(
                    isFree
                            ? error.withHint("Use a datetime template argument to specify the input data format.")
                            : error);
        }
        if (isFree) {
            return read;
        }
        PathTime time = read.as(kind(item), clock);
        if (time == null) {
            throw PathRun.failure(unrecognized(method, text));
        }
        return digits < 0 ? time : time.rounded(Math.min(digits, SecondDigits.MAX));
    }

    private static PathTime.Kind kind(PathItem item) {
        return switch (item.kind()) {
            case DATE -> PathTime.Kind.DATE;
            case TIME -> PathTime.Kind.TIME;
            case TIME_TZ -> PathTime.Kind.TIMETZ;
            case TIMESTAMP -> PathTime.Kind.TIMESTAMP;
            default -> PathTime.Kind.TIMESTAMPTZ;
        };
    }

    private static QueryException unrecognized(String method, String text) {
        return new QueryException(
                SqlState.INVALID_ARGUMENT_FOR_SQL_JSON_DATETIME_FUNCTION,
                method + " format is not recognized: \"" + text + "\"");
    }

    private static int digits(PathItem item) {
        BigDecimal digits = (BigDecimal) item.left().value();
        if (digits.unscaledValue().bitLength() > 31) {
            throw PathRun.failure(
                    SqlState.INVALID_ARGUMENT_FOR_SQL_JSON_DATETIME_FUNCTION,
                    "time precision of jsonpath item method ." + item.kind().text()
                            + "() is out of range for type integer");
        }
        return digits.intValue();
    }

    private static PathTime inFormat(String text, TimePicture picture, PathClock clock) {
        try {
            return PathTime.read(text, picture, clock);
        } catch (QueryException error) {
            throw isOurLimit(error) ? error : PathRun.failure(error);
        }
    }

    /// The first of SQL's formats that fits; null for none.
    private static PathTime read(String text, PathClock clock) {
        for (TimePicture picture : fitting(text)) {
            try {
                return PathTime.read(text, picture, clock);
            } catch (QueryException error) {
                if (isOurLimit(error)) {
                    throw error;
                }
            }
        }
        return null;
    }

    /// The formats that may fit: each way to write the text's beginning has its own.
    private static List<TimePicture> fitting(String text) {
        if (text.indexOf(':') < 0) {
            return DATES;
        }
        return CLOCK.matcher(text).matches() ? TIMES : text.indexOf('T') < 0 ? BLANK_TIMESTAMPS : both();
    }

    private static List<TimePicture> both() {
        return Stream.of(
                        BLANK_TIMESTAMPS.subList(0, 2),
                        TIMESTAMPS.subList(0, 2),
                        BLANK_TIMESTAMPS.subList(2, 4),
                        TIMESTAMPS.subList(2, 4))
                .flatMap(List::stream)
                .toList();
    }

    private static boolean isOurLimit(QueryException error) {
        return error.state() == SqlState.FEATURE_NOT_SUPPORTED;
    }
}
