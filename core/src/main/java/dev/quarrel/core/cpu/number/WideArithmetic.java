package dev.quarrel.core.cpu.number;

import dev.quarrel.core.type.NumericScales;
import dev.quarrel.core.type.SpecialNumeric;
import java.math.BigDecimal;
import java.math.RoundingMode;

/// Arithmetic of numerics of any number of digits, NaN and the infinities among them. Arguments and results are
/// BigDecimals at their display scale, or SpecialNumerics.
///
/// - Errors: 22003 for a result that PostgreSQL's numeric does not hold; 22012 for a zero divisor.
/// - Source: PostgreSQL's `numeric.c`.
public final class WideArithmetic {
    /// Digits before the point of the largest numeric.
    public static final int MAX_WHOLE_DIGITS = 131_072;
    /// Digits behind the point that a numeric may have.
    public static final int MAX_SCALE = 16_383;

    private WideArithmetic() {}

    /// The value, if PostgreSQL's numeric holds it.
    public static Object checked(Object value) {
        if (value instanceof BigDecimal number
                && ((long) number.precision() - number.scale() > MAX_WHOLE_DIGITS || number.scale() > MAX_SCALE)
                && (number.signum() != 0 || number.scale() > MAX_SCALE)) {
            throw RowErrors.beyondNumeric();
        }
        return value;
    }

    public static Object add(Object one, Object other) {
        if (one instanceof BigDecimal number && other instanceof BigDecimal second) {
            return checked(number.add(second));
        }
        if (one instanceof BigDecimal || one == other) {
            return other;
        }
        return other instanceof BigDecimal ? one : SpecialNumeric.NAN;
    }

    public static Object subtract(Object one, Object other) {
        return add(one, negated(other));
    }

    public static Object negated(Object value) {
        return switch (value) {
            case BigDecimal number -> number.negate();
            case SpecialNumeric special when special != SpecialNumeric.NAN -> SpecialNumeric.ofSign(-special.sign());
            default -> value;
        };
    }

    public static Object abs(Object value) {
        return sign(value) < 0 ? negated(value) : value;
    }

    public static Object multiply(Object one, Object other) {
        if (one instanceof BigDecimal number && other instanceof BigDecimal second) {
            BigDecimal product = number.multiply(second);
            return checked(product.scale() > MAX_SCALE ? product.setScale(MAX_SCALE, RoundingMode.HALF_UP) : product);
        }
        // Nothing times infinity is NaN, and NaN's own sign is 0.
        int sign = sign(one) * sign(other);
        return sign == 0 ? SpecialNumeric.NAN : SpecialNumeric.ofSign(sign);
    }

    public static Object divide(Object one, Object other) {
        if (one == SpecialNumeric.NAN || other == SpecialNumeric.NAN) {
            return SpecialNumeric.NAN;
        }
        if (!(other instanceof BigDecimal divisor)) {
            return one instanceof BigDecimal ? BigDecimal.ZERO : SpecialNumeric.NAN;
        }
        if (divisor.signum() == 0) {
            throw RowErrors.divisionByZero();
        }
        return one instanceof BigDecimal dividend
                ? checked(dividend.divide(divisor, NumericScales.ofQuotient(dividend, divisor), RoundingMode.HALF_UP))
                : SpecialNumeric.ofSign(sign(one) * divisor.signum());
    }

    /// The rest of a division, with the dividend's sign.
    public static Object remainder(Object one, Object other) {
        if (one == SpecialNumeric.NAN || other == SpecialNumeric.NAN) {
            return SpecialNumeric.NAN;
        }
        if (!(other instanceof BigDecimal divisor)) {
            return one instanceof BigDecimal ? one : SpecialNumeric.NAN;
        }
        if (divisor.signum() == 0) {
            throw RowErrors.divisionByZero();
        }
        return one instanceof BigDecimal dividend
                ? dividend.remainder(divisor)
                        .setScale(Math.max(dividend.scale(), divisor.scale()), RoundingMode.UNNECESSARY)
                : SpecialNumeric.NAN;
    }

    /// The value at `digits` digits behind the point (negative: before it).
    ///
    /// @param mode half away from zero, or towards it
    public static Object rounded(Object value, int digits, RoundingMode mode) {
        if (!(value instanceof BigDecimal number)) {
            return value;
        }
        int scale = Math.clamp(digits, -MAX_WHOLE_DIGITS - 1, MAX_SCALE);
        BigDecimal rounded = number.setScale(scale, mode);
        return checked(scale < 0 ? rounded.setScale(0, RoundingMode.UNNECESSARY) : rounded);
    }

    /// The whole number beside the value.
    ///
    /// @param mode up or down
    public static Object whole(Object value, RoundingMode mode) {
        return value instanceof BigDecimal number ? checked(number.setScale(0, mode)) : value;
    }

    private static int sign(Object value) {
        return value instanceof BigDecimal number ? number.signum() : ((SpecialNumeric) value).sign();
    }
}
