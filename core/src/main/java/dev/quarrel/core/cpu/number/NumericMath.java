package dev.quarrel.core.cpu.number;

import dev.quarrel.core.type.SpecialNumeric;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.math.RoundingMode;

/// PostgreSQL's numeric operations on one value: the 128-bit unscaled value goes into a [WideNumber], the
/// display scale is returned. NaN and the infinities go to [SpecialMath].
///
/// - Errors: 22003 for a result of more than 38 digits; 22012 for a zero divisor.
/// - Source: PostgreSQL's `numeric.c`.
public final class NumericMath {
    private static final int MIN_SIGNIFICANT_DIGITS = 16;
    private static final int MAX_DISPLAY_SCALE = 1000;
    private static final int DIGITS_PER_WORD = 4;
    /// PostgreSQL clips what it is asked to round to.
    private static final int MAX_RESULT_SCALE = 16_383;

    private NumericMath() {}

    /// `a + b`.
    public static int add(long highA, long lowA, int scaleA, long highB, long lowB, int scaleB, WideNumber result) {
        if (SpecialNumeric.is(scaleA | scaleB)) {
            return SpecialMath.add(lowA, scaleA, lowB, scaleB, result);
        }
        boolean fits;
        if (scaleA >= scaleB) {
            result.set(highB, lowB);
            fits = result.scaleUp(scaleA - scaleB) && result.add(highA, lowA);
        } else {
            result.set(highA, lowA);
            fits = result.scaleUp(scaleB - scaleA) && result.add(highB, lowB);
        }
        if (!fits || !result.fits(Int128.MAX_DIGITS)) {
            addWide(highA, lowA, scaleA, highB, lowB, scaleB, result);
        }
        return Math.max(scaleA, scaleB);
    }

    /// A summand may leave 128 bits and the sum not: 10^20 with 20 digits after the point, less nearly as much.
    private static void addWide(
            long highA, long lowA, int scaleA, long highB, long lowB, int scaleB, WideNumber result) {
        int scale = Math.max(scaleA, scaleB);
        if (Math.abs(scaleA - scaleB) > 2 * Int128.MAX_DIGITS) {
            throw RowErrors.beyondPrecision();
        }
        BigInteger sum = Int128.toBigInteger(highA, lowA)
                .multiply(BigInteger.TEN.pow(scale - scaleA))
                .add(Int128.toBigInteger(highB, lowB).multiply(BigInteger.TEN.pow(scale - scaleB)));
        setChecked(sum, result);
    }

    private static void setChecked(BigInteger value, WideNumber result) {
        if (!result.set(value) || !result.fits(Int128.MAX_DIGITS)) {
            throw RowErrors.beyondPrecision();
        }
    }

    /// `a · b`.
    public static int multiply(
            long highA, long lowA, int scaleA, long highB, long lowB, int scaleB, WideNumber result) {
        if (SpecialNumeric.is(scaleA | scaleB)) {
            return SpecialMath.multiply(highA, lowA, highB, lowB, result);
        }
        result.set(highA, lowA);
        if (!result.multiply(highB, lowB) || !result.fits(Int128.MAX_DIGITS)) {
            throw RowErrors.beyondPrecision();
        }
        return scaleA + scaleB;
    }

    /// `a / b`, rounded half away from zero to the scale that PostgreSQL's `select_div_scale` chooses.
    public static int divide(long highA, long lowA, int scaleA, long highB, long lowB, int scaleB, WideNumber result) {
        if (SpecialNumeric.is(scaleA | scaleB)) {
            return SpecialMath.divide(highA, lowA, scaleA, highB, lowB, scaleB, result);
        }
        if ((highB | lowB) == 0) {
            throw RowErrors.divisionByZero();
        }
        result.set(highB, lowB);
        int weightB = weight(result, scaleB);
        long firstB = firstDigit(result, scaleB, weightB);
        result.set(highA, lowA);
        int weightA = result.isZero() ? 0 : weight(result, scaleA);
        long firstA = result.isZero() ? 0 : firstDigit(result, scaleA, weightA);
        int quotientWeight = weightA - weightB - (firstA <= firstB ? 1 : 0);
        int scale = MIN_SIGNIFICANT_DIGITS - quotientWeight * DIGITS_PER_WORD;
        scale = Math.min(Math.max(Math.max(scale, scaleA), Math.max(scaleB, 0)), MAX_DISPLAY_SCALE);
        if (result.isZero()) {
            return scale;
        }
        int exponent = scale + scaleB - scaleA;
        if (result.scaleUp(exponent)) {
            result.divideRounding(highB, lowB);
            if (!result.fits(Int128.MAX_DIGITS)) {
                throw RowErrors.beyondPrecision();
            }
        } else {
            divideWide(highA, lowA, highB, lowB, exponent, result);
        }
        return scale;
    }

    private static void divideWide(long highA, long lowA, long highB, long lowB, int exponent, WideNumber result) {
        BigDecimal numerator = new BigDecimal(Int128.toBigInteger(highA, lowA).multiply(BigInteger.TEN.pow(exponent)));
        BigDecimal quotient =
                numerator.divide(new BigDecimal(Int128.toBigInteger(highB, lowB)), 0, RoundingMode.HALF_UP);
        setChecked(quotient.unscaledValue(), result);
    }

    /// The power of 10,000 of the first digit that is not 0, in PostgreSQL's base 10,000.
    private static int weight(WideNumber value, int scale) {
        return Math.floorDiv(value.digits() - 1 - scale, DIGITS_PER_WORD);
    }

    /// The first digit that is not 0, in base 10,000; `value` is used up.
    private static long firstDigit(WideNumber value, int scale, int weight) {
        int digits = value.digits();
        int leading = digits - 1 - scale - weight * DIGITS_PER_WORD + 1;
        long high = value.high();
        long low = value.low();
        if (digits > leading) {
            value.truncate(digits - leading);
            long first = Math.abs(value.low());
            value.set(high, low);
            return first;
        }
        // Fewer digits than the word has: zeros follow.
        long first = Math.abs(low);
        for (int missing = leading - digits; missing > 0; missing--) {
            first *= 10;
        }
        return first;
    }

    /// The rest of `a / b`, truncated; the sign is `a`'s.
    public static int remainder(
            long highA, long lowA, int scaleA, long highB, long lowB, int scaleB, WideNumber result) {
        if (SpecialNumeric.is(scaleA | scaleB)) {
            return SpecialMath.remainder(highA, lowA, scaleA, highB, lowB, scaleB, result);
        }
        if ((highB | lowB) == 0) {
            throw RowErrors.divisionByZero();
        }
        int scale = Math.max(scaleA, scaleB);
        result.set(highB, lowB);
        if (result.scaleUp(scale - scaleB)) {
            long divisorHigh = result.high();
            long divisorLow = result.low();
            result.set(highA, lowA);
            if (result.scaleUp(scale - scaleA)) {
                result.remainder(divisorHigh, divisorLow);
                return scale;
            }
        }
        remainderWide(highA, lowA, scaleA, highB, lowB, scaleB, result);
        return scale;
    }

    private static void remainderWide(
            long highA, long lowA, int scaleA, long highB, long lowB, int scaleB, WideNumber result) {
        BigDecimal a = new BigDecimal(Int128.toBigInteger(highA, lowA), scaleA);
        BigDecimal b = new BigDecimal(Int128.toBigInteger(highB, lowB), scaleB);
        BigDecimal rest = a.remainder(b).setScale(Math.max(scaleA, scaleB), RoundingMode.UNNECESSARY);
        setChecked(rest.unscaledValue(), result);
    }

    /// `value` at `digits` digits after the point (negative: before it), half away from zero.
    public static int round(long high, long low, int scale, int digits, WideNumber result) {
        if (SpecialNumeric.is(scale)) {
            return SpecialMath.same(low, result);
        }
        int target = Math.clamp(digits, -MAX_RESULT_SCALE, MAX_RESULT_SCALE);
        result.set(high, low);
        if (target < scale) {
            result.round(scale - target);
        }
        return rescaled(scale, target, result);
    }

    /// `value` at `digits` digits after the point (negative: before it), towards zero.
    public static int truncate(long high, long low, int scale, int digits, WideNumber result) {
        if (SpecialNumeric.is(scale)) {
            return SpecialMath.same(low, result);
        }
        int target = Math.clamp(digits, -MAX_RESULT_SCALE, MAX_RESULT_SCALE);
        result.set(high, low);
        if (target < scale) {
            result.truncate(scale - target);
        }
        return rescaled(scale, target, result);
    }

    /// Appends the zeros that the target asks for.
    private static int rescaled(int scale, int target, WideNumber result) {
        int zeros = target > scale ? target - scale : Math.max(0, -target);
        if (!result.scaleUp(zeros) || !result.fits(Int128.MAX_DIGITS)) {
            throw RowErrors.beyondPrecision();
        }
        return Math.max(0, target);
    }

    /// The greatest integer not above `value` (`up`: the least not below).
    public static int floor(boolean up, long high, long low, int scale, WideNumber result) {
        result.set(high, low);
        if (scale <= 0) {
            return scale;
        }
        boolean negative = result.isNegative();
        boolean whole = result.isZero();
        boolean beyond = scale > Int128.MAX_DIGITS;
        result.truncate(scale);
        if (!whole && (beyond || result.hasRest()) && negative != up) {
            result.increment();
        }
        return 0;
    }
}
