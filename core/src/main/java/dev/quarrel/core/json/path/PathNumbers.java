package dev.quarrel.core.json.path;

import dev.quarrel.core.json.JsonValue;
import dev.quarrel.core.type.SqlState;
import java.math.BigDecimal;
import java.math.MathContext;
import java.math.RoundingMode;
import java.util.Locale;
import java.util.regex.Pattern;

/// The methods of SQL/JSON paths that turn a value into a number or a boolean.
final class PathNumbers {
    private static final Pattern WHOLE = Pattern.compile("\\s*[-+]?\\d+\\s*");
    private static final Pattern DECIMAL = Pattern.compile("\\s*[-+]?(\\d+(\\.\\d*)?|\\.\\d+)([eE][-+]?\\d+)?\\s*");
    private static final Pattern NOT_FINITE =
            Pattern.compile("\\s*([-+]?inf(inity)?|nan)\\s*", Pattern.CASE_INSENSITIVE);
    /// What `float8` keeps when it becomes a numeric.
    private static final MathContext FLOAT_DIGITS = new MathContext(15);

    private static final int MAX_PRECISION = 1000;

    private PathNumbers() {}

    static JsonValue float8(JsonValue value) {
        String text = text(value, "double", "string or numeric");
        requireFinite(text, "double");
        double number = DECIMAL.matcher(text).matches() ? Double.parseDouble(text.strip()) : Double.NaN;
        boolean isRight = Double.isFinite(number) && (number != 0 || new BigDecimal(text.strip()).signum() == 0);
        if (!isRight) {
            throw invalid(text, "double", "double precision");
        }
        if (value instanceof JsonValue.Number) {
            return value;
        }
        BigDecimal shown = new BigDecimal(number).round(FLOAT_DIGITS).stripTrailingZeros();
        return new JsonValue.Number(shown.scale() < 0 ? shown.setScale(0) : shown);
    }

    static JsonValue whole(JsonValue value, int bits, String method, String type) {
        String text = text(value, method, "string or numeric");
        boolean isRight =
                value instanceof JsonValue.Number || WHOLE.matcher(text).matches();
        BigDecimal number = isRight ? new BigDecimal(text.strip()).setScale(0, RoundingMode.HALF_UP) : null;
        if (number == null || number.unscaledValue().bitLength() >= bits) {
            throw invalid(text, method, type);
        }
        return new JsonValue.Number(number);
    }

    static BigDecimal numeric(JsonValue value, String method) {
        String text = text(value, method, "string or numeric");
        requireFinite(text, method);
        if (!DECIMAL.matcher(text).matches()) {
            throw invalid(text, method, "numeric");
        }
        BigDecimal number = new BigDecimal(text.strip());
        return number.scale() < 0 ? number.setScale(0) : number;
    }

    static JsonValue decimal(JsonValue value, PathItem item) {
        BigDecimal number = numeric(value, "decimal");
        if (item.left() == null) {
            return new JsonValue.Number(number);
        }
        BigDecimal precision = (BigDecimal) item.left().value();
        BigDecimal scale = item.right() == null
                ? BigDecimal.ZERO
                : (BigDecimal) item.right().value();
        requireInteger(precision, "precision");
        requireInteger(scale, "scale");
        boolean isRight = precision.intValue() >= 1
                && precision.intValue() <= MAX_PRECISION
                && scale.intValue() >= -MAX_PRECISION
                && scale.intValue() <= MAX_PRECISION;
        if (!isRight) {
            throw new dev.quarrel.core.type.QueryException(
                    SqlState.FEATURE_NOT_SUPPORTED, "not supported: this precision and scale of .decimal()");
        }
        BigDecimal rounded = number.setScale(scale.intValue(), RoundingMode.HALF_UP);
        if (rounded.precision() - rounded.scale() > precision.intValue() - scale.intValue() && rounded.signum() != 0) {
            throw invalid(text(value, "decimal", "string or numeric"), "decimal", "numeric");
        }
        return new JsonValue.Number(rounded.scale() < 0 ? rounded.setScale(0) : rounded);
    }

    private static void requireInteger(BigDecimal value, String name) {
        if (value.unscaledValue().bitLength() > 31) {
            throw PathRun.failure(
                    SqlState.NON_NUMERIC_SQL_JSON_ITEM,
                    name + " of jsonpath item method .decimal() is out of range for type integer");
        }
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

    private static void requireFinite(String text, String method) {
        if (NOT_FINITE.matcher(text).matches()) {
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
