package dev.quarrel.core.json.search;

import dev.quarrel.core.json.JsonValue;
import dev.quarrel.core.json.path.PathItem;
import dev.quarrel.core.pg.PgParse;
import dev.quarrel.core.type.NumericScales;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;
import java.math.BigDecimal;
import java.math.MathContext;
import java.math.RoundingMode;
import java.util.Locale;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// The arithmetic of SQL/JSON paths, and the methods that turn a value into a number or a boolean.
///
/// - Errors: those of SQL/JSON, which may be suppressed.
final class PathNumbers {
    private static final Pattern WHOLE = Pattern.compile("-?\\d+");
    private static final Pattern DECIMAL = Pattern.compile("\\s*[-+]?(\\d+(\\.\\d*)?|\\.\\d+)([eE][-+]?\\d{1,9})?\\s*");
    private static final Pattern HEXADECIMAL =
            Pattern.compile("\\s*[-+]?0[xX](?:[0-9a-fA-F]+\\.?[0-9a-fA-F]*|\\.[0-9a-fA-F]+)([pP][-+]?\\d{1,9})?\\s*");
    /// What `float8` keeps when it becomes a numeric.
    private static final MathContext FLOAT_DIGITS = new MathContext(15);

    private static final int MAX_PRECISION = 1000;
    private static final int MAX_DIGITS = 131_072;
    private static final int MAX_SCALE = 16_383;

    private PathNumbers() {}

    static BigDecimal computed(PathItem.Kind operator, BigDecimal left, BigDecimal right) {
        boolean divides = operator == PathItem.Kind.DIVIDE || operator == PathItem.Kind.MODULO;
        if (divides && right.signum() == 0) {
            throw PathRun.failure(SqlState.DIVISION_BY_ZERO, "division by zero");
        }
        BigDecimal result =
                switch (operator) {
                    case ADD -> left.add(right);
                    case SUBTRACT -> left.subtract(right);
                    case MULTIPLY -> {
                        BigDecimal product = left.multiply(right);
                        yield product.scale() > MAX_SCALE ? product.setScale(MAX_SCALE, RoundingMode.HALF_UP) : product;
                    }
                    case DIVIDE -> left.divide(right, NumericScales.ofQuotient(left, right), RoundingMode.HALF_UP);
                    default -> {
                        BigDecimal rest = left.remainder(right);
                        yield rest.setScale(Math.max(left.scale(), right.scale()), RoundingMode.UNNECESSARY);
                    }
                };
        if (!isInRange(result)) {
            throw PathRun.failure(SqlState.NUMERIC_VALUE_OUT_OF_RANGE, "value overflows numeric format");
        }
        return result;
    }

    private static boolean isInRange(BigDecimal number) {
        return number.signum() == 0
                ? number.scale() <= MAX_SCALE
                : (long) number.precision() - number.scale() <= MAX_DIGITS && number.scale() <= MAX_SCALE;
    }

    /// The methods abs(), floor() and ceiling().
    static BigDecimal rounded(PathItem.Kind kind, JsonValue value) {
        if (!(value instanceof JsonValue.Number(BigDecimal number))) {
            throw PathRun.failure(
                    SqlState.NON_NUMERIC_SQL_JSON_ITEM,
                    "jsonpath item method ." + kind.text() + "() can only be applied to a numeric value");
        }
        return switch (kind) {
            case ABS -> number.abs();
            case FLOOR -> number.setScale(0, RoundingMode.FLOOR);
            default -> number.setScale(0, RoundingMode.CEILING);
        };
    }

    static JsonValue float8(JsonValue value) {
        String text = text(value, "double", "string or numeric");
        double number = read(text, "double", "double precision", PathNumbers::float8);
        requireFinite(Double.isFinite(number), "double");
        if (value instanceof JsonValue.Number) {
            return value;
        }
        BigDecimal shown = new BigDecimal(number).round(FLOAT_DIGITS).stripTrailingZeros();
        return new JsonValue.Number(shown.scale() < 0 ? shown.setScale(0) : shown);
    }

    /// A hexadecimal float may leave out the exponent that Java wants.
    private static double float8(String text) {
        Matcher hexadecimal = HEXADECIMAL.matcher(text);
        return hexadecimal.matches()
                ? Double.parseDouble(text.strip() + (hexadecimal.group(1) == null ? "p0" : ""))
                : PgParse.float8(text);
    }

    static JsonValue int8(JsonValue value) {
        return whole(value, Long.SIZE, "bigint", PgParse::int8);
    }

    static JsonValue int4(JsonValue value) {
        return whole(value, Integer.SIZE, "integer", text -> (long) PgParse.int4(text));
    }

    /// @param method its name is the type's, too
    private static JsonValue whole(JsonValue value, int bits, String method, Function<String, Long> input) {
        String text = text(value, method, "string or numeric");
        if (!(value instanceof JsonValue.Number(BigDecimal number))) {
            return new JsonValue.Number(BigDecimal.valueOf(read(text, method, method, input)));
        }
        BigDecimal rounded = number.setScale(0, RoundingMode.HALF_UP);
        if (rounded.unscaledValue().bitLength() >= bits) {
            throw invalid(text, method, method);
        }
        return new JsonValue.Number(rounded);
    }

    static BigDecimal numeric(JsonValue value, String method) {
        String text = text(value, method, "string or numeric");
        if (value instanceof JsonValue.Number(BigDecimal number)) {
            return number;
        }
        if (DECIMAL.matcher(text).matches()) {
            BigDecimal number = new BigDecimal(text.strip());
            if (!isInRange(number)) {
                throw invalid(text, method, "numeric");
            }
            return number.scale() < 0 ? number.setScale(0) : number;
        }
        Object read = read(text, method, "numeric", PgParse::numeric);
        requireFinite(read instanceof BigDecimal, method);
        return (BigDecimal) read;
    }

    static JsonValue decimal(JsonValue value, PathItem item) {
        BigDecimal number = numeric(value, "decimal");
        if (item.left() == null) {
            return new JsonValue.Number(number);
        }
        int precision = integer((BigDecimal) item.left().value(), "precision");
        int scale = item.right() == null ? 0 : integer((BigDecimal) item.right().value(), "scale");
        if (precision < 1 || precision > MAX_PRECISION) {
            throw PathRun.failure(
                    SqlState.INVALID_PARAMETER_VALUE,
                    "NUMERIC precision " + precision + " must be between 1 and " + MAX_PRECISION);
        }
        if (scale < -MAX_PRECISION || scale > MAX_PRECISION) {
            throw PathRun.failure(
                    SqlState.INVALID_PARAMETER_VALUE,
                    "NUMERIC scale " + scale + " must be between -" + MAX_PRECISION + " and " + MAX_PRECISION);
        }
        BigDecimal rounded = number.setScale(scale, RoundingMode.HALF_UP);
        if (rounded.precision() - rounded.scale() > precision - scale && rounded.signum() != 0) {
            throw invalid(text(value, "decimal", "string or numeric"), "decimal", "numeric");
        }
        return new JsonValue.Number(rounded.scale() < 0 ? rounded.setScale(0) : rounded);
    }

    private static int integer(BigDecimal value, String name) {
        if (value.unscaledValue().bitLength() > 31) {
            throw PathRun.failure(
                    SqlState.NON_NUMERIC_SQL_JSON_ITEM,
                    name + " of jsonpath item method .decimal() is out of range for type integer");
        }
        return value.intValue();
    }

    static JsonValue bool(JsonValue value) {
        if (value instanceof JsonValue.Bool) {
            return value;
        }
        String text = text(value, "boolean", "boolean, string, or numeric");
        if (value instanceof JsonValue.Number) {
            if (!WHOLE.matcher(text).matches()
                    || new BigDecimal(text).unscaledValue().bitLength() > 31) {
                throw invalid(text, "boolean", "boolean");
            }
            return new JsonValue.Bool(new BigDecimal(text).signum() != 0);
        }
        String word = text.toLowerCase(Locale.ROOT);
        boolean isTrue = isPrefix(word, "true") || isPrefix(word, "yes") || word.equals("on") || word.equals("1");
        boolean isFalse = isPrefix(word, "false")
                || isPrefix(word, "no")
                || word.equals("of")
                || word.equals("off")
                || word.equals("0");
        if (!isTrue && !isFalse) {
            throw invalid(text, "boolean", "boolean");
        }
        return new JsonValue.Bool(isTrue);
    }

    private static boolean isPrefix(String word, String of) {
        return !word.isEmpty() && of.startsWith(word);
    }

    private static String text(JsonValue value, String method, String kinds) {
        return switch (value) {
            case JsonValue.Text(String text) -> text;
            case JsonValue.Number(BigDecimal number) -> number.toPlainString();
            default ->
                throw PathRun.failure(
                        SqlState.NON_NUMERIC_SQL_JSON_ITEM,
                        "jsonpath item method ." + method + "() can only be applied to a " + kinds + " value");
        };
    }

    /// What a type's input reads.
    private static <T> T read(String text, String method, String type, Function<String, T> input) {
        try {
            return input.apply(text);
        } catch (QueryException error) {
            if (type.equals("numeric") && error.state() == SqlState.NUMERIC_VALUE_OUT_OF_RANGE) {
                // Of more digits than we read in these forms, 0xFF and 1_000.
                throw new QueryException(SqlState.FEATURE_NOT_SUPPORTED, "not supported: a numeric of so many digits");
            }
            throw invalid(text, method, type);
        }
    }

    private static void requireFinite(boolean isFinite, String method) {
        if (!isFinite) {
            throw PathRun.failure(
                    SqlState.NON_NUMERIC_SQL_JSON_ITEM,
                    "NaN or Infinity is not allowed for jsonpath item method ." + method + "()");
        }
    }

    private static RuntimeException invalid(String text, String method, String type) {
        return PathRun.failure(
                SqlState.NON_NUMERIC_SQL_JSON_ITEM,
                "argument \"" + text + "\" of jsonpath item method ." + method + "() is invalid for type " + type);
    }
}
