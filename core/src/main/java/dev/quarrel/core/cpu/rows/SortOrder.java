package dev.quarrel.core.cpu.rows;

import dev.quarrel.core.ir.SortKey;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.util.List;

/// The order of one store's rows by keys; equal rows stay in their order.
public final class SortOrder {
    private static final ValueLayout.OfLong PREFIX = ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);

    private SortOrder() {}

    /// Places of the rows, in order.
    static int[] of(RowStore rows, List<SortKey> keys) {
        try (RowSort sort = new RowSort(
                List.of(rows), keys, 0, Long.MAX_VALUE, rows.reservation().budget())) {
            sort.run();
            return sort.ids();
        }
    }

    /// The first 8 bytes of a value, the first one uppermost, zeros after its end: unsigned, these order as values do.
    public static long prefix(MemorySegment data, long start, int length) {
        if (length <= 0) {
            return 0;
        }
        if (start + 8 <= data.byteSize()) {
            long word = data.get(PREFIX, start);
            return length >= 8 ? word : word & -1L << 64 - 8 * length;
        }
        long word = 0;
        for (int index = 0; index < Math.min(8, length); index++) {
            word |= (data.get(ValueLayout.JAVA_BYTE, start + index) & 0xFFL) << 56 - 8 * index;
        }
        return word;
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
