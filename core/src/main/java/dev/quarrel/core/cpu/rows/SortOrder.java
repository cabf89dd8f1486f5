package dev.quarrel.core.cpu.rows;

import dev.quarrel.core.ir.SortKey;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;

/// The order of one store's rows by keys; equal rows stay in their order.
public final class SortOrder {
    private SortOrder() {}

    /// Places of the rows, in order.
    static int[] of(RowStore rows, List<SortKey> keys) {
        try (RowSort sort = new RowSort(
                List.of(rows), keys, 0, Long.MAX_VALUE, rows.reservation().budget())) {
            sort.run();
            return sort.ids();
        }
    }

    /// By bytes, unsigned; a prefix comes first.
    public static int compareBytes(
            MemorySegment a, long startA, int lengthA, MemorySegment b, long startB, int lengthB) {
        long at = MemorySegment.mismatch(a, startA, startA + lengthA, b, startB, startB + lengthB);
        if (at < 0) {
            return 0;
        }
        if (at >= lengthA || at >= lengthB) {
            return Integer.compare(lengthA, lengthB);
        }
        return Integer.compare(
                a.get(ValueLayout.JAVA_BYTE, startA + at) & 0xFF, b.get(ValueLayout.JAVA_BYTE, startB + at) & 0xFF);
    }
}
