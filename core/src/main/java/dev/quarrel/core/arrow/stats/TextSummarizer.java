package dev.quarrel.core.arrow.stats;

import static dev.quarrel.core.column.LittleEndian.INT32;
import static dev.quarrel.core.column.LittleEndian.INT64;

import dev.quarrel.core.column.Utf8Column;
import dev.quarrel.core.column.Validity;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Objects;

/// Which of a column's texts, or bytes, are the least and the greatest, whether they ascend, and how many differ.
///
/// Rows go by in tiles, step by step: each step is a small loop of its own, which the JIT compiles at once and in
/// little time. An import of some seconds is over before one loop of all steps is compiled.
final class TextSummarizer {
    private static final int TILE_ROWS = 1024;

    private final Utf8Column column;
    private final MemorySegment data;
    private final DistinctEstimate distinct = new DistinctEstimate();

    // Of the tile's rows that are present.
    private final int[] rows;
    private final long[] starts;
    private final long[] ends;
    private final long[] prefixes;
    private final long[] hashes;

    private final int[] narrowOffsets; // null where offsets are wide
    private final long[] offsets;

    private int minRow = -1;
    private int maxRow = -1;
    private long minPrefix = Long.MAX_VALUE;
    private long maxPrefix = Long.MIN_VALUE;
    private long previousPrefix = Long.MIN_VALUE;
    private boolean ascends;

    /// Looks at all rows.
    ///
    /// @param hasNulls whether some are NULL; texts ascend only where none is
    TextSummarizer(Utf8Column column, boolean hasNulls) {
        this.column = column;
        this.data = column.data();
        this.ascends = !hasNulls;
        int most = Math.min(TILE_ROWS, column.rowCount());
        rows = new int[most];
        starts = new long[most];
        ends = new long[most];
        prefixes = new long[most];
        hashes = new long[most];
        narrowOffsets = column.largeOffsets() ? null : new int[most + 1];
        offsets = new long[most + 1];
        byte[] array = data.heapBase().orElse(null) instanceof byte[] bytes ? bytes : null;
        for (int row = 0; row < column.rowCount(); row += TILE_ROWS) {
            int count = Math.min(TILE_ROWS, column.rowCount() - row);
            loadOffsets(row, count + 1);
            int present = hasNulls ? keepPresent(row, count) : keepAll(row, count);
            loadWords(present);
            if (array == null) {
                hash(present);
            } else {
                hash(array, present);
            }
            distinct.addAll(hashes, present);
            order(present);
            lower(present);
            raise(present);
            if (ascends) {
                ascends = ascends(present);
            }
        }
    }

    /// A row of the least; -1 where all are NULL.
    int minRow() {
        return minRow;
    }

    /// A row of the greatest; -1 where all are NULL.
    int maxRow() {
        return maxRow;
    }

    boolean ascends() {
        return ascends;
    }

    long distinctCount(long presentRows) {
        return distinct.count(presentRows);
    }

    private void loadOffsets(int firstRow, int count) {
        if (narrowOffsets == null) {
            MemorySegment.copy(column.offsets(), INT64, firstRow * 8L, offsets, 0, count);
        } else {
            MemorySegment.copy(column.offsets(), INT32, firstRow * 4L, narrowOffsets, 0, count);
            ColumnSummarizer.widen(narrowOffsets, count, offsets);
        }
    }

    private int keepAll(int firstRow, int count) {
        for (int index = 0; index < count; index++) {
            rows[index] = firstRow + index;
        }
        System.arraycopy(offsets, 0, starts, 0, count);
        System.arraycopy(offsets, 1, ends, 0, count);
        return count;
    }

    private int keepPresent(int firstRow, int count) {
        Validity validity = column.validity();
        int kept = 0;
        for (int index = 0; index < count; index += Long.SIZE) {
            kept = keepPresent(
                    firstRow, index, Math.min(Long.SIZE, count - index), validity.word(firstRow + index), kept);
        }
        return kept;
    }

    private int keepPresent(int firstRow, int from, int count, long bits, int keptBefore) {
        int kept = keptBefore;
        for (long rest = count == Long.SIZE ? bits : bits & (1L << count) - 1; rest != 0; rest &= rest - 1) {
            int index = from + Long.numberOfTrailingZeros(rest);
            rows[kept] = firstRow + index;
            starts[kept] = offsets[index];
            ends[kept++] = offsets[index + 1];
        }
        return kept;
    }

    private void loadWords(int count) {
        for (int index = 0; index < count; index++) {
            prefixes[index] = TextHash.word(data, starts[index], ends[index]);
        }
    }

    private void hash(byte[] array, int count) {
        int base = (int) data.address(); // of a segment of an array, where in it
        for (int index = 0; index < count; index++) {
            Objects.checkFromToIndex(starts[index], ends[index], data.byteSize());
            int start = base + (int) starts[index];
            int end = base + (int) ends[index];
            hashes[index] = TextHash.of(array, start, end, prefixes[index]);
        }
    }

    private void hash(int count) {
        for (int index = 0; index < count; index++) {
            hashes[index] = TextHash.of(data, starts[index], ends[index], prefixes[index]);
        }
    }

    /// Makes numbers of the words that compare as the texts do. Texts are rarely equal in their first eight bytes, and
    /// two numbers compare faster than two texts.
    private void order(int count) {
        for (int index = 0; index < count; index++) {
            prefixes[index] = Long.reverseBytes(prefixes[index]) ^ Long.MIN_VALUE;
        }
    }

    private void lower(int count) {
        for (int index = 0; index < count; index++) {
            long prefix = prefixes[index];
            if (prefix <= minPrefix && (prefix < minPrefix || minRow < 0 || less(rows[index], minRow))) {
                minRow = rows[index];
                minPrefix = prefix;
            }
        }
    }

    private void raise(int count) {
        for (int index = 0; index < count; index++) {
            long prefix = prefixes[index];
            if (prefix >= maxPrefix && (prefix > maxPrefix || maxRow < 0 || less(maxRow, rows[index]))) {
                maxRow = rows[index];
                maxPrefix = prefix;
            }
        }
    }

    private boolean ascends(int count) {
        for (int index = 0; index < count; index++) {
            long prefix = prefixes[index];
            int row = rows[index];
            if (prefix < previousPrefix || prefix == previousPrefix && row > 0 && less(row, row - 1)) {
                return false;
            }
            previousPrefix = prefix;
        }
        return true;
    }

    /// Only for texts whose first eight bytes are equal.
    private boolean less(int row, int other) {
        long start = column.offset(row);
        long length = column.offset(row + 1) - start;
        long otherStart = column.offset(other);
        long otherLength = column.offset(other + 1) - otherStart;
        if (length <= Long.BYTES && otherLength <= Long.BYTES) {
            return length < otherLength; // equal prefixes, zeros behind: all that can differ is the number of zeros
        }
        long index = MemorySegment.mismatch(data, start, start + length, data, otherStart, otherStart + otherLength);
        if (index < 0) {
            return false;
        }
        if (index == length || index == otherLength) {
            return length < otherLength;
        }
        return (data.get(ValueLayout.JAVA_BYTE, start + index) & 0xFF)
                < (data.get(ValueLayout.JAVA_BYTE, otherStart + index) & 0xFF);
    }
}
