package dev.quarrel.core.cpu.elements;

import static dev.quarrel.core.column.LittleEndian.INT32;

import dev.quarrel.core.cpu.simd.CompareKernels;
import dev.quarrel.core.cpu.tile.TextVector;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/// Finds a text among the elements of arrays: it compares lengths, then bytes.
final class PackedTexts {
    private static final int HEAD_BYTES = Integer.BYTES;

    private final int[] places = new int[PackedElements.BLOCK + 1]; // where each element of a block begins, and its end
    private final int[] lengths = new int[PackedElements.BLOCK];
    private byte[] value = new byte[0];
    private int length;
    private int head;

    /// Takes the text that is looked for.
    void want(TextVector wanted, int row) {
        length = wanted.length(row);
        if (value.length < length) {
            value = new byte[Math.max(length, 2 * value.length)];
        }
        MemorySegment.copy(wanted.data(), ValueLayout.JAVA_BYTE, wanted.start(row), value, 0, length);
        head = length < HEAD_BYTES ? 0 : MemorySegment.ofArray(value).get(INT32, 0);
    }

    /// The first element of a row's array from `from` on that equals the text; -1 where there is none.
    ///
    /// @param count of the row's elements
    int next(TextVector arrays, TextVector ends, int row, int from, int count) {
        MemorySegment texts = arrays.data();
        MemorySegment all = ends.data();
        long first = ends.start(row);
        long base = base(arrays, ends, row);
        long start = from == 0 ? arrays.start(row) : base + all.get(INT32, first + 4L * (from - 1));
        for (int index = from; index < count; index++) {
            long end = base + all.get(INT32, first + 4L * index);
            if (end - start == length && isSame(texts, start)) {
                return index;
            }
            start = end;
        }
        return -1;
    }

    /// Where the text is that ends count from; of a row with elements.
    static long base(TextVector arrays, TextVector ends, int row) {
        int last = ends.data().get(INT32, ends.start(row) + ends.length(row) - 4);
        return arrays.start(row) + arrays.length(row) - last;
    }

    /// Says of each element of some rows, in a bit, whether it equals the text.
    ///
    /// - Shape: both vectors are contiguous; from the first row to the last there are at most a block of elements.
    /// - Result: false, and nothing is said, where the rows' texts do not follow one another in one text.
    boolean find(TextVector arrays, TextVector ends, int firstRow, int lastRow, long[] hits) {
        long place = ends.start(firstRow);
        int count = (int) (ends.start(lastRow) + ends.length(lastRow) - place >>> 2);
        if (count == 0) {
            return true;
        }
        MemorySegment.copy(ends.data(), INT32, place, places, 1, count);
        int row = firstRow;
        while (ends.length(row) == 0) {
            row++;
        }
        long base = base(arrays, ends, row);
        long start = arrays.start(row) - base;
        places[0] = (int) start;
        if (start != places[0] || !areOfOneText(arrays, ends, row, lastRow, base)) {
            return false;
        }
        for (int index = 0; index < count; index++) {
            lengths[index] = places[index + 1] - places[index];
        }
        int words = PackedElements.words(count);
        CompareKernels.current().equal(lengths, length, hits, words, 0);
        MemorySegment texts = arrays.data();
        for (int word = 0; word < words; word++) {
            int first = word << 6;
            long rest = hits[word] & (count - first < 64 ? (1L << count - first) - 1 : -1L);
            long same = 0;
            for (; rest != 0; rest &= rest - 1) {
                int bit = Long.numberOfTrailingZeros(rest);
                same |= isSame(texts, base + places[first + bit]) ? 1L << bit : 0;
            }
            hits[word] = same;
        }
        return true;
    }

    /// Whether all ends count from `base`, and each row's texts begin where those before it end.
    private boolean areOfOneText(TextVector arrays, TextVector ends, int firstRow, int lastRow, long base) {
        long place = ends.start(firstRow);
        long[] starts = arrays.offsets();
        int[] bytes = arrays.lengths();
        long wrong = 0;
        for (int row = firstRow; row <= lastRow; row++) {
            int from = (int) (ends.offsets()[row] - place >>> 2);
            int to = from + (ends.lengths()[row] >>> 2);
            if (to > from) {
                wrong |= starts[row] - base - places[from] | starts[row] + bytes[row] - base - places[to];
            }
        }
        return wrong == 0;
    }

    private boolean isSame(MemorySegment texts, long start) {
        if (length >= HEAD_BYTES && texts.get(INT32, start) != head) {
            return false;
        }
        for (int index = length < HEAD_BYTES ? 0 : HEAD_BYTES; index < length; index++) {
            if (texts.get(ValueLayout.JAVA_BYTE, start + index) != value[index]) {
                return false;
            }
        }
        return true;
    }
}
