package dev.quarrel.cuda.sort;

import static dev.quarrel.core.column.LittleEndian.INT32;
import static dev.quarrel.core.column.LittleEndian.INT64;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;

/// Writes the parameters of the sort's kernels, as `sort.cuh` lays them out.
final class SortBlock {
    private static final int WORDS_BYTES = 40;
    private static final int KEY_BYTES = 56;
    private static final int PASS_BYTES = 56;
    private static final int GATHER_BYTES = 24;
    private static final int COLUMN_BYTES = 40;

    /// No parameter is larger, nor shorter: kernels are launched with as much of it as they take.
    private static final int BYTES = 4096;

    private SortBlock() {}

    /// A key, and where its code stands in a word; addresses are 0 for none.
    ///
    /// @param kind the number of a `SortForm.Kind`
    /// @param nulls 0 where there are none, 1 where they come first, 2 for last
    record Key(
            long data,
            long valid,
            long ranks,
            long base,
            int kind,
            boolean isDescending,
            int nulls,
            int drop,
            int low,
            int nullLow) {
        /// In the word that is so many words higher.
        Key inWord(int word) {
            return new Key(
                    data,
                    valid,
                    ranks,
                    base,
                    kind,
                    isDescending,
                    nulls,
                    drop,
                    low - word * Long.SIZE,
                    nullLow - word * Long.SIZE);
        }
    }

    /// A column that is brought into order.
    ///
    /// @param width bytes of a value, 0 where bytes become bits
    record Column(long from, long valid, long to, long validTo, int width) {}

    static MemorySegment words(Arena arena, int rowCount, long rows, long words, long ranges, List<Key> keys) {
        MemorySegment to = arena.allocate(BYTES, 16);
        to.set(INT64, 0, rowCount);
        to.set(INT64, 8, rows);
        to.set(INT64, 16, words);
        to.set(INT64, 24, ranges);
        to.set(INT32, 32, keys.size());
        for (int index = 0; index < keys.size(); index++) {
            Key key = keys.get(index);
            long at = WORDS_BYTES + (long) index * KEY_BYTES;
            to.set(INT64, at, key.data());
            to.set(INT64, at + 8, key.valid());
            to.set(INT64, at + 16, key.ranks());
            to.set(INT64, at + 24, key.base());
            to.set(INT32, at + 32, key.kind());
            to.set(INT32, at + 36, key.isDescending() ? 1 : 0);
            to.set(INT32, at + 40, key.nulls());
            to.set(INT32, at + 44, key.drop());
            to.set(INT32, at + 48, key.low());
            to.set(INT32, at + 52, key.nullLow());
        }
        return to;
    }

    static MemorySegment pass(
            Arena arena, int rowCount, long words, long rows, long wordsTo, long rowsTo, long counts, int shift) {
        MemorySegment to = arena.allocate(BYTES, 16);
        to.set(INT64, 0, rowCount);
        to.set(INT64, 8, words);
        to.set(INT64, 16, rows);
        to.set(INT64, 24, wordsTo);
        to.set(INT64, 32, rowsTo);
        to.set(INT64, 40, counts);
        to.set(INT32, PASS_BYTES - 8, shift);
        return to;
    }

    static MemorySegment gather(Arena arena, int rowCount, long rows, List<Column> columns) {
        MemorySegment to = arena.allocate(BYTES, 16);
        to.set(INT64, 0, rowCount);
        to.set(INT64, 8, rows);
        to.set(INT32, 16, columns.size());
        for (int index = 0; index < columns.size(); index++) {
            Column column = columns.get(index);
            long at = GATHER_BYTES + (long) index * COLUMN_BYTES;
            to.set(INT64, at, column.from());
            to.set(INT64, at + 8, column.valid());
            to.set(INT64, at + 16, column.to());
            to.set(INT64, at + 24, column.validTo());
            to.set(INT32, at + 32, column.width());
        }
        return to;
    }
}
