package dev.quarrel.core.cpu.group;

/// Sums float64s of a tile exactly by plain additions: each value is cut into its bits above and below a place that
/// the largest one fixes, with so few bits in each slice that no addition of so many rounds. Additions may then come in
/// any order.
///
/// Two slices hold values down to some 2⁻³⁰ of the largest, and smaller ones whose last bits are zero; where they do
/// not hold all, the answer is false, and the values are to be added otherwise.
///
/// - Source: Rump, Ogita, Oishi, "Accurate floating-point summation part I", 2008: ExtractVector.
final class SlicedSum {
    /// Rows of one sum at most, two less than 2^`COUNT_BITS`.
    static final int MAX_ROWS = (1 << 12) - 2;

    private static final int COUNT_BITS = 12;
    private static final int MANTISSA_BITS = 53;
    /// Beyond these exponents slices would overflow or lose bits.
    private static final int MAX_EXPONENT = 1000;

    private static final int MIN_EXPONENT = -850;

    private double high;
    private double low;
    private double upper;
    private double lower;

    /// The sum is `upper() + lower()`, which may not be added up.
    double upper() {
        return upper;
    }

    double lower() {
        return lower;
    }

    /// Sums values [from, from + count), at most MAX_ROWS.
    boolean of(double[] values, int from, int count) {
        if (!place(values, from, count)) {
            return false;
        }
        double first = high;
        double second = low;
        double upper0 = 0;
        double upper1 = 0;
        double upper2 = 0;
        double upper3 = 0;
        double lower0 = 0;
        double lower1 = 0;
        double lower2 = 0;
        double lower3 = 0;
        long lost = 0;
        int end = from + count;
        int index = from;
        for (; index + 3 < end; index += 4) {
            double slice0 = values[index] + first - first;
            double slice1 = values[index + 1] + first - first;
            double slice2 = values[index + 2] + first - first;
            double slice3 = values[index + 3] + first - first;
            double rest0 = values[index] - slice0;
            double rest1 = values[index + 1] - slice1;
            double rest2 = values[index + 2] - slice2;
            double rest3 = values[index + 3] - slice3;
            double next0 = rest0 + second - second;
            double next1 = rest1 + second - second;
            double next2 = rest2 + second - second;
            double next3 = rest3 + second - second;
            upper0 += slice0;
            upper1 += slice1;
            upper2 += slice2;
            upper3 += slice3;
            lower0 += next0;
            lower1 += next1;
            lower2 += next2;
            lower3 += next3;
            lost |= Double.doubleToRawLongBits(rest0 - next0)
                    | Double.doubleToRawLongBits(rest1 - next1)
                    | Double.doubleToRawLongBits(rest2 - next2)
                    | Double.doubleToRawLongBits(rest3 - next3);
        }
        for (; index < end; index++) {
            double slice = values[index] + first - first;
            double rest = values[index] - slice;
            double next = rest + second - second;
            upper0 += slice;
            lower0 += next;
            lost |= Double.doubleToRawLongBits(rest - next);
        }
        upper = upper0 + upper1 + (upper2 + upper3);
        lower = lower0 + lower1 + (lower2 + lower3);
        return lost << 1 == 0;
    }

    /// Sums at most MAX_ROWS values by group: `uppers[groups[i]]` and `lowers[groups[i]]` grow by value i. Of no use
    /// where the answer is false.
    boolean byGroup(double[] values, int[] groups, int count, double[] uppers, double[] lowers) {
        if (!place(values, 0, count)) {
            return false;
        }
        double first = high;
        double second = low;
        long lost = 0;
        for (int index = 0; index < count; index++) {
            double value = values[index];
            double slice = value + first - first;
            double rest = value - slice;
            double next = rest + second - second;
            uppers[groups[index]] += slice;
            lowers[groups[index]] += next;
            lost |= Double.doubleToRawLongBits(rest - next);
        }
        return lost << 1 == 0;
    }

    /// Finds where slices are cut; false where there are only zeros, or an infinity, a NaN or an extreme exponent.
    private boolean place(double[] values, int from, int count) {
        long greatest0 = 0;
        long greatest1 = 0;
        int end = from + count;
        int index = from;
        for (; index + 1 < end; index += 2) {
            greatest0 = Math.max(greatest0, Double.doubleToRawLongBits(values[index]) & Long.MAX_VALUE);
            greatest1 = Math.max(greatest1, Double.doubleToRawLongBits(values[index + 1]) & Long.MAX_VALUE);
        }
        if (index < end) {
            greatest0 = Math.max(greatest0, Double.doubleToRawLongBits(values[index]) & Long.MAX_VALUE);
        }
        int exponent = (int) (Math.max(greatest0, greatest1) >>> MANTISSA_BITS - 1) - Double.MAX_EXPONENT;
        if (exponent > MAX_EXPONENT || exponent < MIN_EXPONENT) {
            return false;
        }
        high = Math.scalb(1.0, exponent + 1 + COUNT_BITS);
        low = Math.scalb(high, COUNT_BITS - MANTISSA_BITS);
        return true;
    }
}
