package dev.quarrel.core.cpu.number;

import dev.quarrel.core.type.SpecialNumeric;
import java.math.BigInteger;

/// The arithmetic of signed 128-bit integers in two words: `high` with the sign, `low` the lower 64 bits.
///
/// Magnitudes are unsigned 128-bit integers in two words.
public final class Int128 {
    /// Decimal digits that every value has room for.
    public static final int MAX_DIGITS = 38;

    private static final BigInteger LOW_MASK = BigInteger.ONE.shiftLeft(64).subtract(BigInteger.ONE);
    private static final long[] POWER_HIGH = new long[MAX_DIGITS + 1];
    private static final long[] POWER_LOW = new long[MAX_DIGITS + 1];

    static {
        BigInteger power = BigInteger.ONE;
        for (int exponent = 0; exponent <= MAX_DIGITS; exponent++) {
            POWER_HIGH[exponent] = power.shiftRight(64).longValue();
            POWER_LOW[exponent] = power.longValue();
            power = power.multiply(BigInteger.TEN);
        }
    }

    private Int128() {}

    public static BigInteger toBigInteger(long high, long low) {
        if (high == low >> 63) {
            return BigInteger.valueOf(low);
        }
        return BigInteger.valueOf(high).shiftLeft(64).or(BigInteger.valueOf(low).and(LOW_MASK));
    }

    /// Upper 64 bits of 10^exponent.
    ///
    /// @param exponent 0 to 38
    public static long powerHigh(int exponent) {
        return POWER_HIGH[exponent];
    }

    /// Lower 64 bits of 10^exponent.
    ///
    /// @param exponent 0 to 38
    public static long powerLow(int exponent) {
        return POWER_LOW[exponent];
    }

    public static int compare(long highA, long lowA, long highB, long lowB) {
        int order = Long.compare(highA, highB);
        return order != 0 ? order : Long.compareUnsigned(lowA, lowB);
    }

    static int compareUnsigned(long highA, long lowA, long highB, long lowB) {
        int order = Long.compareUnsigned(highA, highB);
        return order != 0 ? order : Long.compareUnsigned(lowA, lowB);
    }

    /// Order of `a · 10^-scaleA` and `b · 10^-scaleB`.
    public static int compareScaled(long highA, long lowA, int scaleA, long highB, long lowB, int scaleB) {
        if (SpecialNumeric.is(scaleA | scaleB)) {
            return SpecialNumeric.compare(lowA, scaleA, lowB, scaleB);
        }
        if (scaleA == scaleB) {
            return compare(highA, lowA, highB, lowB);
        }
        if (highA < 0 != highB < 0) {
            return highA < 0 ? -1 : 1;
        }
        if (scaleA > scaleB) {
            return -compareScaled(highB, lowB, scaleB, highA, lowA, scaleA);
        }
        int difference = scaleB - scaleA;
        if (highA == lowA >> 63 && difference <= 18) {
            // 64 bits times at most 10^18 fit 128 bits.
            long high = Math.multiplyHigh(lowA, POWER_LOW[difference]);
            return compare(high, lowA * POWER_LOW[difference], highB, lowB);
        }
        return compareWide(highA, lowA, difference, highB, lowB);
    }

    private static int compareWide(long highA, long lowA, int difference, long highB, long lowB) {
        if ((highA | lowA) == 0) {
            return compare(0, 0, highB, lowB);
        }
        if (difference > MAX_DIGITS + 1) {
            return highA < 0 ? -1 : 1;
        }
        return toBigInteger(highA, lowA)
                .multiply(BigInteger.TEN.pow(difference))
                .compareTo(toBigInteger(highB, lowB));
    }

    /// Decimal digits of a magnitude; 0 for 0.
    static int digits(long high, long low) {
        int bits = high != 0 ? 128 - Long.numberOfLeadingZeros(high) : 64 - Long.numberOfLeadingZeros(low);
        // 1233 / 4096 is a little more than log10(2); the guess is right or one too low.
        int guess = bits * 1233 >>> 12;
        return guess > MAX_DIGITS || compareUnsigned(high, low, POWER_HIGH[guess], POWER_LOW[guess]) < 0
                ? guess
                : guess + 1;
    }

    /// Whether the magnitude of a signed value has at most 38 digits.
    public static boolean fits(long high, long low) {
        return fits(high, low, MAX_DIGITS);
    }

    /// Whether the magnitude of a signed value has at most `precision` digits.
    public static boolean fits(long high, long low, int precision) {
        long sign = high >> 63;
        long magnitudeLow = (low ^ sign) - sign;
        long magnitudeHigh = (high ^ sign) + (sign & (magnitudeLow == 0 ? 1 : 0));
        return compareUnsigned(magnitudeHigh, magnitudeLow, POWER_HIGH[precision], POWER_LOW[precision]) < 0;
    }
}
