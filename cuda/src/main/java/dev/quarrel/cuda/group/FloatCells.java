package dev.quarrel.cuda.group;

import dev.quarrel.core.column.Allocator;
import dev.quarrel.core.column.Column;
import dev.quarrel.core.column.ColumnWriter;
import dev.quarrel.core.type.DataType;
import dev.quarrel.cuda.vm.VmProgram;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.math.BigInteger;
import java.util.List;

/// Exact sums of floats: the device's limbs as columns of partial sums (`AggregateLayout`).
///
/// Nearly all sums fit a window of 192 bits; those that do not are written out.
final class FloatCells {
    private static final int LIMBS = VmProgram.FLOAT_WORDS - 1;
    private static final int LIMB_BITS = 32;
    private static final long LIMB_MASK = 0xFFFF_FFFFL;
    /// What the first limb counts is 2 to the power of this.
    private static final int FIRST_EXPONENT = -1088;
    /// What a written number counts, likewise.
    private static final int WRITTEN_EXPONENT = -1074;
    /// One more has the sign.
    private static final int WINDOW_LIMBS = 5;

    private static final int SEEN = 1;
    private static final int HAS_EXPONENT = 32;

    private final ColumnWriter low;
    private final ColumnWriter middle;
    private final ColumnWriter high;
    private final ColumnWriter exponent;
    private final ColumnWriter flags;
    private final ColumnWriter rest;
    private final long[] limbs = new long[LIMBS];

    FloatCells(int count, Allocator allocator) {
        low = new ColumnWriter(DataType.INT64, allocator, count);
        middle = new ColumnWriter(DataType.INT64, allocator, count);
        high = new ColumnWriter(DataType.INT64, allocator, count);
        exponent = new ColumnWriter(DataType.INT16, allocator, count);
        flags = new ColumnWriter(DataType.INT16, allocator, count);
        rest = new ColumnWriter(DataType.UTF8, allocator, count);
    }

    /// @param cells from the sum's words on
    /// @param isPresent whether any value was added
    void add(MemorySegment cells, boolean isPresent) {
        if (!isPresent) {
            append(0, 0, 0, 0, 0);
            rest.appendNull();
            return;
        }
        int seen = (int) cells.get(ValueLayout.JAVA_LONG, 0) | SEEN;
        long carry = 0;
        int lowest = LIMBS;
        for (int limb = 0; limb < LIMBS; limb++) {
            long word = cells.getAtIndex(ValueLayout.JAVA_LONG, limb + 1) + carry;
            // The last limb keeps the sign.
            limbs[limb] = limb < LIMBS - 1 ? word & LIMB_MASK : word;
            carry = word >> LIMB_BITS;
            lowest = lowest == LIMBS && limbs[limb] != 0 ? limb : lowest;
        }
        if (lowest == LIMBS) {
            append(0, 0, 0, 0, seen);
            rest.appendNull();
            return;
        }
        boolean isNegative = limbs[LIMBS - 1] < 0;
        if (highest(isNegative) - lowest < WINDOW_LIMBS) {
            long sign = isNegative ? LIMB_MASK : 0;
            append(
                    limb(lowest, sign) | limb(lowest + 1, sign) << LIMB_BITS,
                    limb(lowest + 2, sign) | limb(lowest + 3, sign) << LIMB_BITS,
                    limb(lowest + 4, sign) | sign << LIMB_BITS,
                    lowest * LIMB_BITS + FIRST_EXPONENT,
                    seen | HAS_EXPONENT);
            rest.appendNull();
        } else {
            append(0, 0, 0, 0, seen);
            rest.appendUtf8(
                    units().shiftRight(WRITTEN_EXPONENT - FIRST_EXPONENT).toString(16));
        }
    }

    private void append(long word0, long word1, long word2, int unit, int seen) {
        low.appendInt64(word0);
        middle.appendInt64(word1);
        high.appendInt64(word2);
        exponent.appendInt16((short) unit);
        flags.appendInt16((short) seen);
    }

    /// The highest limb that is more than the sign, or -1.
    private int highest(boolean isNegative) {
        int limb = LIMBS - 1;
        if (limbs[limb] != (isNegative ? -1 : 0)) {
            return limb;
        }
        do {
            limb--;
        } while (limb >= 0 && limbs[limb] == (isNegative ? LIMB_MASK : 0));
        return limb;
    }

    private long limb(int index, long sign) {
        return index < LIMBS ? limbs[index] & LIMB_MASK : sign;
    }

    private BigInteger units() {
        BigInteger sum = BigInteger.ZERO;
        for (int limb = LIMBS - 1; limb >= 0; limb--) {
            sum = sum.shiftLeft(LIMB_BITS).add(BigInteger.valueOf(limbs[limb]));
        }
        return sum;
    }

    void finish(List<Column> to) {
        to.add(low.finish());
        to.add(middle.finish());
        to.add(high.finish());
        to.add(exponent.finish());
        to.add(flags.finish());
        to.add(rest.finish());
    }
}
