package dev.quarrel.core.arrow.stats;

import static dev.quarrel.core.type.CivilDate.MICROS_PER_SECOND;

import dev.quarrel.core.pg.PgParse;
import dev.quarrel.core.pg.PgText;
import dev.quarrel.core.pg.TextBuffer;
import dev.quarrel.core.type.Bytes;
import dev.quarrel.core.type.DataType;
import dev.quarrel.core.type.QueryException;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.time.DateTimeException;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.ZoneOffset;
import java.util.Arrays;

/// Converts the bounds of statistics to PostgreSQL's text (UTC, DateStyle ISO), and back.
public final class StatsText {
    /// Longer text is cut: a minimum after this many bytes, a maximum rounded up.
    static final int MAX_TEXT_BYTES = 64;

    private static final String INFINITY = "infinity";
    private static final String MINUS_INFINITY = "-infinity";
    private static final String BEFORE_CHRIST = " BC";

    private StatsText() {}

    /// @param value in canonical form
    public static String format(DataType type, Object value) {
        return switch (type) {
            case DataType.Bool _ -> (Boolean) value ? "t" : "f";
            case DataType.Int16 _,
                    DataType.Int32 _,
                    DataType.Int64 _,
                    DataType.Uuid _,
                    DataType.Utf8 _,
                    DataType.Binary _ -> value.toString();
            case DataType.Float32 _, DataType.Float64 _ -> value.toString();
            case DataType.Decimal _, DataType.Numeric _ ->
                value instanceof BigDecimal number ? number.toPlainString() : value.toString();
            case DataType.Date _ -> {
                long days = (Long) value;
                yield days == Integer.MAX_VALUE
                        ? INFINITY
                        : days == Integer.MIN_VALUE ? MINUS_INFINITY : dated(LocalDate.ofEpochDay(days), "");
            }
            case DataType.Time _ -> {
                TextBuffer text = new TextBuffer(16);
                PgText.appendTime((Long) value, text);
                yield text.toString();
            }
            case DataType.Interval _ -> throw new IllegalArgumentException("statistics of intervals have no bounds");
            case DataType.Timestamp(boolean withZone) -> {
                long micros = (Long) value;
                if (micros == Long.MAX_VALUE || micros == Long.MIN_VALUE) {
                    yield micros > 0 ? INFINITY : MINUS_INFINITY;
                }
                LocalDateTime time = LocalDateTime.ofEpochSecond(
                        Math.floorDiv(micros, MICROS_PER_SECOND),
                        (int) Math.floorMod(micros, MICROS_PER_SECOND) * 1_000,
                        ZoneOffset.UTC);
                yield dated(time.toLocalDate(), " " + clock(time.toLocalTime()) + (withZone ? "+00" : ""));
            }
        };
    }

    private static String dated(LocalDate date, String rest) {
        int year = date.getYear();
        int shown = year > 0 ? year : 1 - year; // there is no year 0
        return "%04d-%02d-%02d".formatted(shown, date.getMonthValue(), date.getDayOfMonth())
                + rest
                + (year > 0 ? "" : BEFORE_CHRIST);
    }

    private static String clock(LocalTime time) {
        String seconds = "%02d:%02d:%02d".formatted(time.getHour(), time.getMinute(), time.getSecond());
        int micros = time.getNano() / 1_000;
        return micros == 0 ? seconds : seconds + ".%06d".formatted(micros).replaceFirst("0+$", "");
    }

    /// The canonical value, or null for text that is none of the type.
    public static Object parse(DataType type, String text) {
        try {
            return switch (type) {
                case DataType.Bool _ ->
                    switch (text) {
                        case "t", "true" -> Boolean.TRUE;
                        case "f", "false" -> Boolean.FALSE;
                        default -> null;
                    };
                case DataType.Int16 _ -> (long) Short.parseShort(text);
                case DataType.Int32 _ -> (long) Integer.parseInt(text);
                case DataType.Int64 _ -> Long.parseLong(text);
                case DataType.Float32 _ -> Float.parseFloat(text);
                case DataType.Float64 _ -> Double.parseDouble(text);
                case DataType.Decimal decimal -> new BigDecimal(text).setScale(decimal.scale());
                case DataType.Numeric _ -> new BigDecimal(text);
                case DataType.Date _ -> parseDate(text);
                case DataType.Timestamp(boolean withZone) -> parseTimestamp(text, withZone);
                case DataType.Uuid _ -> PgParse.uuid(text);
                case DataType.Time _ -> parseTime(text);
                case DataType.Interval _ -> null;
                case DataType.Utf8 _ -> text;
                case DataType.Binary _ -> Bytes.of(PgParse.bytea(text));
            };
        } catch (NumberFormatException
                | ArithmeticException
                | DateTimeException
                | IndexOutOfBoundsException
                | QueryException e) {
            return null;
        }
    }

    private static Object parseDate(String text) {
        return switch (text) {
            case INFINITY -> (long) Integer.MAX_VALUE;
            case MINUS_INFINITY -> (long) Integer.MIN_VALUE;
            default -> {
                boolean beforeChrist = text.endsWith(BEFORE_CHRIST);
                String date = beforeChrist ? text.substring(0, text.length() - BEFORE_CHRIST.length()) : text;
                yield (long) Math.toIntExact(day(date, beforeChrist));
            }
        };
    }

    private static long day(String date, boolean beforeChrist) {
        int monthDash = date.indexOf('-');
        int year = Integer.parseInt(date.substring(0, monthDash));
        int month = Integer.parseInt(date.substring(monthDash + 1, monthDash + 3));
        int day = Integer.parseInt(date.substring(monthDash + 4));
        return LocalDate.of(beforeChrist ? 1 - year : year, month, day).toEpochDay();
    }

    private static Object parseTime(String text) {
        return text.equals("24:00:00")
                ? DataType.Time.MICROS_PER_DAY
                : (Object) (LocalTime.parse(text).toNanoOfDay() / 1_000);
    }

    private static Object parseTimestamp(String text, boolean withZone) {
        if (text.equals(INFINITY) || text.equals(MINUS_INFINITY)) {
            return text.equals(INFINITY) ? Long.MAX_VALUE : Long.MIN_VALUE;
        }
        boolean beforeChrist = text.endsWith(BEFORE_CHRIST);
        String dated = beforeChrist ? text.substring(0, text.length() - BEFORE_CHRIST.length()) : text;
        if (withZone) {
            if (!dated.endsWith("+00")) {
                return null;
            }
            dated = dated.substring(0, dated.length() - 3);
        }
        int space = dated.indexOf(' ');
        LocalTime time = LocalTime.parse(dated.substring(space + 1));
        long seconds = Math.addExact(
                Math.multiplyExact(day(dated.substring(0, space), beforeChrist), 86_400L), time.toSecondOfDay());
        return Math.addExact(Math.multiplyExact(seconds, MICROS_PER_SECOND), time.getNano() / 1_000L);
    }

    /// A text no greater than `text`, short enough to be kept.
    static String lowerBound(String text) {
        return cut(text);
    }

    /// A text no less than `text`, short enough to be kept; null if there is none.
    static String upperBound(String text) {
        String cut = cut(text);
        if (cut.length() == text.length()) {
            return text;
        }
        // Raise the last character that can be raised, and drop what follows it.
        int end = cut.length();
        while (end > 0) {
            int last = cut.codePointBefore(end);
            int start = end - Character.charCount(last);
            if (last < Character.MAX_CODE_POINT) {
                int next = last + 1 == Character.MIN_SURROGATE ? Character.MAX_SURROGATE + 1 : last + 1;
                return cut.substring(0, start) + Character.toString(next);
            }
            end = start;
        }
        return null;
    }

    /// Bytes no greater than these, short enough to be kept.
    static Bytes lowerBound(Bytes bytes) {
        return bytes.length() <= MAX_TEXT_BYTES ? bytes : Bytes.of(Arrays.copyOf(bytes.toArray(), MAX_TEXT_BYTES));
    }

    /// Bytes no less than these, short enough to be kept; null if there are none.
    static Bytes upperBound(Bytes bytes) {
        if (bytes.length() <= MAX_TEXT_BYTES) {
            return bytes;
        }
        // Raise the last byte that can be raised, and drop what follows it.
        for (int last = MAX_TEXT_BYTES - 1; last >= 0; last--) {
            if (bytes.get(last) != -1) {
                byte[] raised = Arrays.copyOf(bytes.toArray(), last + 1);
                raised[last]++;
                return Bytes.of(raised);
            }
        }
        return null;
    }

    private static String cut(String text) {
        if (text.length() * 3L <= MAX_TEXT_BYTES || text.getBytes(StandardCharsets.UTF_8).length <= MAX_TEXT_BYTES) {
            return text;
        }
        int bytes = 0;
        int end = 0;
        while (end < text.length()) {
            int codePoint = text.codePointAt(end);
            bytes += codePoint < 0x80 ? 1 : codePoint < 0x800 ? 2 : codePoint < 0x10000 ? 3 : 4;
            if (bytes > MAX_TEXT_BYTES) {
                break;
            }
            end += Character.charCount(codePoint);
        }
        return text.substring(0, end);
    }
}
