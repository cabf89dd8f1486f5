package dev.quarrel.core.pg;

import dev.quarrel.core.ir.Literal;
import dev.quarrel.core.json.JsonScanner;
import dev.quarrel.core.json.JsonValue;
import dev.quarrel.core.json.path.JsonPathExpression;
import dev.quarrel.core.type.Bytes;
import dev.quarrel.core.type.DataType;
import dev.quarrel.core.type.Interval;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SpecialNumeric;
import dev.quarrel.core.type.SqlState;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.math.RoundingMode;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.Locale;
import java.util.UUID;

/// Converts text to values as PostgreSQL's input functions read it: for casts from text, parameters and
/// statistics.
///
/// - Errors: `QueryException` with PostgreSQL's SQLSTATE and message: 22P02 for text that is no such value, 22003 for
///   one that does not fit, 22007, 22008 and 22009 for dates and times.
/// - Source: PostgreSQL 18's `numutils.c`, `float.c`, `numeric.c`, `bool.c`, `datetime.c`.
public final class PgParse {
    private static final int MAX_NAME_BYTES = 63;
    private static final int MAX_NUMERIC_SCALE = 16_383;

    private PgParse() {}

    /// The time and the settings on which the text of a date or time may depend.
    ///
    /// @param zone the session's TimeZone: for a timestamptz whose text names none
    /// @param now for `now`, `today`, `tomorrow`, `yesterday`
    /// @param intervals the session's IntervalStyle: under sql_standard signs of intervals mean something else
    /// @param order of DateStyle
    public record Moment(ZoneId zone, Instant now, IntervalStyle intervals, DateOrder order) {
        public Moment(ZoneId zone, Instant now, IntervalStyle intervals) {
            this(zone, now, intervals, DateOrder.MDY);
        }

        public Moment(ZoneId zone, Instant now) {
            this(zone, now, IntervalStyle.POSTGRES);
        }

        public static Moment utc() {
            return new Moment(ZoneOffset.UTC, Instant.now());
        }
    }

    /// Reads `text` as the cast `'text'::type` does, with dates and times in UTC.
    public static Literal literal(String text, PgType.Declared type) {
        return literal(text, type, Moment.utc());
    }

    /// Reads `text` as the cast `'text'::type` does: a numeric is rounded to the declared scale, a varchar(n) or
    /// char(n) cut to n characters (char(n) filled up with blanks), a timestamp rounded to its digits.
    public static Literal literal(String text, PgType.Declared type, Moment moment) {
        DataType dataType = type.dataType();
        return new Literal(
                dataType,
                switch (type.type()) {
                    case BOOL -> bool(text);
                    case INT2 -> (long) int2(text);
                    case INT4 -> (long) int4(text);
                    case INT8 -> int8(text);
                    case OID, REGPROC, REGPROCEDURE, REGCLASS, REGTYPE, REGNAMESPACE, REGROLE, REGCOLLATION ->
                        oid(text);
                    case FLOAT4 -> float4(text);
                    case FLOAT8 -> float8(text);
                    case NUMERIC -> coerce(numeric(text), type);
                    case DATE -> (long) date(text, moment);
                    case TIMESTAMP -> SecondDigits.roundTimestamp(timestamp(text, moment), type.fractionDigits());
                    case TIMESTAMPTZ -> SecondDigits.roundTimestamp(timestampTz(text, moment), type.fractionDigits());
                    case TIME -> SecondDigits.roundTime(time(text, moment), type.fractionDigits());
                    case INTERVAL -> interval(text, type.typmod(), moment.intervals());
                    case VARCHAR, BPCHAR -> cut(text, type);
                    case TEXT, UNKNOWN -> text;
                    case JSON -> json(text);
                    case JSONB -> JsonValue.read(text).text();
                    case JSONPATH -> JsonPathExpression.stored(text);
                    case NAME -> cutToBytes(text, 63);
                    case CHAR -> character(text);
                    case BYTEA -> Bytes.of(bytea(text));
                    case UUID -> uuid(text);
                    default -> {
                        if (type.type().form() != null) {
                            yield type.type().form().read(text, type.typmod(), moment);
                        }
                        if (!type.type().isArray()) {
                            throw new QueryException(
                                    SqlState.FEATURE_NOT_SUPPORTED, "no values are read of type " + type.text());
                        }
                        if (type.type().isVector()) {
                            yield VectorText.read(text, type.type());
                        }
                        PgType.Declared element =
                                new PgType.Declared(type.type().element(), type.typmod());
                        yield ArrayInput.read(text, element, moment);
                    }
                });
    }

    /// The text of a `"char"`: its byte, which `\ooo` may give in octal digits; so is a byte above 127 shown, and zero
    /// as nothing.
    public static String character(String text) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        if (bytes.length == 0) {
            return "";
        }
        boolean isOctal = bytes.length == 4 && bytes[0] == '\\';
        int value = 0;
        for (int index = 1; index < 4 && isOctal; index++) {
            isOctal = bytes[index] >= '0' && bytes[index] <= '7';
            value = value << 3 | bytes[index] - '0';
        }
        return character(isOctal ? value : bytes[0]);
    }

    /// As [#character(String)], of a byte's lower eight bits.
    public static String character(int code) {
        int value = code & 0xFF;
        return value == 0 ? "" : value < 0x80 ? String.valueOf((char) value) : String.format("\\%03o", value);
    }

    /// The text itself.
    ///
    /// - Errors: 22P02 where it is no JSON.
    public static String json(String text) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        JsonScanner.check(bytes, 0, bytes.length);
        return text;
    }

    /// As many whole characters of a name as fit in 63 bytes.
    public static String name(String name) {
        return name(name, 0);
    }

    /// As many as leave that many bytes for something else.
    public static String name(String name, int reserved) {
        int limit = MAX_NAME_BYTES - reserved;
        if (name.length() * 3 <= limit) {
            return name;
        }
        int bytes = 0;
        for (int index = 0; index < name.length(); ) {
            int codePoint = name.codePointAt(index);
            bytes += codePoint < 0x80 ? 1 : codePoint < 0x800 ? 2 : codePoint < 0x10000 ? 3 : 4;
            if (bytes > limit) {
                return name.substring(0, index);
            }
            index += Character.charCount(codePoint);
        }
        return name;
    }

    public static boolean bool(String text) {
        String word = trimmed(text).toLowerCase(Locale.ROOT);
        boolean isTrue = (!word.isEmpty() && ("true".startsWith(word) || "yes".startsWith(word)))
                || word.equals("on")
                || word.equals("1");
        boolean isFalse = (!word.isEmpty() && ("false".startsWith(word) || "no".startsWith(word)))
                || word.equals("of")
                || word.equals("off")
                || word.equals("0");
        if (!isTrue && !isFalse) {
            throw syntax("boolean", text);
        }
        return isTrue;
    }

    /// 32 hexadecimal digits, with a hyphen after any four of them or none, in braces or not.
    public static UUID uuid(String text) {
        boolean inBraces = text.startsWith("{");
        int at = inBraces ? 1 : 0;
        long high = 0;
        long low = 0;
        for (int digit = 0; digit < 32; digit++) {
            int value = at < text.length() && text.charAt(at) < 0x80 ? Character.digit(text.charAt(at), 16) : -1;
            if (value < 0) {
                throw syntax("uuid", text);
            }
            if (digit < 16) {
                high = high << 4 | value;
            } else {
                low = low << 4 | value;
            }
            at++;
            if (digit % 4 == 3 && digit < 31 && at < text.length() && text.charAt(at) == '-') {
                at++;
            }
        }
        if (inBraces && at < text.length() && text.charAt(at) == '}') {
            at++;
            inBraces = false;
        }
        if (inBraces || at < text.length()) {
            throw syntax("uuid", text);
        }
        return new UUID(high, low);
    }

    /// Hex after `\x`, else bytes of which some are written `\\` or `\ooo`.
    ///
    /// - Errors: 22023 for bad hex, 22P02 for a bad escape.
    public static byte[] bytea(String text) {
        return ByteaFormat.parse(text);
    }

    public static short int2(String text) {
        return (short) integer(text, Short.MIN_VALUE, Short.MAX_VALUE, "smallint");
    }

    public static int int4(String text) {
        return (int) integer(text, Integer.MIN_VALUE, Integer.MAX_VALUE, "integer");
    }

    public static long int8(String text) {
        return integer(text, Long.MIN_VALUE, Long.MAX_VALUE, "bigint");
    }

    /// An unsigned 32-bit number, in decimal; -1 reads as 4294967295, as PostgreSQL has it.
    public static long oid(String text) {
        String number = trimmed(text);
        int start = !number.isEmpty() && (number.charAt(0) == '-' || number.charAt(0) == '+') ? 1 : 0;
        if (start == number.length() || skipDigits(number, start) < number.length()) {
            throw syntax("oid", text);
        }
        long value = number.length() > 15 ? Long.MAX_VALUE : Long.parseLong(number);
        if (value < Integer.MIN_VALUE || value > 0xFFFF_FFFFL) {
            throw integerRange(text, "oid");
        }
        return value & 0xFFFF_FFFFL;
    }

    /// Blanks, a sign, digits with single underscores between, blanks; or 0x, 0o, 0b and digits of that base.
    private static long integer(String text, long min, long max, String type) {
        int at = 0;
        int end = text.length();
        while (at < end && isSpace(text.charAt(at))) {
            at++;
        }
        boolean negative = at < end && text.charAt(at) == '-';
        if (at < end && (negative || text.charAt(at) == '+')) {
            at++;
        }
        int radix = radixAt(text, at);
        if (radix != 10) {
            at += 2;
        }
        // Summed as a negative number, since that range is the larger one.
        long value = 0;
        long lowest = Math.min(min, -max);
        int digits = 0;
        while (at < end) {
            char next = text.charAt(at);
            int digit = asciiDigit(next, radix);
            if (digit < 0) {
                boolean separates = next == '_'
                        && (digits > 0 || radix != 10)
                        && at + 1 < end
                        && asciiDigit(text.charAt(at + 1), radix) >= 0;
                if (!separates) {
                    break;
                }
                at++;
                continue;
            }
            // As PostgreSQL has it, one digit too many is out of range before what follows it is looked at.
            if (value < lowest / radix || value * radix < Long.MIN_VALUE + digit) {
                throw integerRange(text, type);
            }
            value = value * radix - digit;
            digits++;
            at++;
        }
        while (at < end && isSpace(text.charAt(at))) {
            at++;
        }
        if (digits == 0 || at < end) {
            throw syntax(type, text);
        }
        if (value < (negative ? min : -max)) {
            throw integerRange(text, type);
        }
        return negative ? value : -value;
    }

    private static QueryException integerRange(String text, String type) {
        return new QueryException(
                SqlState.NUMERIC_VALUE_OUT_OF_RANGE, "value \"" + text + "\" is out of range for type " + type);
    }

    private static int radixAt(String text, int at) {
        if (at + 2 >= text.length() || text.charAt(at) != '0') {
            return 10;
        }
        return switch (text.charAt(at + 1)) {
            case 'x', 'X' -> 16;
            case 'o', 'O' -> 8;
            case 'b', 'B' -> 2;
            default -> 10;
        };
    }

    private static int asciiDigit(char character, int radix) {
        return character < 128 ? Character.digit(character, radix) : -1;
    }

    public static float float4(String text) {
        String number = trimmed(text);
        int end = decimalEnd(number);
        if (end == 0) {
            return (float) specialFloat(number, text, "real");
        }
        String digits = number.substring(0, end);
        float value = Float.parseFloat(digits);
        if (Float.isInfinite(value) || (value == 0 && hasNonZeroDigit(digits))) {
            throw floatRange(digits, "real");
        }
        if (end < number.length()) {
            throw syntax("real", text);
        }
        return value;
    }

    /// Decimal digits, `NaN` and `Infinity`; C's hexadecimal floats, which PostgreSQL may take, are refused.
    public static double float8(String text) {
        String number = trimmed(text);
        int end = decimalEnd(number);
        if (end == 0) {
            return specialFloat(number, text, "double precision");
        }
        // As C's strtod has it, what follows the number is looked at only when the number itself is in range.
        String digits = number.substring(0, end);
        double value = Double.parseDouble(digits);
        if (Double.isInfinite(value) || (value == 0 && hasNonZeroDigit(digits))) {
            throw floatRange(digits, "double precision");
        }
        if (end < number.length()) {
            throw syntax("double precision", text);
        }
        return value;
    }

    private static QueryException floatRange(String number, String type) {
        return new QueryException(
                SqlState.NUMERIC_VALUE_OUT_OF_RANGE, "\"" + number + "\" is out of range for type " + type);
    }

    private static double specialFloat(String number, String text, String type) {
        boolean signed = !number.isEmpty() && (number.charAt(0) == '-' || number.charAt(0) == '+');
        double sign = signed && number.charAt(0) == '-' ? -1 : 1;
        return switch ((signed ? number.substring(1) : number).toLowerCase(Locale.ROOT)) {
            case "nan" -> Double.NaN;
            case "inf", "infinity" -> sign * Double.POSITIVE_INFINITY;
            default -> throw syntax(type, text);
        };
    }

    private static boolean isDecimal(String number) {
        int end = decimalEnd(number);
        return end > 0 && end == number.length();
    }

    /// Where the longest `[+-] digits [. digits] [e [+-] digits]` ends, with a digit before or after the point;
    /// 0 if none.
    static int decimalEnd(String number) {
        int at = 0;
        int end = number.length();
        if (at < end && (number.charAt(at) == '-' || number.charAt(at) == '+')) {
            at++;
        }
        int mantissa = at;
        at = skipDigits(number, at);
        int digits = at - mantissa;
        if (at < end && number.charAt(at) == '.') {
            int fraction = skipDigits(number, at + 1);
            digits += fraction - at - 1;
            at = fraction;
        }
        if (digits == 0) {
            return 0;
        }
        if (at < end && (number.charAt(at) == 'e' || number.charAt(at) == 'E')) {
            int exponent = at + 1;
            if (exponent < end && (number.charAt(exponent) == '-' || number.charAt(exponent) == '+')) {
                exponent++;
            }
            int exponentEnd = skipDigits(number, exponent);
            if (exponentEnd > exponent) {
                return exponentEnd;
            }
        }
        return at;
    }

    private static int skipDigits(String number, int start) {
        int at = start;
        while (at < number.length() && number.charAt(at) >= '0' && number.charAt(at) <= '9') {
            at++;
        }
        return at;
    }

    private static boolean hasNonZeroDigit(String number) {
        for (int at = 0; at < number.length(); at++) {
            char next = number.charAt(at);
            if (next == 'e' || next == 'E') {
                return false;
            }
            if (next >= '1' && next <= '9') {
                return true;
            }
        }
        return false;
    }

    /// A numeric: a BigDecimal with its display scale, or a SpecialNumeric.
    ///
    /// - Errors: 22003 beyond 38 digits, which PostgreSQL would hold.
    public static Object numeric(String text) {
        return numeric(text, DataType.Decimal.MAX_PRECISION);
    }

    /// A numeric of any number of digits.
    ///
    /// - Errors: 22003 beyond PostgreSQL's 131,072 digits before the point, and 16,383 behind it.
    public static Object wideNumeric(String text) {
        return numeric(text, Integer.MAX_VALUE);
    }

    private static Object numeric(String text, int maxDigits) {
        String number = trimmed(text);
        if (!isDecimal(number)) {
            return otherNumeric(number, text, maxDigits);
        }
        return decimalNumber(number, text, maxDigits);
    }

    private static BigDecimal decimalNumber(String number, String text, int maxDigits) {
        int exponentAt = Math.max(number.indexOf('e'), number.indexOf('E'));
        long exponent = 0;
        String mantissaText = number;
        if (exponentAt >= 0) {
            mantissaText = number.substring(0, exponentAt);
            String exponentText = number.substring(exponentAt + 1);
            if (exponentText.length() > 10) {
                throw overflows();
            }
            exponent = Long.parseLong(exponentText);
            if (Math.abs(exponent) > Integer.MAX_VALUE / 2) {
                throw overflows();
            }
        }
        BigDecimal mantissa = new BigDecimal(mantissaText);
        long scale = mantissa.scale() - exponent;
        if (scale > MAX_NUMERIC_SCALE) {
            throw overflows();
        }
        if (mantissa.signum() == 0) {
            return BigDecimal.ZERO.setScale((int) Math.max(scale, 0));
        }
        if (mantissa.precision() - scale > 131_072) {
            throw overflows();
        }
        if (mantissa.precision() - Math.min(scale, 0) > maxDigits) {
            throw tooManyDigits(text);
        }
        BigDecimal value = new BigDecimal(mantissa.unscaledValue(), (int) scale);
        return scale < 0 ? value.setScale(0) : value;
    }

    private static Object otherNumeric(String number, String text, int maxDigits) {
        boolean signed = !number.isEmpty() && (number.charAt(0) == '-' || number.charAt(0) == '+');
        boolean negative = signed && number.charAt(0) == '-';
        String unsigned = signed ? number.substring(1) : number;
        String word = unsigned.toLowerCase(Locale.ROOT);
        if (word.equals("nan") && !signed) {
            return SpecialNumeric.NAN;
        }
        if (word.equals("inf") || word.equals("infinity")) {
            return SpecialNumeric.ofSign(negative ? -1 : 1);
        }
        int radix = radixAt(unsigned, 0);
        String digits = (radix == 10 ? unsigned : unsigned.substring(2));
        if (!separatorsFit(digits, radix)) {
            throw syntax("numeric", text);
        }
        String plain = digits.replace("_", "");
        if (radix == 10) {
            if (!isDecimal(plain) || !Character.isDigit(digits.charAt(0)) && digits.charAt(0) != '.') {
                throw syntax("numeric", text);
            }
            BigDecimal value = decimalNumber(plain, text, maxDigits);
            return negative ? value.negate() : value;
        }
        for (int at = 0; at < plain.length(); at++) {
            if (asciiDigit(plain.charAt(at), radix) < 0) {
                throw syntax("numeric", text);
            }
        }
        BigInteger value = new BigInteger(plain, radix);
        BigDecimal decimal = new BigDecimal(negative ? value.negate() : value);
        if (decimal.precision() > 131_072) {
            throw overflows();
        }
        if (decimal.precision() > maxDigits) {
            throw tooManyDigits(text);
        }
        return decimal;
    }

    /// Whether every underscore stands between two digits (or after a base prefix), and there is one.
    private static boolean separatorsFit(String digits, int radix) {
        if (digits.isEmpty() || (radix == 10 && digits.indexOf('_') < 0)) {
            return false;
        }
        for (int at = digits.indexOf('_'); at >= 0; at = digits.indexOf('_', at + 1)) {
            boolean digitBefore = at == 0 ? radix != 10 : asciiDigit(digits.charAt(at - 1), radix) >= 0;
            boolean digitAfter = at + 1 < digits.length() && asciiDigit(digits.charAt(at + 1), radix) >= 0;
            if (!digitBefore || !digitAfter) {
                return false;
            }
        }
        return true;
    }

    private static QueryException overflows() {
        return new QueryException(SqlState.NUMERIC_VALUE_OUT_OF_RANGE, "value overflows numeric format");
    }

    /// 22003 for a numeric that has more digits than 38.
    public static QueryException tooManyDigits(String text) {
        String shown = text.length() > 60 ? text.substring(0, 60) + "…" : text;
        return new QueryException(
                        SqlState.NUMERIC_VALUE_OUT_OF_RANGE, "numeric \"" + shown + "\" has more than 38 digits")
                .withDetail("Quarrel computes with numerics of up to 38 digits.")
                .ofNarrowNumerics();
    }

    /// Rounds to the scale that `type` declares, half away from zero.
    ///
    /// @param number a BigDecimal or SpecialNumeric
    ///
    /// - Errors: 22003 "numeric field overflow" with PostgreSQL's detail; 0A000 for NaN.
    public static Object coerce(Object number, PgType.Declared type) {
        int precision = type.numericPrecision();
        if (precision < 0) {
            return number;
        }
        int scale = type.numericScale();
        if (!(number instanceof BigDecimal value)) {
            throw ((SpecialNumeric) number).unfit(precision, scale);
        }
        BigDecimal rounded = value.setScale(scale, RoundingMode.HALF_UP);
        if (rounded.signum() != 0 && rounded.precision() > precision) {
            int exponent = precision - scale;
            throw new QueryException(SqlState.NUMERIC_VALUE_OUT_OF_RANGE, "numeric field overflow")
                    .withDetail("A field with precision " + precision + ", scale " + scale
                            + " must round to an absolute value less than "
                            + (exponent == 0 ? "1" : "10^" + exponent) + ".");
        }
        if (type.dataType() instanceof DataType.Decimal(int _, int held)) {
            return rounded.setScale(held);
        }
        return scale < 0 ? rounded.setScale(0) : rounded;
    }

    /// Days since 1970-01-01; [PgText#DATE_INFINITY] and its opposite for the infinities.
    public static int date(String text, Moment moment) {
        return DateTimeParser.date(text, moment);
    }

    public static int date(String text) {
        return date(text, Moment.utc());
    }

    /// Microseconds since 1970-01-01T00:00; a zone in the text is ignored, as PostgreSQL ignores it.
    public static long timestamp(String text, Moment moment) {
        return DateTimeParser.timestamp(text, moment, false);
    }

    public static long timestamp(String text) {
        return timestamp(text, Moment.utc());
    }

    /// Microseconds since 1970-01-01T00:00 UTC.
    public static long timestampTz(String text, Moment moment) {
        return DateTimeParser.timestamp(text, moment, true);
    }

    public static long timestampTz(String text) {
        return timestampTz(text, Moment.utc());
    }

    /// Microseconds since midnight, 24:00:00 among them; a zone in the text is ignored, as PostgreSQL ignores it.
    public static long time(String text, Moment moment) {
        return DateTimeParser.time(text, moment);
    }

    public static long time(String text) {
        return time(text, Moment.utc());
    }

    /// @param typmod what fields and digits the value keeps, and which field a number without a unit counts
    ///     ([IntervalFields]); -1 for none
    public static Interval interval(String text, int typmod) {
        return IntervalParser.parse(text, typmod);
    }

    /// As it is read under an IntervalStyle.
    public static Interval interval(String text, int typmod, IntervalStyle style) {
        return IntervalParser.parse(text, typmod, style == IntervalStyle.SQL_STANDARD);
    }

    public static Interval interval(String text) {
        return interval(text, PgType.NO_TYPMOD);
    }

    private static String cut(String text, PgType.Declared type) {
        int length = type.length();
        if (length < 0) {
            return text;
        }
        int count = text.codePointCount(0, text.length());
        if (count > length) {
            return text.substring(0, text.offsetByCodePoints(0, length));
        }
        return type.type() == PgType.BPCHAR ? text + " ".repeat(length - count) : text;
    }

    private static String cutToBytes(String text, int limit) {
        int bytes = 0;
        for (int at = 0; at < text.length(); ) {
            int point = text.codePointAt(at);
            bytes += point < 0x80 ? 1 : point < 0x800 ? 2 : point < 0x10000 ? 3 : 4;
            if (bytes > limit) {
                return text.substring(0, at);
            }
            at += Character.charCount(point);
        }
        return text;
    }

    static QueryException syntax(String type, String text) {
        return new QueryException(
                SqlState.INVALID_TEXT_REPRESENTATION, "invalid input syntax for type " + type + ": \"" + text + "\"");
    }

    private static String trimmed(String text) {
        int start = 0;
        int end = text.length();
        while (start < end && isSpace(text.charAt(start))) {
            start++;
        }
        while (end > start && isSpace(text.charAt(end - 1))) {
            end--;
        }
        return text.substring(start, end);
    }

    /// C's isspace.
    static boolean isSpace(char character) {
        return character == ' ' || (character >= '\t' && character <= '\r');
    }
}
