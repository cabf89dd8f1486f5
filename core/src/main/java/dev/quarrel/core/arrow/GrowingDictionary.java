package dev.quarrel.core.arrow;

import static dev.quarrel.core.column.LittleEndian.INT16;
import static dev.quarrel.core.column.LittleEndian.INT32;

import dev.quarrel.core.arrow.stats.ColumnSummarizer;
import dev.quarrel.core.arrow.stats.ColumnSummary;
import dev.quarrel.core.column.Allocator;
import dev.quarrel.core.column.BoolColumn;
import dev.quarrel.core.column.Column;
import dev.quarrel.core.column.ColumnWriter;
import dev.quarrel.core.column.DictionaryColumn;
import dev.quarrel.core.column.FixedColumn;
import dev.quarrel.core.column.Utf8Column;
import dev.quarrel.core.column.Validity;
import dev.quarrel.core.table.ColumnStats;
import dev.quarrel.core.type.DataType;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/// One column's dictionary in one file, which all workers that append to the file share.
///
/// A worker finds its batch's distinct values by itself, so that the lock is held for those alone.
final class GrowingDictionary {
    /// Loops over so many rows are methods of their own: the JIT compiles a small one at once, but one of several
    /// loops anew for each of them.
    private static final int TILE_ROWS = 1024;

    private final String columnName;
    private final int codeBytes;
    private final Map<String, Integer> codes = new LinkedHashMap<>(); // guarded by itself

    GrowingDictionary(String columnName, int codeBytes) {
        this.columnName = columnName;
        this.codeBytes = codeBytes;
    }

    int codeBytes() {
        return codeBytes;
    }

    /// The largest number of entries whose codes fit a signed integer, as Arrow recommends them.
    private int capacity() {
        return codeBytes == 4 ? Integer.MAX_VALUE - 8 : (1 << (8 * codeBytes - 1)) - 1;
    }

    /// A column's rows as codes of this dictionary, of `codeBytes` bytes, 0 for NULL; and what they hold.
    record Encoded(MemorySegment codes, ColumnSummary summary) {}

    /// - Memory: the codes are in `memory`.
    /// - Errors: `QueryException` 0A000 when the dictionary outgrows its codes; IllegalArgumentException for no
    /// texts.
    Encoded encode(Column column, long nullCount, Allocator memory) {
        return switch (column) {
            case Utf8Column text -> encode(text, nullCount, memory);
            case DictionaryColumn coded -> encode(coded, nullCount, memory);
            case FixedColumn _, BoolColumn _ -> throw new IllegalArgumentException(column.toString());
        };
    }

    private Encoded encode(Utf8Column column, long nullCount, Allocator memory) {
        int rowCount = column.rowCount();
        Validity validity = column.validity();
        TextTable distinct = new TextTable(256);
        int[] local = new int[rowCount];
        for (int row = 0; row < rowCount; row++) {
            local[row] = validity.isPresent(row) ? distinct.number(column, row) : -1;
        }
        String[] texts = new String[distinct.size()];
        for (int number = 0; number < texts.length; number++) {
            texts[number] = distinct.text(number);
        }
        return encoded(local, texts, nullCount, memory);
    }

    private Encoded encode(DictionaryColumn column, long nullCount, Allocator memory) {
        int rowCount = column.rowCount();
        boolean isFull = nullCount == 0;
        Utf8Column values = column.dictionary().values();
        boolean[] used = new boolean[column.dictionary().size()];
        int[] tile = new int[TILE_ROWS];
        for (int row = 0; row < rowCount; row += TILE_ROWS) {
            int count = Math.min(TILE_ROWS, rowCount - row);
            load(column, isFull, row, count, tile);
            mark(tile, count, used);
        }
        String[] texts = new String[used.length];
        for (int code = 0; code < used.length; code++) {
            texts[code] = used[code] ? ColumnSummarizer.string(values, code) : null;
        }
        int[] shared = shared(texts);
        MemorySegment codes = memory.allocate((long) rowCount * codeBytes);
        byte[] bytes = new byte[TILE_ROWS];
        for (int row = 0; row < rowCount; row += TILE_ROWS) {
            int count = Math.min(TILE_ROWS, rowCount - row);
            load(column, isFull, row, count, tile);
            share(tile, count, shared);
            store(tile, count, bytes, codes, row);
        }
        return new Encoded(codes, summary(texts, nullCount));
    }

    /// @param local one a row: an index into `texts`, or -1
    /// @param texts null where no row has it
    private Encoded encoded(int[] local, String[] texts, long nullCount, Allocator memory) {
        return new Encoded(codes(local, shared(texts), memory), summary(texts, nullCount));
    }

    private static ColumnSummary summary(String[] texts, long nullCount) {
        // A column put together of several may have one text twice.
        List<String> used =
                Arrays.stream(texts).filter(Objects::nonNull).distinct().toList();
        return used.isEmpty()
                ? new ColumnSummary(new ColumnStats(nullCount, null, null, 0), false, null, null)
                : ColumnSummarizer.distinct(used, nullCount);
    }

    private int[] shared(String[] texts) {
        int[] shared = new int[texts.length];
        synchronized (codes) {
            for (int index = 0; index < texts.length; index++) {
                if (texts[index] != null) {
                    Integer code = codes.get(texts[index]);
                    if (code == null) {
                        code = codes.size();
                        if (code >= capacity()) {
                            throw new QueryException(
                                            SqlState.FEATURE_NOT_SUPPORTED,
                                            "column \"" + columnName + "\" has more than " + capacity()
                                                    + " distinct values, and its dictionary codes " + codeBytes
                                                    + " bytes")
                                    .withHint("Write it with wider codes, or as plain text.");
                        }
                        codes.put(texts[index], code);
                    }
                    shared[index] = code;
                }
            }
        }
        return shared;
    }

    private MemorySegment codes(int[] local, int[] shared, Allocator memory) {
        MemorySegment target = memory.allocate((long) local.length * codeBytes);
        int[] tile = new int[TILE_ROWS];
        byte[] bytes = new byte[TILE_ROWS];
        for (int row = 0; row < local.length; row += TILE_ROWS) {
            int count = Math.min(TILE_ROWS, local.length - row);
            System.arraycopy(local, row, tile, 0, count);
            share(tile, count, shared);
            store(tile, count, bytes, target, row);
        }
        return target;
    }

    /// The rows' codes in the column's own dictionary, -1 for those that are NULL.
    ///
    /// @param isFull whether none is
    private static void load(DictionaryColumn column, boolean isFull, int first, int count, int[] tile) {
        if (column.codeBytes() == Integer.BYTES) {
            MemorySegment.copy(column.codes(), INT32, first * 4L, tile, 0, count);
        } else {
            for (int index = 0; index < count; index++) {
                tile[index] = column.code(first + index);
            }
        }
        if (!isFull) {
            dropNulls(column.validity(), first, count, tile);
        }
    }

    private static void dropNulls(Validity validity, int first, int count, int[] tile) {
        for (int index = 0; index < count; index++) {
            tile[index] = validity.isPresent(first + index) ? tile[index] : -1;
        }
    }

    private static void mark(int[] tile, int count, boolean[] used) {
        for (int index = 0; index < count; index++) {
            if (tile[index] >= 0) {
                used[tile[index]] = true;
            }
        }
    }

    /// Turns codes into this dictionary's; -1 into 0.
    private static void share(int[] tile, int count, int[] shared) {
        for (int index = 0; index < count; index++) {
            tile[index] = tile[index] < 0 ? 0 : shared[tile[index]];
        }
    }

    /// @param bytes to work with, as long as the tile
    private void store(int[] tile, int count, byte[] bytes, MemorySegment target, int first) {
        switch (codeBytes) {
            case 1 -> {
                for (int index = 0; index < count; index++) {
                    bytes[index] = (byte) tile[index];
                }
                MemorySegment.copy(bytes, 0, target, ValueLayout.JAVA_BYTE, first, count);
            }
            case 2 -> {
                for (int index = 0; index < count; index++) {
                    target.set(INT16, (first + (long) index) * 2, (short) tile[index]);
                }
            }
            default -> MemorySegment.copy(tile, 0, target, INT32, first * 4L, count);
        }
    }

    /// All entries, in the order of their codes.
    Utf8Column entries(Allocator memory) {
        synchronized (codes) {
            ColumnWriter writer = new ColumnWriter(DataType.UTF8, memory, codes.size());
            codes.keySet().forEach(writer::appendUtf8);
            return (Utf8Column) writer.finish();
        }
    }
}
