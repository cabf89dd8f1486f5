package dev.quarrel.core.cpu.group;

/// Products of float64s for exact sums: each as the nearest float64 and the rest, which is exact where the product is
/// not below 2⁻⁹⁶⁸.
final class FloatProducts {
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
        for (int index = 0; index < count; index++) {
            double one = ones[rows[index]];
            double other = others[rows[index]];
            double product = one * other;
            nearest[index] = product;
            rest[index] = Double.isFinite(product) ? Math.fma(one, other, -product) : 0;
        }
        sum.addAll(nearest, groups, count);
        sum.addAll(rest, groups, count);
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
