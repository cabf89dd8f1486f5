package dev.quarrel.core.pg;

import java.math.BigInteger;

/// The shortest decimal digits that read back as the same float, as PostgreSQL (extra_float_digits ≥ 1) writes them.
///
/// PostgreSQL's variant never takes a digit string that lies exactly on the border between two floats, so `1e23` prints
/// as `1e+23` or `9.999999999999999e+22` as PostgreSQL has it; `Double.toString` differs there and allocates.
///
/// - Source: Adams, "Ryū: fast float-to-string conversion", PLDI 2018; PostgreSQL's `d2s.c` and `f2s.c`.
final class ShortestDecimal {
    private static final int DOUBLE_INVERSE_BITS = 122;
    private static final int DOUBLE_POWER_BITS = 121;
    private static final int FLOAT_INVERSE_BITS = 59;
    private static final int FLOAT_POWER_BITS = 61;

    // 128-bit entries: the low word at 2i, the high one at 2i + 1.
    private static final long[] DOUBLE_INVERSE = new long[2 * 342];
    private static final long[] DOUBLE_POWER = new long[2 * 326];
    private static final long[] FLOAT_INVERSE = new long[32];
    private static final long[] FLOAT_POWER = new long[48];

    static {
        BigInteger five = BigInteger.valueOf(5);
        BigInteger power = BigInteger.ONE;
        for (int index = 0; index < 342; index++) {
            int bits = power.bitLength();
            if (index < DOUBLE_INVERSE.length / 2) {
                split(DOUBLE_INVERSE, index, inverse(power, bits, DOUBLE_INVERSE_BITS));
            }
            if (index < DOUBLE_POWER.length / 2) {
                split(DOUBLE_POWER, index, scaled(power, bits - DOUBLE_POWER_BITS));
            }
            if (index < FLOAT_INVERSE.length) {
                FLOAT_INVERSE[index] = inverse(power, bits, FLOAT_INVERSE_BITS).longValue();
            }
            if (index < FLOAT_POWER.length) {
                FLOAT_POWER[index] = scaled(power, bits - FLOAT_POWER_BITS).longValue();
            }
            power = power.multiply(five);
        }
    }

    private static BigInteger inverse(BigInteger power, int bits, int precision) {
        return BigInteger.ONE.shiftLeft(bits - 1 + precision).divide(power).add(BigInteger.ONE);
    }

    private static BigInteger scaled(BigInteger power, int excess) {
        return excess >= 0 ? power.shiftRight(excess) : power.shiftLeft(-excess);
    }

    private static void split(long[] table, int index, BigInteger value) {
        table[2 * index] = value.longValue();
        table[2 * index + 1] = value.shiftRight(64).longValue();
    }

    private ShortestDecimal() {}

    static void append(double value, TextBuffer out) {
        long bits = Double.doubleToRawLongBits(value);
        long fraction = bits & (1L << 52) - 1;
        int exponent = (int) (bits >>> 52) & 0x7FF;
        if (exponent == 0x7FF) {
            appendSpecial(fraction != 0, bits < 0, out);
            return;
        }
        if (bits < 0) {
            out.append('-');
        }
        if (exponent == 0 && fraction == 0) {
            out.append('0');
            return;
        }
        int e2 = (exponent == 0 ? 1 : exponent) - 1023 - 52;
        long mantissa = exponent == 0 ? fraction : fraction | 1L << 52;
        if (e2 <= 0 && e2 >= -52 && (mantissa & (1L << -e2) - 1) == 0) {
            layout(mantissa >>> -e2, 0, 15, out);
            return;
        }
        shortest(mantissa, e2 - 2, fraction != 0 || exponent <= 1, out);
    }

    private static void shortest(long mantissa, int e2, boolean lowerBoundIsFar, TextBuffer out) {
        long middle = 4 * mantissa;
        long high = middle + 2;
        long low = middle - 1 - (lowerBoundIsFar ? 1 : 0);
        long vr;
        long vp;
        long vm;
        int e10;
        boolean exact = false;
        if (e2 >= 0) {
            int q = log10Pow2(e2) - (e2 > 3 ? 1 : 0);
            e10 = q;
            int shift = -e2 + q + DOUBLE_INVERSE_BITS + pow5Bits(q) - 1;
            vr = multiplyShift(middle, DOUBLE_INVERSE, q, shift);
            vp = multiplyShift(high, DOUBLE_INVERSE, q, shift);
            vm = multiplyShift(low, DOUBLE_INVERSE, q, shift);
            if (q <= 21) {
                if (middle % 5 == 0) {
                    exact = isMultipleOfPow5(middle, q);
                } else if (isMultipleOfPow5(high, q)) {
                    vp--;
                }
            }
        } else {
            int q = log10Pow5(-e2) - (-e2 > 1 ? 1 : 0);
            e10 = q + e2;
            int index = -e2 - q;
            int shift = q - (pow5Bits(index) - DOUBLE_POWER_BITS);
            vr = multiplyShift(middle, DOUBLE_POWER, index, shift);
            vp = multiplyShift(high, DOUBLE_POWER, index, shift);
            vm = multiplyShift(low, DOUBLE_POWER, index, shift);
            if (q <= 1) {
                exact = true;
                vp--;
            } else if (q < 63) {
                exact = (middle & (1L << q - 1) - 1) == 0;
            }
        }
        finish(vr, vp, vm, exact, 0, e10, 15, out);
    }

    static void append(float value, TextBuffer out) {
        int bits = Float.floatToRawIntBits(value);
        int fraction = bits & (1 << 23) - 1;
        int exponent = bits >>> 23 & 0xFF;
        if (exponent == 0xFF) {
            appendSpecial(fraction != 0, bits < 0, out);
            return;
        }
        if (bits < 0) {
            out.append('-');
        }
        if (exponent == 0 && fraction == 0) {
            out.append('0');
            return;
        }
        int e2 = (exponent == 0 ? 1 : exponent) - 127 - 23;
        int mantissa = exponent == 0 ? fraction : fraction | 1 << 23;
        if (e2 <= 0 && e2 >= -23 && (mantissa & (1 << -e2) - 1) == 0) {
            layout(mantissa >>> -e2, 0, 6, out);
            return;
        }
        shortestFloat(mantissa, e2 - 2, fraction != 0 || exponent <= 1, out);
    }

    private static void shortestFloat(int mantissa, int e2, boolean lowerBoundIsFar, TextBuffer out) {
        long middle = 4L * mantissa;
        long high = middle + 2;
        long low = middle - 1 - (lowerBoundIsFar ? 1 : 0);
        long vr;
        long vp;
        long vm;
        int e10;
        boolean exact = false;
        int lastRemoved = 0;
        if (e2 >= 0) {
            int q = log10Pow2(e2);
            e10 = q;
            int shift = -e2 + q + FLOAT_INVERSE_BITS + pow5Bits(q) - 1;
            vr = multiplyShift(middle, FLOAT_INVERSE[q], shift);
            vp = multiplyShift(high, FLOAT_INVERSE[q], shift);
            vm = multiplyShift(low, FLOAT_INVERSE[q], shift);
            if (q != 0 && (vp - 1) / 10 <= vm / 10) {
                int finer = -e2 + q - 1 + FLOAT_INVERSE_BITS + pow5Bits(q - 1) - 1;
                lastRemoved = (int) (multiplyShift(middle, FLOAT_INVERSE[q - 1], finer) % 10);
            }
            if (q <= 9) {
                if (middle % 5 == 0) {
                    exact = isMultipleOfPow5(middle, q);
                } else if (isMultipleOfPow5(high, q)) {
                    vp--;
                }
            }
        } else {
            int q = log10Pow5(-e2);
            e10 = q + e2;
            int index = -e2 - q;
            int shift = q - (pow5Bits(index) - FLOAT_POWER_BITS);
            vr = multiplyShift(middle, FLOAT_POWER[index], shift);
            vp = multiplyShift(high, FLOAT_POWER[index], shift);
            vm = multiplyShift(low, FLOAT_POWER[index], shift);
            if (q != 0 && (vp - 1) / 10 <= vm / 10) {
                int finer = q - 1 - (pow5Bits(index + 1) - FLOAT_POWER_BITS);
                lastRemoved = (int) (multiplyShift(middle, FLOAT_POWER[index + 1], finer) % 10);
            }
            if (q <= 1) {
                exact = true;
                vp--;
            } else if (q < 31) {
                exact = (middle & (1L << q - 1) - 1) == 0;
            }
        }
        finish(vr, vp, vm, exact, lastRemoved, e10, 6, out);
    }

    /// Drops digits while the interval (vm, vp) allows, and rounds what is left of vr.
    private static void finish(
            long vr,
            long vp,
            long vm,
            boolean exactSoFar,
            int lastRemovedSoFar,
            int e10,
            int fixedDigits,
            TextBuffer out) {
        long value = vr;
        long upper = vp;
        long lower = vm;
        boolean exact = exactSoFar;
        int lastRemoved = lastRemovedSoFar;
        int removed = 0;
        while (upper / 10 > lower / 10) {
            exact &= lastRemoved == 0;
            lastRemoved = (int) (value % 10);
            value /= 10;
            upper /= 10;
            lower /= 10;
            removed++;
        }
        if (exact && lastRemoved == 5 && (value & 1) == 0) {
            lastRemoved = 4; // halfway: to even
        }
        if (value == lower || lastRemoved >= 5) {
            value++;
        }
        layout(value, e10 + removed, fixedDigits, out);
    }

    private static void appendSpecial(boolean nan, boolean negative, TextBuffer out) {
        out.appendAscii(nan ? "NaN" : negative ? "-Infinity" : "Infinity");
    }

    /// Writes `mantissa * 10^exponent` as printf's %g would: an exponent below -4, or of `fixedDigits` or more, is
    /// written.
    private static void layout(long mantissa, int exponent, int fixedDigits, TextBuffer out) {
        long digits = mantissa;
        int scale = exponent;
        int count = PgText.digitCount(digits);
        int leading = scale + count - 1;
        if (leading >= -4 && leading < fixedDigits) {
            layoutFixed(digits, scale, count, out);
            return;
        }
        while (digits % 10 == 0) {
            digits /= 10;
            count--;
        }
        int start = out.reserve(count + 7);
        byte[] bytes = out.array();
        PgText.putDigits(digits, bytes, start + 1, count);
        bytes[start] = bytes[start + 1];
        int at = start + 1;
        if (count > 1) {
            bytes[at] = '.';
            at = start + 1 + count;
        }
        bytes[at++] = 'e';
        bytes[at++] = (byte) (leading < 0 ? '-' : '+');
        int magnitude = Math.abs(leading);
        int width = magnitude < 100 ? 2 : 3;
        PgText.putDigits(magnitude, bytes, at, width);
        out.advanceTo(at + width);
    }

    private static void layoutFixed(long digits, int scale, int count, TextBuffer out) {
        if (scale >= 0) {
            int start = out.reserve(count + scale);
            byte[] bytes = out.array();
            PgText.putDigits(digits, bytes, start, count);
            for (int index = 0; index < scale; index++) {
                bytes[start + count + index] = '0';
            }
            out.advanceTo(start + count + scale);
            return;
        }
        int integerDigits = Math.max(count + scale, 0);
        int zeros = Math.max(-scale - count, 0);
        int start = out.reserve(count + zeros + 3);
        byte[] bytes = out.array();
        if (integerDigits == 0) {
            bytes[start] = '0';
            bytes[start + 1] = '.';
            for (int index = 0; index < zeros; index++) {
                bytes[start + 2 + index] = '0';
            }
            PgText.putDigits(digits, bytes, start + 2 + zeros, count);
            out.advanceTo(start + 2 + zeros + count);
            return;
        }
        PgText.putDigits(digits, bytes, start + 1, count);
        for (int index = 0; index < integerDigits; index++) {
            bytes[start + index] = bytes[start + index + 1];
        }
        bytes[start + integerDigits] = '.';
        out.advanceTo(start + count + 1);
    }

    private static long multiplyShift(long value, long[] table, int index, int shift) {
        long carried = Math.unsignedMultiplyHigh(value, table[2 * index]);
        long factor = table[2 * index + 1];
        long low = value * factor + carried;
        long high = Math.unsignedMultiplyHigh(value, factor) + (Long.compareUnsigned(low, carried) < 0 ? 1 : 0);
        int distance = shift - 64;
        return high << 64 - distance | low >>> distance;
    }

    private static long multiplyShift(long value, long factor, int shift) {
        long low = value * (factor & 0xFFFF_FFFFL);
        long high = value * (factor >>> 32);
        return (low >>> 32) + high >>> shift - 32;
    }

    private static boolean isMultipleOfPow5(long value, int power) {
        long rest = value;
        for (int count = 0; count < power; count++) {
            if (rest % 5 != 0) {
                return false;
            }
            rest /= 5;
        }
        return true;
    }

    private static int pow5Bits(int exponent) {
        return (int) (exponent * 1_217_359L >>> 19) + 1;
    }

    private static int log10Pow2(int exponent) {
        return exponent * 78_913 >>> 18;
    }

    private static int log10Pow5(int exponent) {
        return (int) (exponent * 732_923L >>> 20);
    }
}
