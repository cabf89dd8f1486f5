package dev.quarrel.core.cpu.tile;

import static dev.quarrel.core.column.LittleEndian.FLOAT32;
import static dev.quarrel.core.column.LittleEndian.FLOAT64;
import static dev.quarrel.core.column.LittleEndian.INT16;
import static dev.quarrel.core.column.LittleEndian.INT32;
import static dev.quarrel.core.column.LittleEndian.INT64;

import dev.quarrel.core.column.Dictionary;
import dev.quarrel.core.column.DictionaryColumn;
import dev.quarrel.core.column.FixedColumn;
import dev.quarrel.core.column.NarrowColumn;
import dev.quarrel.core.column.Utf8Column;
import dev.quarrel.core.column.Validity;
import dev.quarrel.core.type.DataType;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;
import dev.quarrel.core.type.UuidWords;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/// Copies of column memory into vectors: all of a tile's rows in bulk (`rows` is null), or the selected ones alone.
final class ColumnLoads {
    private static final int BLOCK_ROWS = 256;

    private ColumnLoads() {}

    static void fixed(FixedColumn column, int firstRow, int rowCount, Mask rows, Vector vector) {
        MemorySegment from = column.values();
        switch (vector) {
            case IntVector ints -> {
                if (column.type() instanceof DataType.Int16) {
                    shorts(from, firstRow, rowCount, rows, ints.values());
                } else {
                    ints(from, firstRow, rowCount, rows, ints.values());
                }
            }
            case LongVector longs -> longs(from, firstRow, rowCount, rows, longs.values());
            case FloatVector floats -> floats(from, firstRow, rowCount, rows, floats.values());
            case DoubleVector doubles -> doubles(from, firstRow, rowCount, rows, doubles.values());
            case DecimalVector decimals -> {
                if (column.type() instanceof DataType.Uuid) {
                    uuids(from, firstRow, rowCount, rows, decimals);
                } else if (decimals.scale() == null) {
                    decimals(from, firstRow, rowCount, rows, decimals);
                } else {
                    numerics(from, firstRow, rowCount, rows, decimals);
                }
            }
            case BoolVector _, TextVector _ -> throw new IllegalArgumentException(column.type() + " into " + vector);
        }
    }

    /// Integers and decimals, widened.
    static void narrow(NarrowColumn column, int firstRow, int rowCount, Mask rows, Vector vector) {
        switch (vector) {
            case IntVector ints -> widen(column, firstRow, rowCount, rows, ints.values());
            case LongVector longs -> widen(column, firstRow, rowCount, rows, longs.values());
            case DecimalVector decimals -> {
                long[] low = decimals.low();
                long[] high = decimals.high();
                widen(column, firstRow, rowCount, rows, low);
                for (int row = 0; row < rowCount; row++) {
                    high[row] = low[row] >> 63;
                }
                // A load of further rows does not see those of the load before it.
                decimals.setNarrow(rows == null);
            }
            case FloatVector _, DoubleVector _, BoolVector _, TextVector _ ->
                throw new IllegalArgumentException("narrow integers into " + vector);
        }
    }

    private static void widen(NarrowColumn column, int firstRow, int rowCount, Mask rows, int[] to) {
        MemorySegment from = column.values();
        int base = (int) column.base();
        int[] indexes = rows == null ? null : rows.indexes();
        int count = rows == null ? rowCount : rows.count();
        if (column.width() == 1) {
            for (int index = 0; index < count; index++) {
                int row = indexes == null ? index : indexes[index];
                to[row] = base + from.get(ValueLayout.JAVA_BYTE, firstRow + (long) row);
            }
        } else {
            for (int index = 0; index < count; index++) {
                int row = indexes == null ? index : indexes[index];
                to[row] = base + from.get(INT16, (firstRow + (long) row) * 2);
            }
        }
    }

    private static void widen(NarrowColumn column, int firstRow, int rowCount, Mask rows, long[] to) {
        MemorySegment from = column.values();
        long base = column.base();
        int[] indexes = rows == null ? null : rows.indexes();
        int count = rows == null ? rowCount : rows.count();
        switch (column.width()) {
            case 1 -> {
                for (int index = 0; index < count; index++) {
                    int row = indexes == null ? index : indexes[index];
                    to[row] = base + from.get(ValueLayout.JAVA_BYTE, firstRow + (long) row);
                }
            }
            case 2 -> {
                for (int index = 0; index < count; index++) {
                    int row = indexes == null ? index : indexes[index];
                    to[row] = base + from.get(INT16, (firstRow + (long) row) * 2);
                }
            }
            default -> {
                for (int index = 0; index < count; index++) {
                    int row = indexes == null ? index : indexes[index];
                    to[row] = base + from.get(INT32, (firstRow + (long) row) * 4);
                }
            }
        }
    }

    private static void ints(MemorySegment from, int firstRow, int rowCount, Mask rows, int[] to) {
        long start = firstRow * 4L;
        if (rows == null) {
            MemorySegment.copy(from, INT32, start, to, 0, rowCount);
            return;
        }
        int[] indexes = rows.indexes();
        int count = rows.count();
        for (int index = 0; index < count; index++) {
            int row = indexes[index];
            to[row] = from.get(INT32, start + row * 4L);
        }
    }

    private static void shorts(MemorySegment from, int firstRow, int rowCount, Mask rows, int[] to) {
        long start = firstRow * 2L;
        if (rows == null) {
            for (int row = 0; row < rowCount; row++) {
                to[row] = from.get(INT16, start + row * 2L);
            }
            return;
        }
        int[] indexes = rows.indexes();
        int count = rows.count();
        for (int index = 0; index < count; index++) {
            int row = indexes[index];
            to[row] = from.get(INT16, start + row * 2L);
        }
    }

    private static void longs(MemorySegment from, int firstRow, int rowCount, Mask rows, long[] to) {
        long start = firstRow * 8L;
        if (rows == null) {
            MemorySegment.copy(from, INT64, start, to, 0, rowCount);
            return;
        }
        int[] indexes = rows.indexes();
        int count = rows.count();
        for (int index = 0; index < count; index++) {
            int row = indexes[index];
            to[row] = from.get(INT64, start + row * 8L);
        }
    }

    private static void floats(MemorySegment from, int firstRow, int rowCount, Mask rows, float[] to) {
        long start = firstRow * 4L;
        if (rows == null) {
            MemorySegment.copy(from, FLOAT32, start, to, 0, rowCount);
            return;
        }
        int[] indexes = rows.indexes();
        int count = rows.count();
        for (int index = 0; index < count; index++) {
            int row = indexes[index];
            to[row] = from.get(FLOAT32, start + row * 4L);
        }
    }

    private static void doubles(MemorySegment from, int firstRow, int rowCount, Mask rows, double[] to) {
        long start = firstRow * 8L;
        if (rows == null) {
            MemorySegment.copy(from, FLOAT64, start, to, 0, rowCount);
            return;
        }
        int[] indexes = rows.indexes();
        int count = rows.count();
        for (int index = 0; index < count; index++) {
            int row = indexes[index];
            to[row] = from.get(FLOAT64, start + row * 8L);
        }
    }

    private static void decimals(MemorySegment from, int firstRow, int rowCount, Mask rows, DecimalVector to) {
        long start = firstRow * 16L;
        long[] high = to.high();
        long[] low = to.low();
        long wide = 0;
        if (rows == null) {
            // By the block: a copy is as fast while the loop has yet to be compiled.
            long[] words = new long[2 * Math.min(rowCount, BLOCK_ROWS)];
            for (int first = 0; first < rowCount; first += BLOCK_ROWS) {
                int count = Math.min(rowCount - first, BLOCK_ROWS);
                MemorySegment.copy(from, INT64, start + first * 16L, words, 0, 2 * count);
                wide |= split(words, count, low, high, first);
            }
        } else {
            int[] indexes = rows.indexes();
            int count = rows.count();
            for (int index = 0; index < count; index++) {
                int row = indexes[index];
                low[row] = from.get(INT64, start + row * 16L);
                high[row] = from.get(INT64, start + row * 16L + 8);
                wide |= high[row] ^ low[row] >> 63;
            }
        }
        // A load of further rows does not see those of the load before it.
        to.setNarrow(wide == 0 && rows == null);
    }

    /// Gives 0 if the low words alone say the values.
    private static long split(long[] words, int count, long[] low, long[] high, int first) {
        long wide = 0;
        for (int row = 0; row < count; row++) {
            low[first + row] = words[2 * row];
            high[first + row] = words[2 * row + 1];
            wide |= words[2 * row + 1] ^ words[2 * row] >> 63;
        }
        return wide;
    }

    private static void uuids(MemorySegment from, int firstRow, int rowCount, Mask rows, DecimalVector to) {
        long start = firstRow * 16L;
        long[] high = to.high();
        long[] low = to.low();
        if (rows == null) {
            for (int row = 0; row < rowCount; row++) {
                high[row] = UuidWords.high(from, start + row * 16L);
                low[row] = UuidWords.low(from, start + row * 16L);
            }
        } else {
            int[] indexes = rows.indexes();
            int count = rows.count();
            for (int index = 0; index < count; index++) {
                int row = indexes[index];
                high[row] = UuidWords.high(from, start + row * 16L);
                low[row] = UuidWords.low(from, start + row * 16L);
            }
        }
        to.setNarrow(false);
    }

    private static void numerics(MemorySegment from, int firstRow, int rowCount, Mask rows, DecimalVector to) {
        int[] indexes = rows == null ? null : rows.indexes();
        int count = rows == null ? rowCount : rows.count();
        for (int index = 0; index < count; index++) {
            int row = indexes == null ? index : indexes[index];
            long start = (firstRow + (long) row) * 24;
            to.low()[row] = from.get(INT64, start);
            to.high()[row] = from.get(INT64, start + 8);
            to.scale()[row] = from.get(INT32, start + 16);
        }
        to.setNarrow(false);
    }

    static void bools(MemorySegment bits, int firstRow, int rowCount, BoolVector to) {
        Validity words = Validity.of(bits, 0, -1);
        long[] out = to.bits();
        for (int word = 0; word < Bits.words(rowCount); word++) {
            out[word] = words.word(firstRow + word * 64L);
        }
    }

    static void texts(Utf8Column column, int firstRow, int rowCount, Mask rows, TextVector to) {
        to.useReferences(column.data());
        long wrong = rows != null || column.largeOffsets() || rowCount == 0
                ? textsByRow(column, firstRow, rowCount, rows, to)
                : contiguousTexts(column, firstRow, rowCount, to);
        if (wrong < 0) {
            throw new QueryException(SqlState.DATA_CORRUPTED, "text offsets lie outside the column's data");
        }
        if (rows == null && rowCount > 0) {
            to.setContiguous();
        }
    }

    private static long textsByRow(Utf8Column column, int firstRow, int rowCount, Mask rows, TextVector to) {
        long[] offsets = to.offsets();
        int[] lengths = to.lengths();
        long size = column.data().byteSize();
        int[] indexes = rows == null ? null : rows.indexes();
        int count = rows == null ? rowCount : rows.count();
        long wrong = 0;
        for (int index = 0; index < count; index++) {
            int row = indexes == null ? index : indexes[index];
            long start = column.offset(firstRow + row);
            long end = column.offset(firstRow + row + 1);
            wrong |= wrong(start, end, size);
            offsets[row] = start;
            lengths[row] = (int) (end - start);
        }
        return wrong;
    }

    /// Offsets of 4 bytes, copied at once: to where codes are in the other form.
    private static long contiguousTexts(Utf8Column column, int firstRow, int rowCount, TextVector to) {
        long[] offsets = to.offsets();
        int[] lengths = to.lengths();
        int[] starts = to.codes();
        long size = column.data().byteSize();
        MemorySegment.copy(column.offsets(), INT32, firstRow * 4L, starts, 0, rowCount);
        int wrong = 0;
        for (int row = 0; row < rowCount - 1; row++) {
            int start = starts[row];
            int length = starts[row + 1] - start;
            wrong |= start | length;
            offsets[row] = start;
            lengths[row] = length;
        }
        long start = starts[rowCount - 1];
        long end = column.offset(firstRow + rowCount);
        offsets[rowCount - 1] = start;
        lengths[rowCount - 1] = (int) (end - start);
        return wrong | wrong(start, end, size);
    }

    /// Negative iff out of order or outside: offsets come from files.
    private static long wrong(long start, long end, long size) {
        return start | end - start | size - end | Integer.MAX_VALUE - (end - start);
    }

    static void codes(DictionaryColumn column, int firstRow, int rowCount, Mask rows, TextVector to) {
        Dictionary dictionary = column.dictionary();
        to.useCodes(dictionary.table());
        int[] codes = to.codes();
        int[] indexes = rows == null ? null : rows.indexes();
        int count = rows == null ? rowCount : rows.count();
        MemorySegment from = column.codes();
        switch (column.codeBytes()) {
            case 1 -> {
                for (int index = 0; index < count; index++) {
                    int row = indexes == null ? index : indexes[index];
                    codes[row] = from.get(ValueLayout.JAVA_BYTE, firstRow + (long) row) & 0xFF;
                }
            }
            case 2 -> {
                for (int index = 0; index < count; index++) {
                    int row = indexes == null ? index : indexes[index];
                    codes[row] = from.get(INT16, (firstRow + (long) row) * 2) & 0xFFFF;
                }
            }
            default -> ints(from, firstRow, rowCount, rows, codes);
        }
        int[] tableCodes = dictionary.tableCodes();
        if (tableCodes != null) {
            for (int index = 0; index < count; index++) {
                int row = indexes == null ? index : indexes[index];
                // A NULL row's code is undefined and may be any number.
                int code = codes[row];
                codes[row] = code >= 0 && code < tableCodes.length ? tableCodes[code] : 0;
            }
        }
    }
}
