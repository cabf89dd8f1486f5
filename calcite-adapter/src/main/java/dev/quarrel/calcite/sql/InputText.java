package dev.quarrel.calcite.sql;

import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.time.DateTimeException;
import java.time.LocalDate;
import java.time.LocalTime;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// Reads string literals as values of a type, as PostgreSQL's input functions do.
///
/// - Errors: 22P02, 22003, 22007, 22008 with PostgreSQL's message, without a position.
final class InputText {
    private static final Pattern ISO_DATE = Pattern.compile("(\\d{4,})-(\\d{1,2})-(\\d{1,2})");
    private static final Pattern COMPACT_DATE = Pattern.compile("(\\d{4})(\\d{2})(\\d{2})");
    private static final Pattern US_DATE = Pattern.compile("(\\d{1,2})[/-](\\d{1,2})[/-](\\d{4})");
    private static final Pattern MONTH_FIRST = Pattern.compile("([a-z]{3,})\\.?\\s+(\\d{1,2}),?\\s+(\\d{4})");
    private static final Pattern DAY_FIRST = Pattern.compile("(\\d{1,2})[\\s-]+([a-z]{3,})[\\s-]+(\\d{4})");
    private static final Pattern TIMESTAMP = Pattern.compile(
            "(?<date>.*?[\\d)])(?:[\\sT]+(?<h>\\d{1,2}):(?<m>\\d{2})(?::(?<s>\\d{2})(?<f>\\.\\d*)?)?\\s*(?<pm>am|pm)?"
                    + "\\s*(?<zone>z|utc|gmt|[+-]\\d{1,2}(?::?\\d{2})?)?)?",
            Pattern.CASE_INSENSITIVE);
    private static final Pattern FLOAT = Pattern.compile("[+-]?(\\d+(\\.\\d*)?|\\.\\d+)([eE][+-]?\\d+)?");
    private static final List<String> MONTHS =
            List.of("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec");
    private static final long MICROS_PER_SECOND = 1_000_000L;

    private InputText() {}

    static boolean bool(String text) {
        String word = text.trim().toLowerCase(Locale.ROOT);
        if (!word.isEmpty()) {
            if ("true".startsWith(word) || "yes".startsWith(word) || word.equals("on") || word.equals("1")) {
                return true;
            }
            if ("false".startsWith(word)
                    || "no".startsWith(word)
                    || word.equals("of")
                    || word.equals("off")
                    || word.equals("0")) {
                return false;
            }
        }
        throw badSyntax("boolean", text);
    }

    static long integer(String text, SqlType type) {
        String digits = text.trim();
        if (digits.startsWith("+")) {
            digits = digits.substring(1);
        }
        if (!digits.matches("-?\\d+")) {
            throw badSyntax(type.displayName(), text);
        }
        BigInteger value = new BigInteger(digits);
        int bits =
                switch (type) {
                    case INT2 -> 15;
                    case INT4 -> 31;
                    default -> 63;
                };
        boolean outside = type.isObjectId() ? value.bitLength() > 32 : value.bitLength() > bits;
        if (outside) {
            throw new QueryException(
                    SqlState.NUMERIC_VALUE_OUT_OF_RANGE,
                    "value \"" + text + "\" is out of range for type " + type.displayName());
        }
        return type.isObjectId() ? value.longValue() & 0xFFFF_FFFFL : value.longValue();
    }

    static BigDecimal numeric(String text) {
        String digits = text.trim();
        if (!FLOAT.matcher(digits).matches()) {
            if (digits.toLowerCase(Locale.ROOT).matches("nan|[+-]?inf(inity)?")) {
                throw new QueryException(SqlState.FEATURE_NOT_SUPPORTED, "numeric " + digits + " is not supported");
            }
            throw badSyntax("numeric", text);
        }
        BigDecimal value = new BigDecimal(digits);
        if (Math.abs((long) value.scale()) > 20_000) {
            throw numericOverflow();
        }
        return value.scale() < 0 ? value.setScale(0) : value;
    }

    static QueryException numericOverflow() {
        return new QueryException(SqlState.NUMERIC_VALUE_OUT_OF_RANGE, "value overflows numeric format")
                .withDetail("Quarrel holds numeric values of at most 38 digits.");
    }

    static double float8(String text) {
        double value = floating(text, "double precision");
        if (Double.isInfinite(value) && FLOAT.matcher(text.trim()).matches() || isUnderflow(value, text)) {
            throw new QueryException(
                    SqlState.NUMERIC_VALUE_OUT_OF_RANGE,
                    "\"" + text.trim() + "\" is out of range for type double precision");
        }
        return value;
    }

    static float float4(String text) {
        floating(text, "real");
        boolean digits = FLOAT.matcher(text.trim()).matches();
        float value = digits ? Float.parseFloat(text.trim()) : (float) floating(text, "real");
        if (digits && Float.isInfinite(value) || isUnderflow(value, text)) {
            throw new QueryException(
                    SqlState.NUMERIC_VALUE_OUT_OF_RANGE, "\"" + text.trim() + "\" is out of range for type real");
        }
        return value;
    }

    private static boolean isUnderflow(double value, String text) {
        return value == 0 && text.trim().split("[eE]", 2)[0].chars().anyMatch(each -> each >= '1' && each <= '9');
    }

    private static double floating(String text, String typeName) {
        String digits = text.trim();
        return switch (digits.toLowerCase(Locale.ROOT)) {
            case "nan" -> Double.NaN;
            case "inf", "+inf", "infinity", "+infinity" -> Double.POSITIVE_INFINITY;
            case "-inf", "-infinity" -> Double.NEGATIVE_INFINITY;
            default -> {
                if (!FLOAT.matcher(digits).matches()) {
                    throw badSyntax(typeName, text);
                }
                yield Double.parseDouble(digits);
            }
        };
    }

    /// Days since 1970-01-01.
    static long date(String text) {
        Matcher whole = TIMESTAMP.matcher(text.trim());
        if (!whole.matches()) {
            throw badDate("date", text);
        }
        return day(whole.group("date"), "date", text).toEpochDay();
    }

    /// Microseconds since 1970-01-01T00:00; a zone is read and passed over, as in PostgreSQL.
    static long timestamp(String text) {
        return micros(text, "timestamp without time zone", ZoneOffset.UTC, false);
    }

    /// Microseconds since 1970-01-01T00:00 UTC.
    static long timestamptz(String text) {
        return micros(text, "timestamp with time zone", ZoneOffset.UTC, true);
    }

    private static long micros(String text, String typeName, ZoneOffset standard, boolean withZone) {
        Matcher matcher = TIMESTAMP.matcher(text.trim());
        if (!matcher.matches()) {
            throw badDate(typeName, text);
        }
        LocalDate day = day(matcher.group("date"), typeName, text);
        long micros = 0;
        if (matcher.group("h") != null) {
            micros = timeOfDay(matcher, text);
        }
        ZoneOffset zone = standard;
        if (withZone && matcher.group("zone") != null) {
            zone = zone(matcher.group("zone"), text);
        }
        long seconds = Math.multiplyExact(day.toEpochDay(), 86_400L) - zone.getTotalSeconds();
        return Math.addExact(Math.multiplyExact(seconds, MICROS_PER_SECOND), micros);
    }

    private static long timeOfDay(Matcher matcher, String text) {
        int hour = Integer.parseInt(matcher.group("h"));
        int minute = Integer.parseInt(matcher.group("m"));
        int second = matcher.group("s") == null ? 0 : Integer.parseInt(matcher.group("s"));
        if (matcher.group("pm") != null) {
            hour = hour % 12 + (matcher.group("pm").equalsIgnoreCase("pm") ? 12 : 0);
        }
        BigDecimal fraction = matcher.group("f") == null || matcher.group("f").length() == 1
                ? BigDecimal.ZERO
                : new BigDecimal("0" + matcher.group("f"));
        boolean midnight = hour == 24 && minute == 0 && second == 0 && fraction.signum() == 0;
        if (hour > 23 && !midnight || minute > 59 || second > 60) {
            throw outOfRange(text);
        }
        long whole = ((long) hour * 60 + minute) * 60 + second;
        return whole * MICROS_PER_SECOND
                + fraction.movePointRight(6)
                        .setScale(0, java.math.RoundingMode.HALF_EVEN)
                        .longValueExact();
    }

    private static ZoneOffset zone(String name, String text) {
        if (Character.isLetter(name.charAt(0))) {
            return ZoneOffset.UTC;
        }
        String digits = name.substring(1).replace(":", "");
        int hours = Integer.parseInt(digits.length() > 2 ? digits.substring(0, digits.length() - 2) : digits);
        int minutes = digits.length() > 2 ? Integer.parseInt(digits.substring(digits.length() - 2)) : 0;
        int sign = name.charAt(0) == '-' ? -1 : 1;
        try {
            return ZoneOffset.ofHoursMinutes(sign * hours, sign * minutes);
        } catch (DateTimeException e) {
            throw new QueryException(
                    SqlState.DATETIME_FIELD_OVERFLOW, "time zone displacement out of range: \"" + text + "\"", e);
        }
    }

    private static LocalDate day(String part, String typeName, String text) {
        String words = part.trim().toLowerCase(Locale.ROOT);
        Matcher matcher = ISO_DATE.matcher(words);
        if (matcher.matches()) {
            return day(matcher.group(1), matcher.group(2), matcher.group(3), text);
        }
        matcher = COMPACT_DATE.matcher(words);
        if (matcher.matches()) {
            return day(matcher.group(1), matcher.group(2), matcher.group(3), text);
        }
        matcher = US_DATE.matcher(words);
        if (matcher.matches()) {
            return day(matcher.group(3), matcher.group(1), matcher.group(2), text);
        }
        matcher = MONTH_FIRST.matcher(words);
        if (matcher.matches()) {
            return day(matcher.group(3), month(matcher.group(1), typeName, text), matcher.group(2), text);
        }
        matcher = DAY_FIRST.matcher(words);
        if (matcher.matches()) {
            return day(matcher.group(3), month(matcher.group(2), typeName, text), matcher.group(1), text);
        }
        throw badDate(typeName, text);
    }

    private static String month(String name, String typeName, String text) {
        int month = MONTHS.indexOf(name.substring(0, 3));
        if (month < 0) {
            throw badDate(typeName, text);
        }
        return Integer.toString(month + 1);
    }

    private static LocalDate day(String year, String month, String day, String text) {
        try {
            return LocalDate.of(Integer.parseInt(year), Integer.parseInt(month), Integer.parseInt(day));
        } catch (DateTimeException | NumberFormatException e) {
            QueryException error = outOfRange(text);
            error.addSuppressed(e);
            throw Integer.parseInt(month) > 12
                    ? error.withHint("Perhaps you need a different \"datestyle\" setting.")
                    : error;
        }
    }

    /// PostgreSQL's text of a day, for plans.
    static String dateText(long days) {
        return LocalDate.ofEpochDay(days).toString();
    }

    /// `1998-09-02 00:00:00[.ffffff]`.
    static String timestampText(long micros) {
        long day = Math.floorDiv(micros, IntervalValue.DAY);
        LocalTime time = LocalTime.ofNanoOfDay(Math.floorMod(micros, IntervalValue.DAY) * 1_000);
        String fraction = "";
        int nano = time.getNano();
        if (nano != 0) {
            fraction = "." + String.format(Locale.ROOT, "%06d", nano / 1_000).replaceAll("0+$", "");
        }
        return dateText(day)
                + String.format(Locale.ROOT, " %02d:%02d:%02d", time.getHour(), time.getMinute(), time.getSecond())
                + fraction;
    }

    private static QueryException badSyntax(String typeName, String text) {
        return new QueryException(
                SqlState.INVALID_TEXT_REPRESENTATION,
                "invalid input syntax for type " + typeName + ": \"" + text + "\"");
    }

    static QueryException badDate(String typeName, String text) {
        String name =
                typeName.startsWith("timestamp with ") || !typeName.startsWith("timestamp") ? typeName : "timestamp";
        return new QueryException(
                SqlState.INVALID_DATETIME_FORMAT, "invalid input syntax for type " + name + ": \"" + text + "\"");
    }

    private static QueryException outOfRange(String text) {
        return new QueryException(
                SqlState.DATETIME_FIELD_OVERFLOW, "date/time field value out of range: \"" + text + "\"");
    }
}
