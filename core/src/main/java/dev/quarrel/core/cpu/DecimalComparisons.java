package dev.quarrel.core.cpu;

/// Comparisons of 128-bit values; Numerics of different display scales compare by value.
final class DecimalComparisons {
    private DecimalComparisons() {}

    /// @param a left of "less" or "equal" (already swapped)
    static void compare(Relation relation, DecimalVector a, DecimalVector b, BoolVector result, Mask rows) {
        long[] out = result.bits();
        if (a.scale() == null && a.isNarrow() && b.isNarrow() && !rows.isSparse()) {
            narrow(relation, a.low(), b.low(), out, rows.wordCount());
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

    private static void narrow(Relation relation, long[] x, long[] y, long[] out, int words) {
        for (int word = 0; word < words; word++) {
            int base = word << 6;
            long bits = 0;
            if (relation.isEquality) {
                for (int row = 0; row < 64; row++) {
                    bits |= (x[base + row] == y[base + row] ? 1L : 0L) << row;
                }
            } else {
                for (int row = 0; row < 64; row++) {
                    bits |= (x[base + row] < y[base + row] ? 1L : 0L) << row;
                }
            }
            out[word] = bits ^ relation.flip;
        }
    }
}
