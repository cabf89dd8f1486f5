package dev.quarrel.core.cpu.group;

/// Products of float64s for exact sums: each as the nearest float64 and the rest, which is exact where the product is
/// not below 2⁻⁹⁶⁸.
final class FloatProducts {
    private static final long INFINITY = Double.doubleToRawLongBits(Double.POSITIVE_INFINITY);

    private double[] nearest = new double[0];
    private double[] rest = new double[0];

    private void ensure(int count) {
        if (nearest.length < count) {
            nearest = new double[count];
            rest = new double[count];
        }
    }

    /// Adds `ones[rows[i]] · others[rows[i]]` to `groups[i]` of the sum, or all to group 0 where `groups` is null.
    void add(FloatSum sum, double[] ones, double[] others, int[] rows, int[] groups, int count) {
        ensure(count);
        if (count > 0 && rows[count - 1] - rows[0] == count - 1) {
            multiply(ones, others, rows[0], count);
        } else {
            for (int index = 0; index < count; index++) {
                double one = ones[rows[index]];
                double other = others[rows[index]];
                nearest[index] = one * other;
                rest[index] = Math.fma(one, other, -nearest[index]);
            }
        }
        long greatest = 0;
        for (int index = 0; index < count; index++) {
            greatest = Math.max(greatest, Double.doubleToRawLongBits(rest[index]) & Long.MAX_VALUE);
        }
        sum.addAll(nearest, groups, count);
        if (greatest == 0) {
            return; // products of whole numbers, as a rule
        }
        if (greatest >= INFINITY) { // no number: what is infinite has no rest
            for (int index = 0; index < count; index++) {
                rest[index] = Double.isFinite(nearest[index]) ? rest[index] : 0;
            }
        }
        sum.addRests(rest, groups, count);
    }

    private void multiply(double[] ones, double[] others, int from, int count) {
        for (int index = 0; index < count; index++) {
            nearest[index] = ones[from + index] * others[from + index];
        }
        for (int index = 0; index < count; index++) {
            rest[index] = Math.fma(ones[from + index], others[from + index], -nearest[index]);
        }
    }

    /// Adds squares of float32s, which have 48 bits and so no rest.
    void addSquares(FloatSum sum, float[] values, int[] rows, int[] groups, int count) {
        ensure(count);
        for (int index = 0; index < count; index++) {
            double value = values[rows[index]];
            nearest[index] = value * value;
        }
        sum.addAll(nearest, groups, count);
    }
}
