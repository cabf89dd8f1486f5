package dev.quarrel.core.cpu.group;

import dev.quarrel.core.cpu.rows.DoubleStore;
import dev.quarrel.core.cpu.rows.FloatStore;
import dev.quarrel.core.cpu.rows.ValueStore;

/// Exact prefix sums of floats, as integers of 127 bits in units of the least bit that any of the floats has.
/// The sum of every run of rows is therefore exact, whatever the order of additions, and is rounded once at the
/// end.
public final class FixedPoint {
    private final int unit; // exponent of the unit
    private final long[] high;
    private final long[] low;
    private long sumHigh;
    private long sumLow;

    private FixedPoint(int unit, int size) {
        this.unit = unit;
        this.high = new long[size];
        this.low = new long[size];
    }

    /// The sums in front of each row, or null where 127 bits do not hold them, or a value is NaN, infinite or -0.
    ///
    /// @param before how many rows that count stand in front of each
    public static FixedPoint of(ValueStore values, int[] before) {
        int least = Integer.MAX_VALUE;
        int most = Integer.MIN_VALUE;
        int rowCount = before.length - 1;
        for (int row = 0; row < rowCount; row++) {
            if (before[row + 1] == before[row]) {
                continue;
            }
            double value = value(values, row);
            if (value == 0) {
                if (Double.doubleToRawLongBits(value) != 0) {
                    return null;
                }
                continue;
            }
            if (!Double.isFinite(value)) {
                return null;
            }
            int exponent = Math.max(Math.getExponent(value), Double.MIN_EXPONENT);
            least = Math.min(least, exponent - 52 + Long.numberOfTrailingZeros(mantissa(value)));
            most = Math.max(most, exponent + 1);
        }
        int countBits = 32 - Integer.numberOfLeadingZeros(rowCount);
        boolean isFloat = values instanceof FloatStore;
        if (least <= most
                && (most - least + countBits > 126
                        || most + countBits > (isFloat ? Float.MAX_EXPONENT : Double.MAX_EXPONENT))) {
            return null;
        }
        FixedPoint sums = new FixedPoint(least > most ? 0 : least, rowCount + 1);
        for (int row = 0; row < rowCount; row++) {
            sums.append(row, before[row + 1] == before[row] ? 0 : value(values, row));
        }
        return sums;
    }

    private static double value(ValueStore values, int row) {
        return values instanceof FloatStore floats ? floats.values()[row] : ((DoubleStore) values).values()[row];
    }

    private static long mantissa(double value) {
        long bits = Double.doubleToRawLongBits(value) & (1L << 52) - 1;
        return Math.getExponent(value) < Double.MIN_EXPONENT ? bits : bits | 1L << 52;
    }

    private void append(int row, double value) {
        long valueLow = 0;
        long valueHigh = 0;
        if (value != 0) {
            long mantissa = mantissa(value);
            int shift = Math.max(Math.getExponent(value), Double.MIN_EXPONENT) - 52 - unit;
            if (shift <= 0) {
                valueLow = mantissa >>> -shift;
            } else if (shift < 64) {
                valueLow = mantissa << shift;
                valueHigh = mantissa >>> 1 >>> 63 - shift;
            } else {
                valueHigh = mantissa << shift - 64;
            }
            if (value < 0) {
                valueHigh = ~valueHigh + (valueLow == 0 ? 1 : 0);
                valueLow = -valueLow;
            }
        }
        low[row + 1] = low[row] + valueLow;
        high[row + 1] = high[row] + valueHigh + (Long.compareUnsigned(low[row + 1], valueLow) < 0 ? 1 : 0);
    }

    /// Starts a sum of runs.
    public void clear() {
        sumHigh = 0;
        sumLow = 0;
    }

    /// Adds rows [from, to) to the sum.
    public void add(int from, int to) {
        long runLow = low[to] - low[from];
        long runHigh = high[to] - high[from] - (Long.compareUnsigned(low[to], low[from]) < 0 ? 1 : 0);
        sumLow += runLow;
        sumHigh += runHigh + (Long.compareUnsigned(sumLow, runLow) < 0 ? 1 : 0);
    }

    /// The sum, rounded half to even to so many bits.
    public double rounded(int precision) {
        boolean isNegative = sumHigh < 0;
        long magnitudeLow = isNegative ? -sumLow : sumLow;
        long magnitudeHigh = isNegative ? ~sumHigh + (sumLow == 0 ? 1 : 0) : sumHigh;
        int bits = magnitudeHigh != 0
                ? 128 - Long.numberOfLeadingZeros(magnitudeHigh)
                : 64 - Long.numberOfLeadingZeros(magnitudeLow);
        int shift = Math.max(0, bits - precision);
        long top = shiftRight(magnitudeHigh, magnitudeLow, shift);
        if (shift > 0) {
            boolean half = bit(magnitudeHigh, magnitudeLow, shift - 1);
            boolean rest = hasBitsBelow(magnitudeHigh, magnitudeLow, shift - 1);
            top += half && (rest || (top & 1) != 0) ? 1 : 0;
        }
        double value = Math.scalb((double) top, unit + shift);
        return isNegative ? -value : value;
    }

    private static long shiftRight(long high, long low, int shift) {
        return shift == 0 ? low : shift < 64 ? low >>> shift | high << 64 - shift : high >>> shift - 64;
    }

    private static boolean bit(long high, long low, int place) {
        return ((place < 64 ? low >>> place : high >>> place - 64) & 1) != 0;
    }

    private static boolean hasBitsBelow(long high, long low, int place) {
        return place <= 64 ? place > 0 && low << 64 - place != 0 : low != 0 || (high & (1L << place - 64) - 1) != 0;
    }
}
