package dev.quarrel.core.cpu.expr;

import dev.quarrel.core.ir.DateField;
import dev.quarrel.core.ir.Literal;
import dev.quarrel.core.ir.Opcode;
import dev.quarrel.core.pg.ArrayText;
import dev.quarrel.core.pg.PgParse;
import dev.quarrel.core.pg.PgText;
import dev.quarrel.core.type.Bytes;
import dev.quarrel.core.type.DataType;
import dev.quarrel.core.type.Interval;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SpecialNumeric;
import dev.quarrel.core.type.SqlState;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.math.MathContext;
import java.math.RoundingMode;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.DayOfWeek;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.time.temporal.IsoFields;
import java.time.temporal.TemporalAdjusters;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.BitSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Objects;
import java.util.regex.Pattern;
import java.util.zip.CRC32;
import java.util.zip.CRC32C;
import java.util.zip.Checksum;

/// What an opcode gives for one row, computed with the JDK's own numbers, dates and strings: slow, plain and
/// independent of the vectors.
final class ScalarOracle {
    private static final BigInteger LIMIT = BigInteger.TEN.pow(38);
    private static final long DAY = 86_400_000_000L;

    private ScalarOracle() {}

    /// - Returns: the canonical value of the result's type, or null
    /// - Errors: the `QueryException` with the state that the row must raise
    static Object evaluate(Opcode op, int immediate, DataType result, List<DataType> types, List<Object> arguments) {
        String name = op.name();
        switch (op) {
            case IS_NULL -> {
                return arguments.getFirst() == null;
            }
            case IS_NOT_NULL -> {
                return arguments.getFirst() != null;
            }
            case IS_TRUE -> {
                return Boolean.TRUE.equals(arguments.getFirst());
            }
            case IS_FALSE -> {
                return Boolean.FALSE.equals(arguments.getFirst());
            }
            case AND, OR -> {
                boolean decisive = op == Opcode.OR;
                if (arguments.contains(decisive)) {
                    return decisive;
                }
                return arguments.contains(null) ? null : !decisive;
            }
            default -> {}
        }
        if (arguments.contains(null)) {
            return null;
        }
        Object a = arguments.get(0);
        Object b = arguments.size() > 1 ? arguments.get(1) : null;
        Object c = arguments.size() > 2 ? arguments.get(2) : null;
        if (List.of("EQ", "NE", "LT", "LE", "GT", "GE").contains(name.substring(0, 2)) && name.charAt(2) == '_') {
            int order = compare(types.getFirst(), a, b);
            return switch (name.substring(0, 2)) {
                case "EQ" -> order == 0;
                case "NE" -> order != 0;
                case "LT" -> order < 0;
                case "LE" -> order <= 0;
                case "GT" -> order > 0;
                default -> order >= 0;
            };
        }
        return switch (op) {
            case NOT -> !(Boolean) a;
            case ADD_INT16, ADD_INT32, ADD_INT64 -> integer(result, big(a).add(big(b)));
            case SUB_INT16, SUB_INT32, SUB_INT64 -> integer(result, big(a).subtract(big(b)));
            case MUL_INT16, MUL_INT32, MUL_INT64 -> integer(result, big(a).multiply(big(b)));
            case DIV_INT16, DIV_INT32, DIV_INT64 -> integer(result, big(a).divide(nonZero(big(b))));
            case MOD_INT16, MOD_INT32, MOD_INT64 -> integer(result, big(a).remainder(nonZero(big(b))));
            case NEG_INT16, NEG_INT32, NEG_INT64 -> integer(result, big(a).negate());
            case ABS_INT16, ABS_INT32, ABS_INT64 -> integer(result, big(a).abs());
            case ADD_FLOAT32, SUB_FLOAT32, MUL_FLOAT32, DIV_FLOAT32 -> float32(op, (Float) a, (Float) b);
            case ADD_FLOAT64, SUB_FLOAT64, MUL_FLOAT64, DIV_FLOAT64 -> float64(op, (Double) a, (Double) b);
            case NEG_FLOAT32 -> -(Float) a;
            case ABS_FLOAT32 -> Math.abs((Float) a);
            case NEG_FLOAT64 -> -(Double) a;
            case ABS_FLOAT64 -> Math.abs((Double) a);
            case FLOOR_FLOAT64 -> Math.floor((Double) a);
            case CEIL_FLOAT64 -> Math.ceil((Double) a);
            case ROUND_FLOAT64 -> Math.rint((Double) a);
            case ADD_DECIMAL, ADD_NUMERIC -> fitting(((BigDecimal) a).add((BigDecimal) b));
            case SUB_DECIMAL, SUB_NUMERIC -> fitting(((BigDecimal) a).subtract((BigDecimal) b));
            case MUL_DECIMAL, MUL_NUMERIC -> fitting(((BigDecimal) a).multiply((BigDecimal) b));
            case MOD_DECIMAL, MOD_NUMERIC -> remainder((BigDecimal) a, (BigDecimal) b);
            case DIV_NUMERIC -> divide((BigDecimal) a, (BigDecimal) b);
            case NEG_DECIMAL, NEG_NUMERIC -> ((BigDecimal) a).negate();
            case ABS_DECIMAL, ABS_NUMERIC -> ((BigDecimal) a).abs();
            case ROUND_NUMERIC -> rounded((BigDecimal) a, ((Long) b).intValue(), RoundingMode.HALF_UP);
            case TRUNC_NUMERIC -> rounded((BigDecimal) a, ((Long) b).intValue(), RoundingMode.DOWN);
            case FLOOR_NUMERIC -> fitting(((BigDecimal) a).setScale(0, RoundingMode.FLOOR));
            case CEIL_NUMERIC -> fitting(((BigDecimal) a).setScale(0, RoundingMode.CEILING));
            case CAST -> cast(types.getFirst(), result, a);
            case ADD_DATE_INT32 -> addDays((Long) a, (Long) b);
            case SUB_DATE_INT32 -> addDays((Long) a, -(Long) b);
            case SUB_DATE_DATE -> {
                if (isInfiniteDay((Long) a) || isInfiniteDay((Long) b)) {
                    throw fails(SqlState.DATETIME_FIELD_OVERFLOW);
                }
                yield (Long) a - (Long) b;
            }
            case EXTRACT_DATE -> {
                if (isInfiniteDay((Long) a)) {
                    throw fails(SqlState.FEATURE_NOT_SUPPORTED);
                }
                yield dayField(DateField.of(immediate), LocalDate.ofEpochDay((Long) a));
            }
            case EXTRACT_TIMESTAMP -> extract(DateField.of(immediate), (Long) a);
            case TRUNC_TIMESTAMP -> truncate(DateField.of(immediate), (Long) a);
            case LIKE -> like((String) a, (String) b, (String) c);
            case ILIKE -> like(lower((String) a), lower((String) b), lower((String) c));
            case REGEX ->
                Pattern.compile((String) b, Pattern.DOTALL).matcher((String) a).find();
            case REGEX_NOCASE ->
                Pattern.compile((String) b, Pattern.DOTALL | Pattern.CASE_INSENSITIVE)
                        .matcher((String) a)
                        .find();
            case LENGTH -> (long) points(a).length;
            case UPPER -> mapped((String) a, 'a', 'z', -32);
            case LOWER -> lower((String) a);
            case REVERSE -> new StringBuilder((String) a).reverse().toString();
            case CONCAT -> (String) a + b;
            case SUBSTRING -> {
                if ((Long) c < 0) {
                    throw fails(SqlState.SUBSTRING_ERROR);
                }
                yield slice(a, (Long) b - 1, (Long) b - 1 + (Long) c);
            }
            case SUBSTRING_FROM -> slice(a, (Long) b - 1, Long.MAX_VALUE);
            case LTRIM -> trim((String) a, (String) b, true, false);
            case RTRIM -> trim((String) a, (String) b, false, true);
            case BTRIM -> trim((String) a, (String) b, true, true);
            case REPLACE -> ((String) b).isEmpty() ? a : ((String) a).replace((String) b, (String) c);
            case POSITION -> {
                int found = ((String) a).indexOf((String) b);
                yield found < 0 ? 0L : ((String) a).codePointCount(0, found) + 1L;
            }
            case LEFT -> slice(a, 0, (Long) b < 0 ? points(a).length + (Long) b : (Long) b);
            // PostgreSQL negates in 32 bits, so that the least int32 leaves out nothing.
            case RIGHT ->
                slice(
                        a,
                        (Long) b < 0 ? Math.max(0, -((Long) b).intValue()) : points(a).length - (Long) b,
                        Long.MAX_VALUE);
            case UTF8_BYTES -> Bytes.of(((String) a).getBytes(StandardCharsets.UTF_8));
            case BYTES_UTF8 -> decoded(((Bytes) a).toArray());
            case LENGTH_BINARY -> (long) ((Bytes) a).length();
            case BIT_COUNT -> (long) new BigInteger(1, ((Bytes) a).toArray()).bitCount();
            case CONCAT_BINARY -> ofLatin(latin(a) + latin(b));
            case SUBSTRING_BINARY -> {
                if ((Long) c < 0) {
                    throw fails(SqlState.SUBSTRING_ERROR);
                }
                yield ofLatin(between(latin(a), (Long) b - 1, (Long) b - 1 + (Long) c));
            }
            case SUBSTRING_FROM_BINARY -> ofLatin(between(latin(a), (Long) b - 1, Long.MAX_VALUE));
            case POSITION_BINARY -> (long) latin(a).indexOf(latin(b)) + 1;
            case LTRIM_BINARY, RTRIM_BINARY, BTRIM_BINARY ->
                ofLatin(trim(latin(a), latin(b), op != Opcode.RTRIM_BINARY, op != Opcode.LTRIM_BINARY));
            case REVERSE_BINARY -> ofLatin(new StringBuilder(latin(a)).reverse().toString());
            case GET_BYTE -> (long) latin(a).charAt(indexed(a, b));
            case SET_BYTE -> {
                byte[] bytes = ((Bytes) a).toArray();
                bytes[indexed(a, b)] = ((Long) c).byteValue();
                yield Bytes.of(bytes);
            }
            case GET_BIT -> (long) bit(a, (Long) b);
            case SET_BIT -> {
                bit(a, (Long) b);
                if ((Long) c != 0 && (Long) c != 1) {
                    throw fails(SqlState.INVALID_PARAMETER_VALUE);
                }
                byte[] bytes = ((Bytes) a).toArray();
                BitSet bits = BitSet.valueOf(bytes);
                bits.set(Math.toIntExact((Long) b), (Long) c == 1);
                yield Bytes.of(Arrays.copyOf(bits.toByteArray(), bytes.length));
            }
            case LIKE_BINARY -> like(latin(a), latin(b), latin(c));
            case IN_INT64, IN_UTF8 -> ArrayText.parse((String) b).contains(String.valueOf(a));
            case ENCODE -> encoded(((Bytes) a).toArray(), (String) b);
            case DECODE -> decoded((String) a, (String) b);
            case MD5 -> HexFormat.of().formatHex(digest("MD5", a));
            case SHA224 -> Bytes.of(digest("SHA-224", a));
            case SHA256 -> Bytes.of(digest("SHA-256", a));
            case SHA384 -> Bytes.of(digest("SHA-384", a));
            case SHA512 -> Bytes.of(digest("SHA-512", a));
            case CRC32 -> checksum(new CRC32(), a);
            case CRC32C -> checksum(new CRC32C(), a);
            default -> IntervalOracle.evaluate(op, immediate, arguments);
        };
    }

    private static int bit(Object bytes, long index) {
        if (index < 0 || index >= ((Bytes) bytes).length() * 8L) {
            throw fails(SqlState.ARRAY_SUBSCRIPT_ERROR);
        }
        return BitSet.valueOf(((Bytes) bytes).toArray()).get((int) index) ? 1 : 0;
    }

    private static String latin(Object bytes) {
        return new String(((Bytes) bytes).toArray(), StandardCharsets.ISO_8859_1);
    }

    private static Bytes ofLatin(String bytes) {
        return Bytes.of(bytes.getBytes(StandardCharsets.ISO_8859_1));
    }

    private static String between(String text, long from, long end) {
        int start = (int) Math.clamp(from, 0, text.length());
        return text.substring(start, (int) Math.clamp(end, start, text.length()));
    }

    private static int indexed(Object bytes, Object index) {
        if ((Long) index < 0 || (Long) index >= ((Bytes) bytes).length()) {
            throw fails(SqlState.ARRAY_SUBSCRIPT_ERROR);
        }
        return Math.toIntExact((Long) index);
    }

    private static String decoded(byte[] bytes) {
        try {
            String text = StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(bytes))
                    .toString();
            if (text.indexOf(0) >= 0) {
                throw fails(SqlState.CHARACTER_NOT_IN_REPERTOIRE);
            }
            return text;
        } catch (CharacterCodingException _) {
            throw fails(SqlState.CHARACTER_NOT_IN_REPERTOIRE);
        }
    }

    private static String encoded(byte[] bytes, String format) {
        return switch (format) {
            case "hex" -> HexFormat.of().formatHex(bytes);
            case "base64" -> Base64.getMimeEncoder(76, new byte[] {'\n'}).encodeToString(bytes);
            case "escape" -> {
                StringBuilder text = new StringBuilder();
                for (byte each : bytes) {
                    text.append(
                            each <= 0
                                    ? "\\%03o".formatted(each & 0xFF)
                                    : each == '\\' ? "\\\\" : String.valueOf((char) each));
                }
                yield text.toString();
            }
            default -> throw fails(SqlState.INVALID_PARAMETER_VALUE);
        };
    }

    private static Bytes decoded(String text, String format) {
        switch (format) {
            case "hex" -> {
                String digits = text.replaceAll("[ \n\t\r]", "");
                boolean isSplit = Pattern.compile("(?:^|[ \n\t\r])(?:[0-9a-fA-F]{2})*[0-9a-fA-F][ \n\t\r]")
                        .matcher(text)
                        .find();
                if (!digits.matches("(?:[0-9a-fA-F]{2})*") || isSplit) {
                    throw fails(SqlState.INVALID_PARAMETER_VALUE);
                }
                return Bytes.of(HexFormat.of().parseHex(digits));
            }
            case "escape" -> {
                return Bytes.of(PgParse.bytea(text.startsWith("\\x") ? "\\" : text));
            }
            case "base64" -> {
                try {
                    String letters = text.replaceAll("[ \n\t\r]", "");
                    if (letters.length() % 4 != 0) {
                        throw fails(SqlState.INVALID_PARAMETER_VALUE);
                    }
                    return Bytes.of(Base64.getDecoder().decode(letters.getBytes(StandardCharsets.UTF_8)));
                } catch (IllegalArgumentException _) {
                    throw fails(SqlState.INVALID_PARAMETER_VALUE);
                }
            }
            default -> throw fails(SqlState.INVALID_PARAMETER_VALUE);
        }
    }

    private static byte[] digest(String algorithm, Object bytes) {
        try {
            return MessageDigest.getInstance(algorithm).digest(((Bytes) bytes).toArray());
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }

    private static long checksum(Checksum checksum, Object bytes) {
        checksum.update(((Bytes) bytes).toArray());
        return checksum.getValue();
    }

    private static QueryException fails(SqlState state) {
        return new QueryException(state, "the oracle says so");
    }

    private static int compare(DataType type, Object a, Object b) {
        return switch (type) {
            case DataType.Bool _ -> Boolean.compare((Boolean) a, (Boolean) b);
            case DataType.Float32 _ -> compareFloats((Float) a, (Float) b);
            case DataType.Float64 _ -> compareFloats((Double) a, (Double) b);
            case DataType.Decimal _, DataType.Numeric _ -> ((BigDecimal) a).compareTo((BigDecimal) b);
            case DataType.Uuid _ -> a.toString().compareTo(b.toString());
            case DataType.Binary _ -> Arrays.compareUnsigned(((Bytes) a).toArray(), ((Bytes) b).toArray());
            case DataType.Utf8 _ ->
                Arrays.compareUnsigned(
                        ((String) a).getBytes(StandardCharsets.UTF_8), ((String) b).getBytes(StandardCharsets.UTF_8));
            case DataType.Interval _ -> IntervalOracle.compare((Interval) a, (Interval) b);
            case DataType.Int16 _,
                    DataType.Int32 _,
                    DataType.Int64 _,
                    DataType.Date _,
                    DataType.Time _,
                    DataType.Timestamp _ -> Long.compare((Long) a, (Long) b);
        };
    }

    private static int compareFloats(double a, double b) {
        return Double.compare(a + 0.0, b + 0.0);
    }

    private static BigInteger big(Object value) {
        return BigInteger.valueOf((Long) value);
    }

    private static BigInteger nonZero(BigInteger value) {
        if (value.signum() == 0) {
            throw fails(SqlState.DIVISION_BY_ZERO);
        }
        return value;
    }

    private static Long integer(DataType type, BigInteger value) {
        int bits = type instanceof DataType.Int16 ? 15 : type instanceof DataType.Int32 ? 31 : 63;
        if (value.bitLength() > bits) {
            throw fails(SqlState.NUMERIC_VALUE_OUT_OF_RANGE);
        }
        return value.longValueExact();
    }

    private static Double float64(Opcode op, double a, double b) {
        if (op == Opcode.DIV_FLOAT64 && b == 0 && !Double.isNaN(a)) {
            throw fails(SqlState.DIVISION_BY_ZERO);
        }
        double value =
                switch (op) {
                    case ADD_FLOAT64 -> a + b;
                    case SUB_FLOAT64 -> a - b;
                    case MUL_FLOAT64 -> a * b;
                    default -> a / b;
                };
        boolean division = op == Opcode.DIV_FLOAT64;
        boolean infiniteArgument = Double.isInfinite(a) || !division && Double.isInfinite(b);
        boolean underflows =
                value == 0 && a != 0 && (op == Opcode.MUL_FLOAT64 && b != 0 || division && !Double.isInfinite(b));
        if (Double.isInfinite(value) && !infiniteArgument || underflows) {
            throw fails(SqlState.NUMERIC_VALUE_OUT_OF_RANGE);
        }
        return value;
    }

    private static Float float32(Opcode op, float a, float b) {
        if (op == Opcode.DIV_FLOAT32 && b == 0 && !Float.isNaN(a)) {
            throw fails(SqlState.DIVISION_BY_ZERO);
        }
        float value =
                switch (op) {
                    case ADD_FLOAT32 -> a + b;
                    case SUB_FLOAT32 -> a - b;
                    case MUL_FLOAT32 -> a * b;
                    default -> a / b;
                };
        boolean division = op == Opcode.DIV_FLOAT32;
        boolean infiniteArgument = Float.isInfinite(a) || !division && Float.isInfinite(b);
        boolean underflows =
                value == 0 && a != 0 && (op == Opcode.MUL_FLOAT32 && b != 0 || division && !Float.isInfinite(b));
        if (Float.isInfinite(value) && !infiniteArgument || underflows) {
            throw fails(SqlState.NUMERIC_VALUE_OUT_OF_RANGE);
        }
        return value;
    }

    private static BigDecimal fitting(BigDecimal value) {
        if (value.unscaledValue().abs().compareTo(LIMIT) >= 0) {
            throw fails(SqlState.NUMERIC_VALUE_OUT_OF_RANGE);
        }
        return value;
    }

    private static BigDecimal remainder(BigDecimal a, BigDecimal b) {
        if (b.signum() == 0) {
            throw fails(SqlState.DIVISION_BY_ZERO);
        }
        return fitting(a.remainder(b).setScale(Math.max(a.scale(), b.scale())));
    }

    /// `select_div_scale` on digits in base 10,000, laid out as PostgreSQL has them.
    private static BigDecimal divide(BigDecimal a, BigDecimal b) {
        if (b.signum() == 0) {
            throw fails(SqlState.DIVISION_BY_ZERO);
        }
        int[] first = weightAndDigit(a);
        int[] second = weightAndDigit(b);
        int weight = first[0] - second[0];
        if (first[1] <= second[1]) {
            weight--;
        }
        int scale = Math.max(Math.max(16 - weight * 4, 0), Math.max(a.scale(), b.scale()));
        return fitting(a.divide(b, Math.min(scale, 1000), RoundingMode.HALF_UP));
    }

    private static int[] weightAndDigit(BigDecimal value) {
        String[] parts = value.abs().toPlainString().split("\\.", -1);
        String whole = "0".repeat((4 - parts[0].length() % 4) % 4) + parts[0];
        String fraction = parts.length > 1 ? parts[1] : "";
        fraction += "0".repeat((4 - fraction.length() % 4) % 4);
        String digits = whole + fraction;
        for (int index = 0; index < digits.length(); index += 4) {
            int digit = Integer.parseInt(digits.substring(index, index + 4));
            if (digit != 0) {
                return new int[] {whole.length() / 4 - 1 - index / 4, digit};
            }
        }
        return new int[] {0, 0};
    }

    private static BigDecimal rounded(BigDecimal value, int digits, RoundingMode mode) {
        int clipped = Math.clamp(digits, -16_383, 16_383);
        BigDecimal result = value.setScale(clipped, mode);
        return fitting(clipped < 0 ? result.setScale(0) : result);
    }

    private static Object cast(DataType from, DataType to, Object value) {
        if (from instanceof DataType.Binary && to.byteWidth() > 0) {
            byte[] bytes = ((Bytes) value).toArray();
            if (bytes.length > to.byteWidth()) {
                throw fails(SqlState.NUMERIC_VALUE_OUT_OF_RANGE);
            }
            BigInteger number = new BigInteger(1, bytes);
            return switch (to) {
                case DataType.Int16 _ -> (long) number.shortValue();
                case DataType.Int32 _ -> (long) number.intValue();
                default -> number.longValue();
            };
        }
        if (to instanceof DataType.Binary && !(from instanceof DataType.Utf8)) {
            byte[] all = ByteBuffer.allocate(8).putLong((Long) value).array();
            return Bytes.of(Arrays.copyOfRange(all, 8 - from.byteWidth(), 8));
        }
        if (to instanceof DataType.Utf8) {
            return value instanceof Boolean ? value.toString() : PgText.text(new Literal(from, value));
        }
        if (from instanceof DataType.Utf8) {
            return parse(to, (String) value);
        }
        return switch (to) {
            case DataType.Bool _ -> (Long) value != 0;
            case DataType.Int16 _, DataType.Int32 _, DataType.Int64 _ -> integer(to, rounded(from, value));
            case DataType.Float32 _ -> toFloat32(value);
            case DataType.Float64 _ -> toFloat64(value);
            case DataType.Numeric _ -> special(value) != null ? special(value) : fitting(exact(value));
            case DataType.Decimal(int precision, int scale) -> {
                if (special(value) != null) {
                    throw special(value).unfit(precision, scale);
                }
                yield decimal(exact(value), precision, scale);
            }
            case DataType.Date _ -> {
                long micros = (Long) value;
                if (micros == Long.MAX_VALUE || micros == Long.MIN_VALUE) {
                    yield (long) (micros > 0 ? Integer.MAX_VALUE : Integer.MIN_VALUE);
                }
                yield Math.floorDiv(micros, DAY);
            }
            case DataType.Timestamp _ -> {
                if (from instanceof DataType.Timestamp) {
                    yield value;
                }
                long day = (Long) value;
                if (isInfiniteDay(day)) {
                    yield day > 0 ? Long.MAX_VALUE : Long.MIN_VALUE;
                }
                BigInteger micros = BigInteger.valueOf(day).multiply(BigInteger.valueOf(DAY));
                if (micros.bitLength() > 63 || day > 106_751_991) {
                    throw fails(SqlState.DATETIME_FIELD_OVERFLOW);
                }
                yield micros.longValueExact();
            }
            case DataType.Time _ -> {
                boolean isInterval = value instanceof Interval;
                long micros = value instanceof Interval interval ? interval.micros() : (Long) value;
                if (micros == Long.MAX_VALUE || micros == Long.MIN_VALUE) {
                    boolean isFinite = value instanceof Interval interval && interval.isFinite();
                    if (!isFinite) {
                        throw fails(isInterval ? SqlState.DATETIME_FIELD_OVERFLOW : SqlState.FEATURE_NOT_SUPPORTED);
                    }
                }
                yield Math.floorMod(micros, DAY);
            }
            case DataType.Interval _ -> new Interval(0, 0, (Long) value);
            case DataType.Uuid _, DataType.Utf8 _, DataType.Binary _ ->
                throw new IllegalArgumentException("seen above");
        };
    }

    private static Object parse(DataType to, String text) {
        return switch (to) {
            case DataType.Bool _ -> PgParse.bool(text);
            case DataType.Int16 _ -> (long) PgParse.int2(text);
            case DataType.Int32 _ -> (long) PgParse.int4(text);
            case DataType.Int64 _ -> PgParse.int8(text);
            case DataType.Float32 _ -> PgParse.float4(text);
            case DataType.Float64 _ -> PgParse.float8(text);
            case DataType.Numeric _ -> PgParse.numeric(text);
            case DataType.Decimal(int precision, int scale) ->
                switch (PgParse.numeric(text)) {
                    case SpecialNumeric special -> throw special.unfit(precision, scale);
                    case Object number -> decimal((BigDecimal) number, precision, scale);
                };
            case DataType.Date _ -> (long) PgParse.date(text);
            case DataType.Timestamp(boolean withZone) -> withZone ? PgParse.timestampTz(text) : PgParse.timestamp(text);
            case DataType.Uuid _ -> PgParse.uuid(text);
            case DataType.Binary _ -> Bytes.of(PgParse.bytea(text));
            case DataType.Time _ -> PgParse.time(text);
            case DataType.Interval _ -> PgParse.interval(text);
            case DataType.Utf8 _ -> throw new IllegalArgumentException("no cast");
        };
    }

    private static BigDecimal decimal(BigDecimal value, int precision, int scale) {
        BigDecimal result = value.setScale(scale, RoundingMode.HALF_UP);
        if (result.unscaledValue().abs().compareTo(BigInteger.TEN.pow(precision)) >= 0) {
            throw fails(SqlState.NUMERIC_VALUE_OUT_OF_RANGE);
        }
        return result;
    }

    private static BigInteger rounded(DataType from, Object value) {
        return switch (value) {
            case Boolean flag -> flag ? BigInteger.ONE : BigInteger.ZERO;
            case Long number -> BigInteger.valueOf(number);
            case BigDecimal number -> number.setScale(0, RoundingMode.HALF_UP).unscaledValue();
            case Float number ->
                finite(number).setScale(0, RoundingMode.HALF_EVEN).toBigInteger();
            case Double number ->
                finite(number).setScale(0, RoundingMode.HALF_EVEN).toBigInteger();
            default -> throw new IllegalArgumentException(from + " " + value);
        };
    }

    private static BigDecimal finite(double value) {
        if (Double.isNaN(value) || Double.isInfinite(value)) {
            throw fails(SqlState.NUMERIC_VALUE_OUT_OF_RANGE);
        }
        return new BigDecimal(value);
    }

    /// What a float is that is no number; null for all others.
    private static SpecialNumeric special(Object value) {
        return value instanceof Float || value instanceof Double
                ? SpecialNumeric.of(((Number) value).doubleValue())
                : null;
    }

    private static BigDecimal exact(Object value) {
        return switch (value) {
            case Long number -> BigDecimal.valueOf(number);
            case BigDecimal number -> number;
            case Float number -> shortened(number, 6);
            case Double number -> shortened(number, 15);
            default -> throw new IllegalArgumentException(String.valueOf(value));
        };
    }

    private static BigDecimal shortened(double value, int digits) {
        BigDecimal shown = finite(value)
                .round(new MathContext(digits, RoundingMode.HALF_EVEN))
                .stripTrailingZeros();
        return shown.scale() < 0 ? shown.setScale(0) : shown;
    }

    private static Float toFloat32(Object value) {
        float result =
                switch (value) {
                    case Long number -> number.floatValue();
                    case Float number -> number;
                    case Double number -> number.floatValue();
                    default -> ((BigDecimal) value).floatValue();
                };
        boolean infinite = value instanceof Double number && number.isInfinite() || value instanceof Float;
        boolean zero =
                switch (value) {
                    case Double number -> number == 0;
                    case BigDecimal number -> number.signum() == 0;
                    default -> true;
                };
        if (Float.isInfinite(result) && !infinite || result == 0 && !zero) {
            throw fails(SqlState.NUMERIC_VALUE_OUT_OF_RANGE);
        }
        return result;
    }

    private static Double toFloat64(Object value) {
        double result = ((Number) value).doubleValue();
        if (result == 0 && value instanceof BigDecimal number && number.signum() != 0) {
            throw fails(SqlState.NUMERIC_VALUE_OUT_OF_RANGE);
        }
        return result;
    }

    private static boolean isInfiniteDay(long day) {
        return day == Integer.MAX_VALUE || day == Integer.MIN_VALUE;
    }

    private static final long FIRST_DAY = LocalDate.of(-4713, 11, 24).toEpochDay();
    private static final long LAST_DAY = LocalDate.of(5_874_897, 12, 31).toEpochDay();

    private static Long addDays(long day, long added) {
        if (isInfiniteDay(day)) {
            return day;
        }
        long sum = day + added;
        if (sum < FIRST_DAY || sum > LAST_DAY) {
            throw fails(SqlState.DATETIME_FIELD_OVERFLOW);
        }
        return sum;
    }

    private static boolean isInfinite(long micros) {
        return micros == Long.MAX_VALUE || micros == Long.MIN_VALUE;
    }

    private static Long valid(BigInteger micros) {
        if (micros.compareTo(BigInteger.valueOf(Long.MAX_VALUE)) >= 0
                || micros.compareTo(BigInteger.valueOf(FIRST_DAY * DAY)) < 0) {
            throw fails(SqlState.DATETIME_FIELD_OVERFLOW);
        }
        return micros.longValueExact();
    }

    private static LocalDateTime time(long micros) {
        return LocalDateTime.ofEpochSecond(
                Math.floorDiv(micros, 1_000_000L), (int) Math.floorMod(micros, 1_000_000L) * 1_000, ZoneOffset.UTC);
    }

    private static BigInteger micros(LocalDateTime time) {
        return big(time.toEpochSecond(ZoneOffset.UTC)).multiply(big(1_000_000L)).add(big(time.getNano() / 1_000L));
    }

    private static Long dayField(DateField field, LocalDate day) {
        int year = day.getYear();
        int weekYear = day.get(IsoFields.WEEK_BASED_YEAR);
        return (long)
                switch (field) {
                    case YEAR -> year > 0 ? year : year - 1;
                    case QUARTER -> day.get(IsoFields.QUARTER_OF_YEAR);
                    case MONTH -> day.getMonthValue();
                    case DAY -> day.getDayOfMonth();
                    case DOW ->
                        day.getDayOfWeek() == DayOfWeek.SUNDAY
                                ? 0
                                : day.getDayOfWeek().getValue();
                    case ISODOW -> day.getDayOfWeek().getValue();
                    case DOY -> day.getDayOfYear();
                    case WEEK -> day.get(IsoFields.WEEK_OF_WEEK_BASED_YEAR);
                    case ISOYEAR -> weekYear > 0 ? weekYear : weekYear - 1;
                    case DECADE -> Math.floorDiv(year, 10);
                    case CENTURY -> year > 0 ? (year - 1) / 100 + 1 : year / 100 - 1;
                    case MILLENNIUM -> year > 0 ? (year - 1) / 1000 + 1 : year / 1000 - 1;
                    default -> throw new IllegalArgumentException(field.name());
                };
    }

    private static BigDecimal extract(DateField field, long micros) {
        if (isInfinite(micros)) {
            throw fails(SqlState.FEATURE_NOT_SUPPORTED);
        }
        LocalDateTime time = time(micros);
        long second = time.getSecond() * 1_000_000L + time.getNano() / 1_000;
        return switch (field) {
            case HOUR -> BigDecimal.valueOf(time.getHour());
            case MINUTE -> BigDecimal.valueOf(time.getMinute());
            case SECOND -> BigDecimal.valueOf(second, 6);
            case MILLISECONDS -> BigDecimal.valueOf(second, 3);
            case MICROSECONDS -> BigDecimal.valueOf(second);
            case EPOCH -> BigDecimal.valueOf(micros, 6);
            default -> BigDecimal.valueOf(dayField(field, time.toLocalDate()));
        };
    }

    private static Long truncate(DateField field, long micros) {
        if (isInfinite(micros)) {
            return micros;
        }
        LocalDateTime time = time(micros);
        LocalDate day = time.toLocalDate();
        int year = day.getYear();
        LocalDateTime start =
                switch (field) {
                    case MICROSECONDS -> time;
                    case MILLISECONDS -> time.truncatedTo(ChronoUnit.MILLIS);
                    case SECOND -> time.truncatedTo(ChronoUnit.SECONDS);
                    case MINUTE -> time.truncatedTo(ChronoUnit.MINUTES);
                    case HOUR -> time.truncatedTo(ChronoUnit.HOURS);
                    case DAY -> day.atStartOfDay();
                    case WEEK ->
                        day.with(TemporalAdjusters.previousOrSame(DayOfWeek.MONDAY))
                                .atStartOfDay();
                    case MONTH -> day.withDayOfMonth(1).atStartOfDay();
                    case QUARTER ->
                        LocalDate.of(year, (day.getMonthValue() - 1) / 3 * 3 + 1, 1)
                                .atStartOfDay();
                    case YEAR -> LocalDate.of(year, 1, 1).atStartOfDay();
                    case DECADE ->
                        LocalDate.of(Math.floorDiv(year, 10) * 10, 1, 1).atStartOfDay();
                    case CENTURY ->
                        LocalDate.of(Math.floorDiv(year - 1, 100) * 100 + 1, 1, 1)
                                .atStartOfDay();
                    case MILLENNIUM ->
                        LocalDate.of(Math.floorDiv(year - 1, 1000) * 1000 + 1, 1, 1)
                                .atStartOfDay();
                    default -> throw new IllegalArgumentException(field.name());
                };
        return valid(micros(start));
    }

    private static int[] points(Object text) {
        return ((String) text).codePoints().toArray();
    }

    private static String slice(Object text, long from, long to) {
        int[] points = points(text);
        int start = (int) Math.clamp(from, 0, points.length);
        int end = (int) Math.clamp(to, start, points.length);
        return new String(points, start, end - start);
    }

    private static String mapped(String text, char first, char last, int shift) {
        StringBuilder result = new StringBuilder();
        text.chars().forEach(unit -> result.append((char) (unit >= first && unit <= last ? unit + shift : unit)));
        return result.toString();
    }

    private static String lower(String text) {
        return mapped(text, 'A', 'Z', 32);
    }

    private static String trim(String text, String set, boolean atStart, boolean atEnd) {
        List<Integer> points = new ArrayList<>(text.codePoints().boxed().toList());
        List<Integer> members = set.codePoints().boxed().toList();
        while (atStart && !points.isEmpty() && members.contains(points.getFirst())) {
            points.removeFirst();
        }
        while (atEnd && !points.isEmpty() && members.contains(points.getLast())) {
            points.removeLast();
        }
        return slice(new String(points.stream().mapToInt(Integer::intValue).toArray(), 0, points.size()), 0, 1L << 40);
    }

    private enum Match {
        YES,
        NO,
        ABORT
    }

    /// PostgreSQL's recursive matcher over code points, after `like_escape`.
    private static Boolean like(String text, String pattern, String escape) {
        int[] escapes = points(escape);
        if (escapes.length > 1) {
            throw fails(SqlState.INVALID_ESCAPE_SEQUENCE);
        }
        List<Integer> rewritten = new ArrayList<>();
        boolean afterEscape = false;
        for (int point : points(pattern)) {
            if (escapes.length == 1 && point == escapes[0] && !afterEscape) {
                rewritten.add((int) '\\');
                afterEscape = true;
                continue;
            }
            if (point == '\\' && !afterEscape) {
                rewritten.add((int) '\\');
            }
            rewritten.add(point);
            afterEscape = false;
        }
        int[] made = rewritten.stream().mapToInt(Integer::intValue).toArray();
        return match(points(text), 0, made, 0) == Match.YES;
    }

    private static Match match(int[] text, int textStart, int[] pattern, int patternStart) {
        int t = textStart;
        int p = patternStart;
        if (pattern.length - p == 1 && pattern[p] == '%') {
            return Match.YES;
        }
        while (t < text.length && p < pattern.length) {
            if (pattern[p] == '\\') {
                p++;
                if (p >= pattern.length) {
                    throw fails(SqlState.INVALID_ESCAPE_SEQUENCE);
                }
                if (pattern[p] != text[t]) {
                    return Match.NO;
                }
            } else if (pattern[p] == '%') {
                p++;
                while (p < pattern.length && (pattern[p] == '%' || pattern[p] == '_')) {
                    if (pattern[p] == '_') {
                        if (t >= text.length) {
                            return Match.ABORT;
                        }
                        t++;
                    }
                    p++;
                }
                if (p >= pattern.length) {
                    return Match.YES;
                }
                if (pattern[p] == '\\' && p + 1 >= pattern.length) {
                    throw fails(SqlState.INVALID_ESCAPE_SEQUENCE);
                }
                int first = pattern[p] == '\\' ? pattern[p + 1] : pattern[p];
                for (; t < text.length; t++) {
                    if (text[t] == first) {
                        Match rest = match(text, t, pattern, p);
                        if (rest != Match.NO) {
                            return rest;
                        }
                    }
                }
                return Match.ABORT;
            } else if (pattern[p] != '_' && pattern[p] != text[t]) {
                return Match.NO;
            }
            t++;
            p++;
        }
        if (t < text.length) {
            return Match.NO;
        }
        while (p < pattern.length && pattern[p] == '%') {
            p++;
        }
        return p >= pattern.length ? Match.YES : Match.ABORT;
    }

    /// Equality of canonical values, bit by bit for floats (all NaN alike).
    static boolean same(Object expected, Object actual) {
        return Objects.equals(expected, actual);
    }
}
