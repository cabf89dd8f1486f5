package dev.quarrel.core.cpu.number;

import java.math.BigInteger;

/// A 128-bit register for numeric arithmetic: a sign, a magnitude of two words, and the result of the last
/// division.
///
/// Methods that can leave 128 bits answer false then, and the content is undefined. Reused from row to row; one
/// thread.
public final class WideNumber {
    private boolean negative;
    private long high;
    private long low;
    private long restHigh;
    private long restLow;

    /// Takes a signed value.
    public void set(long newHigh, long newLow) {
        negative = newHigh < 0;
        if (negative) {
            low = -newLow;
            high = ~newHigh + (newLow == 0 ? 1 : 0);
        } else {
            low = newLow;
            high = newHigh;
        }
    }

    public boolean set(BigInteger value) {
        BigInteger magnitude = value.abs();
        negative = value.signum() < 0;
        high = magnitude.shiftRight(64).longValue();
        low = magnitude.longValue();
        return magnitude.bitLength() < 128;
    }

    /// Upper word of the signed value.
    public long high() {
        return negative ? ~high + (low == 0 ? 1 : 0) : high;
    }

    /// Lower word of the signed value.
    public long low() {
        return negative ? -low : low;
    }

    public boolean isZero() {
        return (high | low) == 0;
    }

    public boolean isNegative() {
        return negative && !isZero();
    }

    /// Whether the value has at most `precision` decimal digits.
    public boolean fits(int precision) {
        return Int128.compareUnsigned(high, low, Int128.powerHigh(precision), Int128.powerLow(precision)) < 0;
    }

    /// Decimal digits of the magnitude; 0 for 0.
    int digits() {
        return Int128.digits(high, low);
    }

    BigInteger toBigInteger() {
        return Int128.toBigInteger(high(), low());
    }

    /// Adds a signed value.
    public boolean add(long otherHigh, long otherLow) {
        long thisHigh = high();
        long thisLow = low();
        long sumLow = thisLow + otherLow;
        long carry = Long.compareUnsigned(sumLow, thisLow) < 0 ? 1 : 0;
        long sumHigh = thisHigh + otherHigh + carry;
        boolean overflow = ((thisHigh ^ sumHigh) & (otherHigh ^ sumHigh)) < 0;
        set(sumHigh, sumLow);
        return !overflow;
    }

    /// Multiplies by a signed value.
    public boolean multiply(long otherHigh, long otherLow) {
        boolean otherNegative = otherHigh < 0;
        long factorLow = otherNegative ? -otherLow : otherLow;
        long factorHigh = otherNegative ? ~otherHigh + (otherLow == 0 ? 1 : 0) : otherHigh;
        negative ^= otherNegative;
        return multiplyMagnitude(factorHigh, factorLow);
    }

    private boolean multiplyMagnitude(long factorHigh, long factorLow) {
        if (high != 0 && factorHigh != 0) {
            return false;
        }
        long crossA = high * factorLow;
        long crossB = low * factorHigh;
        boolean overflow = high != 0 && Math.unsignedMultiplyHigh(high, factorLow) != 0
                || factorHigh != 0 && Math.unsignedMultiplyHigh(low, factorHigh) != 0;
        long top = Math.unsignedMultiplyHigh(low, factorLow);
        long cross = crossA + crossB; // one of them is 0
        long sum = top + cross;
        overflow |= Long.compareUnsigned(sum, top) < 0;
        low *= factorLow;
        high = sum;
        return !overflow && high >= 0;
    }

    /// Multiplies by 10^exponent.
    public boolean scaleUp(int exponent) {
        if (exponent == 0 || isZero()) {
            return true;
        }
        if (exponent > Int128.MAX_DIGITS) {
            return false;
        }
        return multiplyMagnitude(Int128.powerHigh(exponent), Int128.powerLow(exponent));
    }

    /// Divides by 10^exponent, towards zero.
    void truncate(int exponent) {
        if (exponent > Int128.MAX_DIGITS) {
            high = 0;
            low = 0;
        } else if (exponent > 0) {
            divideMagnitude(Int128.powerHigh(exponent), Int128.powerLow(exponent));
        }
    }

    /// Divides by 10^exponent, half away from zero.
    public void round(int exponent) {
        if (exponent > Int128.MAX_DIGITS) {
            // Less than 2^127 is less than half of 10^39.
            high = 0;
            low = 0;
        } else if (exponent > 0) {
            divideMagnitude(Int128.powerHigh(exponent), Int128.powerLow(exponent));
            roundByRest(Int128.powerHigh(exponent), Int128.powerLow(exponent));
        }
    }

    /// Adds one, away from zero.
    void increment() {
        low++;
        if (low == 0) {
            high++;
        }
    }

    /// Whether the last division left something.
    boolean hasRest() {
        return (restHigh | restLow) != 0;
    }

    /// Divides by a signed value that is not 0, half away from zero.
    void divideRounding(long otherHigh, long otherLow) {
        boolean otherNegative = otherHigh < 0;
        long divisorLow = otherNegative ? -otherLow : otherLow;
        long divisorHigh = otherNegative ? ~otherHigh + (otherLow == 0 ? 1 : 0) : otherHigh;
        negative ^= otherNegative;
        divideMagnitude(divisorHigh, divisorLow);
        roundByRest(divisorHigh, divisorLow);
    }

    /// Becomes the rest of a division by a signed value that is not 0; the sign stays.
    public void remainder(long otherHigh, long otherLow) {
        boolean otherNegative = otherHigh < 0;
        divideMagnitude(
                otherNegative ? ~otherHigh + (otherLow == 0 ? 1 : 0) : otherHigh, otherNegative ? -otherLow : otherLow);
        high = restHigh;
        low = restLow;
    }

    private void roundByRest(long divisorHigh, long divisorLow) {
        // rest >= divisor - rest, without leaving 128 bits
        long missingLow = divisorLow - restLow;
        long borrow = Long.compareUnsigned(divisorLow, restLow) < 0 ? 1 : 0;
        long missingHigh = divisorHigh - restHigh - borrow;
        if (Int128.compareUnsigned(restHigh, restLow, missingHigh, missingLow) >= 0) {
            increment();
        }
    }

    private void divideMagnitude(long divisorHigh, long divisorLow) {
        if (divisorHigh == 0) {
            if (high == 0) {
                restLow = Long.remainderUnsigned(low, divisorLow);
                low = Long.divideUnsigned(low, divisorLow);
            } else {
                long quotientHigh = Long.divideUnsigned(high, divisorLow);
                long top = Long.remainderUnsigned(high, divisorLow);
                long quotientLow = divideWords(top, low, divisorLow);
                restLow = low - quotientLow * divisorLow;
                high = quotientHigh;
                low = quotientLow;
            }
            restHigh = 0;
            return;
        }
        divideByWide(divisorHigh, divisorLow);
    }

    /// Source: Warren, "Hacker's Delight", 2nd edition, section 9-5 (a doubleword divided by a doubleword).
    private void divideByWide(long divisorHigh, long divisorLow) {
        int shift = Long.numberOfLeadingZeros(divisorHigh);
        long normal = shift == 0 ? divisorHigh : divisorHigh << shift | divisorLow >>> 64 - shift;
        long guess = divideWords(high >>> 1, high << 63 | low >>> 1, normal) >>> 63 - shift;
        long quotient = guess == 0 ? 0 : guess - 1;
        long productLow = quotient * divisorLow;
        long productHigh = Math.unsignedMultiplyHigh(quotient, divisorLow) + quotient * divisorHigh;
        restLow = low - productLow;
        restHigh = high - productHigh - (Long.compareUnsigned(low, productLow) < 0 ? 1 : 0);
        if (Int128.compareUnsigned(restHigh, restLow, divisorHigh, divisorLow) >= 0) {
            quotient++;
            long before = restLow;
            restLow -= divisorLow;
            restHigh -= divisorHigh + (Long.compareUnsigned(before, divisorLow) < 0 ? 1 : 0);
        }
        high = 0;
        low = quotient;
    }

    /// The quotient of a two-word number by one word, when it fits one: `top < divisor`, unsigned.
    ///
    /// Source: Knuth, "The Art of Computer Programming" 2, algorithm D, with digits of 32 bits.
    static long divideWords(long top, long bottom, long divisor) {
        if (top == 0) {
            return Long.divideUnsigned(bottom, divisor);
        }
        int shift = Long.numberOfLeadingZeros(divisor);
        long normal = divisor << shift;
        long normalHigh = normal >>> 32;
        long normalLow = normal & 0xFFFF_FFFFL;
        long shiftedTop = shift == 0 ? top : top << shift | bottom >>> 64 - shift;
        long shiftedBottom = bottom << shift;
        long first = digit(shiftedTop, shiftedBottom >>> 32, normalHigh, normalLow);
        long next = (shiftedTop << 32 | shiftedBottom >>> 32) - first * normal;
        long second = digit(next, shiftedBottom & 0xFFFF_FFFFL, normalHigh, normalLow);
        return (first << 32) + second;
    }

    /// One digit of 32 bits of `(top, following) / (normalHigh, normalLow)`.
    private static long digit(long top, long following, long normalHigh, long normalLow) {
        long quotient = Long.divideUnsigned(top, normalHigh);
        long rest = top - quotient * normalHigh;
        while (quotient >>> 32 != 0 || Long.compareUnsigned(quotient * normalLow, rest << 32 | following) > 0) {
            quotient--;
            rest += normalHigh;
            if (rest >>> 32 != 0) {
                break;
            }
        }
        return quotient;
    }
}
