package dev.quarrel.core.cpu.expr;

import dev.quarrel.core.cpu.number.Int128;
import dev.quarrel.core.cpu.tile.Bits;
import dev.quarrel.core.cpu.tile.BoolVector;
import dev.quarrel.core.cpu.tile.DecimalVector;
import dev.quarrel.core.cpu.tile.Mask;
import dev.quarrel.core.ir.Relation;
import dev.quarrel.core.type.DataType;
import dev.quarrel.core.type.Interval;

/// Comparisons of 128-bit values; Numerics of different display scales compare by value, Intervals by span.
final class DecimalComparisons {
    private DecimalComparisons() {}

    /// A word of 64 answers at a time, those of absent rows among them.
    private static void dense(Relation relation, DecimalVector a, DecimalVector b, long[] out, Mask rows) {
        long[] high = a.high();
        long[] low = a.low();
        long[] otherHigh = b.high();
        long[] otherLow = b.low();
        int words = rows.wordCount();
        for (int word = 0; word < words; word++) {
            int from = word << 6;
            long bits = 0;
            if (relation.isEquality) {
                for (int bit = 0; bit < 64; bit++) {
                    int row = from + bit;
                    long differs = high[row] ^ otherHigh[row] | low[row] ^ otherLow[row];
                    bits |= (differs == 0 ? 1L : 0L) << bit;
                }
            } else {
                for (int bit = 0; bit < 64; bit++) {
                    int row = from + bit;
                    boolean isLowLess = low[row] + Long.MIN_VALUE < otherLow[row] + Long.MIN_VALUE;
                    boolean isLess = high[row] < otherHigh[row] | high[row] == otherHigh[row] & isLowLess;
                    bits |= (isLess ? 1L : 0L) << bit;
                }
            }
            out[word] = bits ^ relation.flip;
        }
    }

    /// @param a left of "less" or "equal" (already swapped)
    static void compare(Relation relation, DecimalVector a, DecimalVector b, BoolVector result, Mask rows) {
        long[] out = result.bits();
        boolean isInterval = a.type() instanceof DataType.Interval;
        if (!isInterval && a.scale() == null && a.isNarrow() && b.isNarrow() && !rows.isSparse()) {
            Comparisons.longs(relation, a.low(), b.low(), out, rows, false);
            return;
        }
        if (!isInterval && a.scale() == null && !rows.isSparse()) {
            dense(relation, a, b, out, rows);
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
            int order = isInterval
                    ? Interval.compareSpans(a.low()[row], a.high()[row], b.low()[row], b.high()[row])
                    : a.scale() == null
                            ? Int128.compare(a.high()[row], a.low()[row], b.high()[row], b.low()[row])
                            : Int128.compareScaled(
                                    a.high()[row],
                                    a.low()[row],
                                    a.scale()[row],
                                    b.high()[row],
                                    b.low()[row],
                                    b.scale()[row]);
            Bits.set(out, row, (relation.isEquality ? order == 0 : order < 0) != negated);
        }
    }
}
