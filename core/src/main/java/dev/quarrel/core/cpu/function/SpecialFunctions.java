package dev.quarrel.core.cpu.function;

import dev.quarrel.core.cpu.number.RowErrors;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SpecialNumeric;
import dev.quarrel.core.type.SqlState;
import java.math.BigDecimal;

/// Functions of numerics of which one at least is NaN or infinite: as POSIX has them for floats. Arguments and results
/// are BigDecimals and SpecialNumerics.
///
/// - Source: PostgreSQL's `numeric.c`.
final class SpecialFunctions {
    private static final BigDecimal MINUS_ONE = BigDecimal.ONE.negate();

    private SpecialFunctions() {}

    static Object sign(SpecialNumeric value) {
        return value == SpecialNumeric.NAN ? value : BigDecimal.valueOf(value.sign());
    }

    static Object sqrt(SpecialNumeric value) {
        if (value == SpecialNumeric.MINUS_INFINITY) {
            throw FloatKernels.negativeRoot();
        }
        return value;
    }

    static Object ln(SpecialNumeric value) {
        if (value == SpecialNumeric.MINUS_INFINITY) {
            throw FloatKernels.logarithmOf(false);
        }
        return value;
    }

    static Object exp(SpecialNumeric value) {
        return value == SpecialNumeric.MINUS_INFINITY ? BigDecimal.ZERO : value;
    }

    static Object log(Object base, Object value) {
        if (isNaN(base) || isNaN(value)) {
            return SpecialNumeric.NAN;
        }
        if (sign(base) < 0 || sign(value) < 0) {
            throw FloatKernels.logarithmOf(false);
        }
        if (sign(base) == 0 || sign(value) == 0) {
            throw FloatKernels.logarithmOf(true);
        }
        if (base instanceof BigDecimal) {
            return value;
        }
        return value instanceof BigDecimal ? BigDecimal.ZERO : SpecialNumeric.NAN;
    }

    /// Towards zero.
    static Object quotient(Object dividend, Object divisor) {
        if (isNaN(dividend) || isNaN(divisor)) {
            return SpecialNumeric.NAN;
        }
        if (dividend instanceof BigDecimal) {
            return BigDecimal.ZERO;
        }
        if (!(divisor instanceof BigDecimal number)) {
            return SpecialNumeric.NAN;
        }
        if (number.signum() == 0) {
            throw RowErrors.divisionByZero();
        }
        return SpecialNumeric.ofSign(sign(dividend) * number.signum());
    }

    static Object power(Object base, Object exponent) {
        if (isNaN(base) || isNaN(exponent)) {
            // Even of NaN: anything to the power of 0 is 1, and 1 to any power.
            return is(exponent, BigDecimal.ZERO) || is(base, BigDecimal.ONE) ? BigDecimal.ONE : SpecialNumeric.NAN;
        }
        int sign = sign(base);
        boolean isGrowing = sign(exponent) > 0;
        if (sign == 0 && sign(exponent) < 0) {
            throw FloatKernels.zeroToNegativePower();
        }
        if (sign < 0 && exponent instanceof BigDecimal number && !isWhole(number)) {
            throw FloatKernels.complexPower();
        }
        if (is(base, BigDecimal.ONE) || sign(exponent) == 0) {
            return BigDecimal.ONE;
        }
        if (sign == 0) {
            return BigDecimal.ZERO;
        }
        if (!(exponent instanceof BigDecimal number)) {
            if (is(base, MINUS_ONE)) {
                return BigDecimal.ONE;
            }
            boolean isBeyondOne =
                    !(base instanceof BigDecimal from) || from.abs().compareTo(BigDecimal.ONE) > 0;
            return isBeyondOne == isGrowing ? SpecialNumeric.INFINITY : BigDecimal.ZERO;
        }
        if (!isGrowing) {
            return BigDecimal.ZERO;
        }
        return sign < 0 && number.toBigInteger().testBit(0) ? SpecialNumeric.MINUS_INFINITY : SpecialNumeric.INFINITY;
    }

    /// - Errors: 2201G for bounds that are no numbers, and for NaN as the operand.
    static void requireBounds(Object operand, Object low, Object high) {
        if (isNaN(operand) || isNaN(low) || isNaN(high)) {
            throw FloatKernels.wrongBuckets("operand, lower bound, and upper bound cannot be NaN");
        }
        if (low instanceof SpecialNumeric || high instanceof SpecialNumeric) {
            throw FloatKernels.wrongBuckets("lower and upper bounds must be finite");
        }
    }

    /// The number; or an error.
    ///
    /// @param what of a series this is
    ///
    /// - Errors: 22023 for NaN and the infinities.
    static BigDecimal requireNumber(Object value, String what) {
        if (value instanceof SpecialNumeric) {
            throw new QueryException(
                    SqlState.INVALID_PARAMETER_VALUE, what + " cannot be " + (isNaN(value) ? "NaN" : "infinity"));
        }
        return (BigDecimal) value;
    }

    private static boolean isNaN(Object value) {
        return value == SpecialNumeric.NAN;
    }

    private static boolean is(Object value, BigDecimal number) {
        return value instanceof BigDecimal other && other.compareTo(number) == 0;
    }

    private static boolean isWhole(BigDecimal number) {
        return number.stripTrailingZeros().scale() <= 0;
    }

    private static int sign(Object value) {
        return value instanceof SpecialNumeric special ? special.sign() : ((BigDecimal) value).signum();
    }
}
