package dev.quarrel.core.arrow.dataset.rows;

import static dev.quarrel.core.column.LittleEndian.INT32;
import static dev.quarrel.core.column.LittleEndian.INT64;

import dev.quarrel.core.arrow.lists.ListRows;
import dev.quarrel.core.column.Allocator;
import dev.quarrel.core.column.BoolColumn;
import dev.quarrel.core.column.Column;
import dev.quarrel.core.column.DictionaryColumn;
import dev.quarrel.core.column.FixedColumn;
import dev.quarrel.core.column.Utf8Column;
import dev.quarrel.core.column.Validity;
import dev.quarrel.core.table.ColumnStats;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;

/// The rows of a batch that are left when some are deleted. Their columns are copies, run by run.
public final class LiveRows {
    private final int storedRows;
    private final int[] deleted;

    private LiveRows(int storedRows, int[] deleted) {
        this.storedRows = storedRows;
        this.deleted = deleted;
    }

    /// One a batch; null for a batch whose rows are all there. Null where that is so of all batches.
    ///
    /// @param deleted rows of the file, ascending
    public static LiveRows[] of(int[] batchRows, long[] deleted) {
        if (deleted.length == 0) {
            return null;
        }
        LiveRows[] batches = new LiveRows[batchRows.length];
        long first = 0;
        int from = 0;
        for (int batch = 0; batch < batchRows.length; batch++) {
            int to = from;
            while (to < deleted.length && deleted[to] < first + batchRows[batch]) {
                to++;
            }
            if (to > from) {
                int[] rows = new int[to - from];
                for (int index = 0; index < rows.length; index++) {
                    rows[index] = (int) (deleted[from + index] - first);
                }
                batches[batch] = new LiveRows(batchRows[batch], rows);
            }
            first += batchRows[batch];
            from = to;
        }
        return batches;
    }

    public int rowCount() {
        return storedRows - deleted.length;
    }

    /// The rows that are deleted, ascending.
    public int[] deletedRows() {
        return deleted.clone();
    }

    public boolean isDeleted(int row) {
        return Arrays.binarySearch(deleted, row) >= 0;
    }

    public ColumnStats stats(ColumnStats stored) {
        return stored.ofSome(storedRows, rowCount());
    }

    /// Bytes that `of` allocates at most.
    ///
    /// @param valueBytes of all values of the column, without offsets and validity
    public long bytes(long valueBytes) {
        return valueBytes + storedRows * 9L + 64;
    }

    /// - Memory: the result's values lie in `memory`, dictionaries where they were.
    public Column of(Column column, Allocator memory) {
        Validity validity = validity(column.validity(), memory);
        return switch (column) {
            case FixedColumn fixed ->
                new FixedColumn(
                        fixed.type(),
                        rowCount(),
                        runs(fixed.values(), fixed.type().byteWidth(), memory),
                        validity);
            case DictionaryColumn coded ->
                new DictionaryColumn(
                        rowCount(),
                        runs(coded.codes(), coded.codeBytes(), memory),
                        coded.codeBytes(),
                        coded.dictionary(),
                        validity);
            case BoolColumn bool -> new BoolColumn(rowCount(), bits(bool.bits(), memory), validity);
            case Utf8Column text -> texts(text, validity, memory);
        };
    }

    /// The lists that are left; elements stay where they are.
    public ListRows of(ListRows lists, Allocator memory) {
        int[] starts = new int[rowCount()];
        int[] ends = new int[rowCount()];
        int[] count = {0};
        eachRun((from, to) -> {
            for (int row = from; row < to; row++) {
                starts[count[0]] = lists.offsets()[row];
                ends[count[0]++] = lists.end(row);
            }
        });
        return new ListRows(starts, ends, validity(lists.validity(), memory), lists.elements());
    }

    /// What takes the rows from one up to another.
    @FunctionalInterface
    private interface Run {
        void copy(int from, int to);
    }

    private void eachRun(Run run) {
        int from = 0;
        for (int row : deleted) {
            if (row > from) {
                run.copy(from, row);
            }
            from = row + 1;
        }
        if (from < storedRows) {
            run.copy(from, storedRows);
        }
    }

    private MemorySegment runs(MemorySegment values, int width, Allocator memory) {
        MemorySegment copy = memory.allocateUnset((long) rowCount() * width);
        long to = 0;
        int from = 0;
        for (int row : deleted) {
            long bytes = (long) (row - from) * width;
            MemorySegment.copy(values, (long) from * width, copy, to, bytes);
            to += bytes;
            from = row + 1;
        }
        MemorySegment.copy(values, (long) from * width, copy, to, (long) (storedRows - from) * width);
        return copy;
    }

    private Validity validity(Validity stored, Allocator memory) {
        return stored.isAllPresent() ? stored : Validity.of(bits(stored.bits(), memory), rowCount(), -1);
    }

    private MemorySegment bits(MemorySegment stored, Allocator memory) {
        MemorySegment copy = memory.allocate((rowCount() + 7L) / 8);
        int[] next = {0};
        eachRun((from, to) -> {
            int at = next[0];
            for (int row = from; row < to; row++, at++) {
                int bit = stored.get(ValueLayout.JAVA_BYTE, row >>> 3) >>> (row & 7) & 1;
                if (bit != 0) {
                    byte before = copy.get(ValueLayout.JAVA_BYTE, at >>> 3);
                    copy.set(ValueLayout.JAVA_BYTE, at >>> 3, (byte) (before | 1 << (at & 7)));
                }
            }
            next[0] = at;
        });
        return copy;
    }

    private Utf8Column texts(Utf8Column text, Validity validity, Allocator memory) {
        int width = text.largeOffsets() ? 8 : 4;
        long[] bytes = {0};
        eachRun((from, to) -> bytes[0] += text.offset(to) - text.offset(from));
        MemorySegment data = memory.allocateUnset(bytes[0]);
        MemorySegment offsets = memory.allocateUnset((rowCount() + 1L) * width);
        long[] end = {0};
        int[] next = {0};
        eachRun((from, to) -> {
            long start = text.offset(from);
            long shift = end[0] - start;
            for (int row = from; row < to; row++) {
                set(offsets, width, next[0]++, text.offset(row) + shift);
            }
            long length = text.offset(to) - start;
            MemorySegment.copy(text.data(), start, data, end[0], length);
            end[0] += length;
        });
        set(offsets, width, rowCount(), end[0]);
        return new Utf8Column(text.type(), rowCount(), offsets, text.largeOffsets(), data, validity);
    }

    private static void set(MemorySegment offsets, int width, int row, long offset) {
        if (width == 8) {
            offsets.set(INT64, row * 8L, offset);
        } else {
            offsets.set(INT32, row * 4L, (int) offset);
        }
    }
}
