package dev.quarrel.core.cpu;

/// Comparisons of 128-bit values; Numerics of different display scales compare by value.
final class DecimalComparisons {
    private DecimalComparisons() {}

    /// @param a left of "less" or "equal" (already swapped)
    static void compare(Relation relation, DecimalVector a, DecimalVector b, BoolVector result, Mask rows) {
        long[] out = result.bits();
        if (a.scale() == null && a.isNarrow() && b.isNarrow() && !rows.isSparse()) {
            Comparisons.longs(relation, a.low(), b.low(), out, rows, false);
            return;
        }
        int[] indexes = rows.indexes();
        int count = rows.count();
        boolean negated = relation.flip != 0;
        for (int index = 0; index < count; index++) {
            int row = indexes[index];
            if (!result.isPresent(row)) {
                continue;
            }
            int order = a.scale() == null
                    ? Int128.compare(a.high()[row], a.low()[row], b.high()[row], b.low()[row])
                    : Int128.compareScaled(
                            a.high()[row], a.low()[row], a.scale()[row], b.high()[row], b.low()[row], b.scale()[row]);
            Bits.set(out, row, (relation.isEquality ? order == 0 : order < 0) != negated);
        }
    }
}
