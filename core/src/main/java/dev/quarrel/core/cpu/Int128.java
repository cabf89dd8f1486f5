package dev.quarrel.core.cpu;

import java.math.BigInteger;

/// Signed 128-bit integers in two words: `high` with the sign, `low` the lower 64 bits.
public final class Int128 {
    private static final BigInteger LOW_MASK = BigInteger.ONE.shiftLeft(64).subtract(BigInteger.ONE);

    private Int128() {}

    public static BigInteger toBigInteger(long high, long low) {
        return BigInteger.valueOf(high).shiftLeft(64).or(BigInteger.valueOf(low).and(LOW_MASK));
    }

    public static int compare(long highA, long lowA, long highB, long lowB) {
        int order = Long.compare(highA, highB);
        return order != 0 ? order : Long.compareUnsigned(lowA, lowB);
    }

    /// Order of `a · 10^-scaleA` and `b · 10^-scaleB`.
    static int compareScaled(long highA, long lowA, int scaleA, long highB, long lowB, int scaleB) {
        if (scaleA == scaleB) {
            return compare(highA, lowA, highB, lowB);
        }
        BigInteger a = toBigInteger(highA, lowA);
        BigInteger b = toBigInteger(highB, lowB);
        return scaleA < scaleB
                ? a.multiply(BigInteger.TEN.pow(scaleB - scaleA)).compareTo(b)
                : a.compareTo(b.multiply(BigInteger.TEN.pow(scaleA - scaleB)));
    }
}
