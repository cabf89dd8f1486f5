package dev.quarrel.core.cpu.group;

import java.util.Arrays;

/// Sums float64s of many groups exactly by plain additions, over many tiles: each value is cut into three slices at
/// places that are the same for all groups, with so few bits each that no addition of [#MAX_ROWS] rows rounds. It takes
/// a quarter of the time of a [FloatSum]'s own states, to which the slices are added now and then.
///
/// Slices hold 81 bits below the largest value; the bits of smaller values that are below these go to the states at
/// once.
///
/// - Source: as [SlicedSum].
/// - Memory: [#GROUP_BYTES] a group, which the sum reserves.
final class FloatSlices {
    static final int GROUP_BYTES = 32;

    /// Rows between two times that slices are emptied, two less than 2^`COUNT_BITS`.
    static final int MAX_ROWS = (1 << 26) - 2;

    private static final int COUNT_BITS = 26;
    private static final int MANTISSA_BITS = 53;
    private static final int SLICES = 3;
    private static final int STRIDE = 4;
    /// Beyond these exponents slices would overflow or lose bits.
    private static final int MAX_EXPONENT = 900;

    private static final int MIN_EXPONENT = -850;
    /// Larger values than before move the places, after the slices are emptied: values that grow all the time are
    /// better added otherwise.
    private static final int MOST_PLACES = 8;

    // Of each group its slices from the highest on, and then 1 where it has a value.
    private double[] slices = new double[0];
    private int exponent = Integer.MIN_VALUE; // all values are less than 2^exponent
    private int places;
    private int rows;
    private double first;
    private double second;
    private double third;

    void resize(int groups) {
        slices = Arrays.copyOf(slices, Math.multiplyExact(STRIDE, groups));
    }

    /// Adds `values[i]` to `groups[i]`.
    ///
    /// @return false where nothing was added, since there are infinities, NaN, -0 or values of extreme exponents
    boolean add(double[] values, int[] groups, int count, FloatSum sum) {
        if (!place(values, count, sum)) {
            return false;
        }
        if (rows > MAX_ROWS - count) {
            empty(sum);
        }
        rows += count;
        double[] sums = slices;
        double firstCut = first;
        double secondCut = second;
        double thirdCut = third;
        for (int index = 0; index < count; index++) {
            double value = values[index];
            double slice0 = value + firstCut - firstCut;
            double rest0 = value - slice0;
            double slice1 = rest0 + secondCut - secondCut;
            double rest1 = rest0 - slice1;
            double slice2 = rest1 + thirdCut - thirdCut;
            int at = STRIDE * groups[index];
            sums[at] += slice0;
            sums[at + 1] += slice1;
            sums[at + 2] += slice2;
            sums[at + SLICES] = 1;
            if (rest1 != slice2) {
                sum.add(groups[index], rest1 - slice2);
            }
        }
        return true;
    }

    /// Brings what the slices hold into the sum's states.
    void empty(FloatSum sum) {
        for (int at = 0; at < slices.length; at += STRIDE) {
            if (slices[at + SLICES] == 0) {
                continue;
            }
            int group = at / STRIDE;
            sum.markSeen(group);
            for (int slice = at; slice < at + SLICES; slice++) {
                if (slices[slice] != 0) {
                    sum.add(group, slices[slice]);
                }
            }
        }
        Arrays.fill(slices, 0);
        rows = 0;
    }

    /// Sees to it that all values are less than 2^`exponent`; false where they cannot be cut.
    private boolean place(double[] values, int count, FloatSum sum) {
        long greatest = 0;
        long least = 0; // of the bits: that of -0
        for (int index = 0; index < count; index++) {
            long bits = Double.doubleToRawLongBits(values[index]);
            greatest = Math.max(greatest, bits & Long.MAX_VALUE);
            least = Math.min(least, bits);
        }
        int top = (int) (greatest >>> MANTISSA_BITS - 1) - Double.MAX_EXPONENT + 1;
        if (least == Long.MIN_VALUE || top > MAX_EXPONENT) {
            return false;
        }
        if (top > exponent) {
            if (places == MOST_PLACES) {
                return false;
            }
            empty(sum);
            // Room for values that are somewhat larger, and more each time.
            exponent = Math.max(top, MIN_EXPONENT) + 1 + places;
            places++;
            first = Math.scalb(1.0, exponent + COUNT_BITS);
            second = Math.scalb(first, COUNT_BITS - MANTISSA_BITS);
            third = Math.scalb(second, COUNT_BITS - MANTISSA_BITS);
        }
        return true;
    }
}
