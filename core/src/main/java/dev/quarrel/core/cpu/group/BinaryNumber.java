package dev.quarrel.core.cpu.group;

import java.math.BigInteger;

/// The exact number `units · 2^exponent`.
record BinaryNumber(BigInteger units, int exponent) {
    /// Bits that a quotient keeps before it is rounded; one more says whether anything follows.
    private static final int QUOTIENT_BITS = 66;

    static BinaryNumber of(long value) {
        return new BinaryNumber(BigInteger.valueOf(value), 0);
    }

    int signum() {
        return units.signum();
    }

    BinaryNumber plus(BinaryNumber other) {
        if (signum() == 0) {
            return other;
        }
        if (other.signum() == 0) {
            return this;
        }
        int common = Math.min(exponent, other.exponent);
        return new BinaryNumber(
                units.shiftLeft(exponent - common).add(other.units.shiftLeft(other.exponent - common)), common);
    }

    BinaryNumber minus(BinaryNumber other) {
        return plus(new BinaryNumber(other.units.negate(), other.exponent));
    }

    BinaryNumber times(BinaryNumber other) {
        return new BinaryNumber(units.multiply(other.units), exponent + other.exponent);
    }

    /// The quotient, rounded once to float64.
    ///
    /// - Errors: 22003 beyond float64's range; an [ArithmeticException] for a zero divisor.
    double dividedBy(BinaryNumber divisor) {
        if (signum() == 0) {
            return 0;
        }
        int shift = Math.max(0, divisor.units.bitLength() - units.bitLength() + QUOTIENT_BITS);
        BigInteger[] parts = units.abs().shiftLeft(shift).divideAndRemainder(divisor.units.abs());
        BigInteger quotient = parts[0].shiftLeft(1);
        if (parts[1].signum() != 0) {
            quotient = quotient.or(BigInteger.ONE);
        }
        if (signum() != divisor.signum()) {
            quotient = quotient.negate();
        }
        return FloatSum.round(quotient, exponent - divisor.exponent - shift - 1, 53, -1074, 1023);
    }
}
