package dev.quarrel.core.function;

import dev.quarrel.core.ir.Literal;
import dev.quarrel.core.pg.PgParse;
import dev.quarrel.core.pg.PgText;
import dev.quarrel.core.pg.PgType;
import dev.quarrel.core.type.CivilDate;
import dev.quarrel.core.type.Interval;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.math.RoundingMode;

/// A cast of one value of an array to another type: what the cast of an array does with each element.
///
/// Values are in canonical form ([Literal]'s table); none is null.
///
/// - Source: PostgreSQL's `pg_cast.dat` and the functions that it names.
@FunctionalInterface
public interface ElementCast {
    SqlState[] ERRORS = {
        SqlState.INVALID_TEXT_REPRESENTATION,
        SqlState.NUMERIC_VALUE_OUT_OF_RANGE,
        SqlState.INVALID_DATETIME_FORMAT,
        SqlState.DATETIME_FIELD_OVERFLOW,
        SqlState.INTERVAL_FIELD_OVERFLOW,
        SqlState.INVALID_TIME_ZONE_DISPLACEMENT_VALUE,
        SqlState.INVALID_PARAMETER_VALUE
    };

    /// - Errors: those of [#ERRORS].
    Object cast(Object value);

    /// The cast of one type to another; null where there is none here.
    static ElementCast of(PgType from, PgType to) {
        PgParse.Moment utc = PgParse.Moment.utc();
        if (isText(to)) {
            return switch (from) {
                case BOOL -> value -> (Boolean) value ? "true" : "false";
                case BPCHAR -> to == PgType.BPCHAR ? value -> value : value -> ((String) value).replaceFirst(" +$", "");
                default -> isText(from) ? value -> value : value -> PgText.text(new Literal(from.dataType(), value));
            };
        }
        if (isText(from)) {
            PgType.Declared declared = new PgType.Declared(to, PgType.NO_TYPMOD);
            return value -> PgParse.literal((String) value, declared, utc).value();
        }
        if (isNumber(from) && isNumber(to)) {
            return ofNumber(from, to);
        }
        return switch (from) {
            case DATE -> to == PgType.TIMESTAMP ? value -> timestamp((Long) value) : null;
            case TIMESTAMP ->
                switch (to) {
                    case DATE -> value -> date((Long) value);
                    default -> null;
                };
            case TIME -> to == PgType.INTERVAL ? value -> new Interval(0, 0, (Long) value) : null;
            default -> null;
        };
    }

    private static boolean isText(PgType type) {
        return type == PgType.TEXT || type == PgType.VARCHAR || type == PgType.BPCHAR;
    }

    private static boolean isInteger(PgType type) {
        return type == PgType.INT2 || type == PgType.INT4 || type == PgType.INT8;
    }

    private static boolean isNumber(PgType type) {
        return isInteger(type) || type == PgType.FLOAT4 || type == PgType.FLOAT8 || type == PgType.NUMERIC;
    }

    private static ElementCast ofNumber(PgType from, PgType to) {
        boolean isFloat = from == PgType.FLOAT4 || from == PgType.FLOAT8;
        return switch (to) {
            case INT2, INT4, INT8 -> value -> integer(value, to);
            case FLOAT4 -> isFloat ? value -> float4(((Number) value).doubleValue()) : value -> nearest(value, true);
            case FLOAT8 -> isFloat ? value -> ((Number) value).doubleValue() : value -> nearest(value, false);
            case NUMERIC -> isInteger(from) ? value -> BigDecimal.valueOf((Long) value) : null;
            default -> null;
        };
    }

    /// The float next to an integer or numeric.
    private static Object nearest(Object value, boolean isSingle) {
        return switch (value) {
            case Long number when isSingle -> (Object) (float) (long) number;
            case Long number -> (double) (long) number;
            case BigDecimal number when isSingle -> PgParse.float4(number.toPlainString());
            default -> PgParse.float8(((BigDecimal) value).toPlainString());
        };
    }

    private static float float4(double value) {
        float result = (float) value;
        if (Float.isInfinite(result) && !Double.isInfinite(value)) {
            throw new QueryException(SqlState.NUMERIC_VALUE_OUT_OF_RANGE, "value out of range: overflow");
        }
        if (result == 0 && value != 0) {
            throw new QueryException(SqlState.NUMERIC_VALUE_OUT_OF_RANGE, "value out of range: underflow");
        }
        return result;
    }

    /// Half to even for floats, away from zero for numerics.
    private static Long integer(Object value, PgType to) {
        BigInteger whole =
                switch (value) {
                    case Long number -> BigInteger.valueOf(number);
                    case BigDecimal number ->
                        number.setScale(0, RoundingMode.HALF_UP).toBigInteger();
                    default -> {
                        double number = ((Number) value).doubleValue();
                        yield Double.isFinite(number) ? new BigDecimal(Math.rint(number)).toBigInteger() : null;
                    }
                };
        int bits =
                switch (to) {
                    case INT2 -> 15;
                    case INT4 -> 31;
                    default -> 63;
                };
        if (whole == null || whole.bitLength() > bits) {
            throw new QueryException(SqlState.NUMERIC_VALUE_OUT_OF_RANGE, to.formatName() + " out of range");
        }
        return whole.longValue();
    }

    private static Long timestamp(long days) {
        if (days == PgText.DATE_INFINITY) {
            return PgText.TIMESTAMP_INFINITY;
        }
        if (days == PgText.DATE_MINUS_INFINITY) {
            return PgText.TIMESTAMP_MINUS_INFINITY;
        }
        long micros = Math.multiplyHigh(days, CivilDate.MICROS_PER_DAY) == days >> 63
                ? days * CivilDate.MICROS_PER_DAY
                : Long.MAX_VALUE;
        if (micros == Long.MAX_VALUE || (micros < 0) != (days < 0)) {
            throw new QueryException(SqlState.DATETIME_FIELD_OVERFLOW, "date out of range for timestamp");
        }
        return micros;
    }

    private static Long date(long micros) {
        if (micros == PgText.TIMESTAMP_INFINITY) {
            return (long) PgText.DATE_INFINITY;
        }
        return micros == PgText.TIMESTAMP_MINUS_INFINITY
                ? (long) PgText.DATE_MINUS_INFINITY
                : Math.floorDiv(micros, CivilDate.MICROS_PER_DAY);
    }
}
