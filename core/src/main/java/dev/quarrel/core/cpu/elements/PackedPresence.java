package dev.quarrel.core.cpu.elements;

import static dev.quarrel.core.column.LittleEndian.INT64;

import dev.quarrel.core.cpu.tile.TextVector;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/// Which elements of arrays are not NULL: a byte for each, 1, or 0 for NULL; an array that is NULL there has none.
final class PackedPresence {
    /// Puts the lowest bits of eight bytes one beside the other, into the uppermost byte.
    private static final long EIGHT_BITS = 0x0102_0408_1020_4080L;

    private final byte[] bytes = new byte[PackedElements.BLOCK];
    private final MemorySegment block = MemorySegment.ofArray(bytes);
    private final long[] bits = new long[PackedElements.words(PackedElements.BLOCK) + 2];
    private TextVector arrays;
    private long[] offsets;
    private long place;

    static boolean isPresent(TextVector arrays, int row, int index) {
        return !arrays.isPresent(row) || arrays.data().get(ValueLayout.JAVA_BYTE, arrays.start(row) + index) != 0;
    }

    static boolean hasNull(TextVector arrays, int row) {
        MemorySegment data = arrays.data();
        long start = arrays.start(row);
        long end = start + arrays.length(row);
        for (long at = start; at < end; at++) {
            if (data.get(ValueLayout.JAVA_BYTE, at) == 0) {
                return true;
            }
        }
        return false;
    }

    /// Takes what a contiguous vector says of some rows, as bits.
    ///
    /// @return false where that is more than a block
    boolean load(TextVector vector, int firstRow, int lastRow) {
        arrays = vector;
        offsets = vector.offsets();
        place = offsets[firstRow];
        long count = offsets[lastRow] + vector.lengths()[lastRow] - place;
        if (count > PackedElements.BLOCK) {
            return false;
        }
        MemorySegment.copy(vector.data(), ValueLayout.JAVA_BYTE, place, bytes, 0, (int) count);
        for (int word = 0; word < PackedElements.words((int) count); word++) {
            long all = 0;
            for (int eight = 0; eight < 8; eight++) {
                all |= (block.get(INT64, (word << 6) + (eight << 3)) * EIGHT_BITS >>> 56) << (eight << 3);
            }
            bits[word] = all;
        }
        return true;
    }

    /// Which of a row's elements are there, 64 of them from `from` on; bits behind them are of any value.
    long window(int row, int from) {
        return arrays.isPresent(row) ? window(bits, (int) (offsets[row] - place) + from) : -1L;
    }

    /// 64 bits from bit `from` on; the word behind the one that this is in must be there.
    static long window(long[] bits, int from) {
        int word = from >>> 6;
        // Shifted twice, since a shift by 64 would be none.
        return bits[word] >>> from | bits[word + 1] << 1 << ~from;
    }

    /// The lowest `count` bits, or all 64.
    static long first(int count) {
        return count >= 64 ? -1L : ~(-1L << count);
    }
}
