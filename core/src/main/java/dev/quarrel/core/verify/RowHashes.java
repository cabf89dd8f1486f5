package dev.quarrel.core.verify;

import static dev.quarrel.core.column.LittleEndian.INT16;
import static dev.quarrel.core.column.LittleEndian.INT32;
import static dev.quarrel.core.column.LittleEndian.INT64;

import dev.quarrel.core.arrow.stats.TextHash;
import dev.quarrel.core.column.Batch;
import dev.quarrel.core.column.BoolColumn;
import dev.quarrel.core.column.Column;
import dev.quarrel.core.column.DictionaryColumn;
import dev.quarrel.core.column.FixedColumn;
import dev.quarrel.core.column.Utf8Column;
import dev.quarrel.core.type.DataType;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/// A hash of each row of a batch, over the bits of all its values; any NaN is the same.
final class RowHashes {
    private static final long NULL = 0x6A09E667F3BCC909L;
    private static final long MULTIPLIER = 0x9E3779B97F4A7C15L;

    private RowHashes() {}

    static long[] of(Batch batch) {
        long[] hashes = new long[batch.rowCount()];
        for (Column column : batch.columns()) {
            for (int row = 0; row < hashes.length; row++) {
                long value = column.validity().isPresent(row) ? value(column, row) : NULL;
                long mixed = (Long.rotateLeft(hashes[row], 23) ^ value) * MULTIPLIER;
                hashes[row] = mixed ^ mixed >>> 32;
            }
        }
        return hashes;
    }

    private static long value(Column column, int row) {
        return switch (column) {
            case BoolColumn bools -> bools.bits().get(ValueLayout.JAVA_BYTE, row >>> 3) >>> (row & 7) & 1;
            case Utf8Column text -> text(text, row);
            case DictionaryColumn codes -> text(codes.dictionary().values(), codes.code(row));
            case FixedColumn fixed -> fixed(fixed.type(), fixed.values(), row);
        };
    }

    private static long text(Utf8Column column, int row) {
        long start = column.offset(row);
        long end = column.offset(row + 1);
        return TextHash.of(column.data(), start, end, TextHash.word(column.data(), start, end));
    }

    private static long fixed(DataType type, MemorySegment values, int row) {
        return switch (type) {
            case DataType.Float32 _ -> Float.floatToIntBits(Float.intBitsToFloat(values.get(INT32, row * 4L)));
            case DataType.Float64 _ -> Double.doubleToLongBits(Double.longBitsToDouble(values.get(INT64, row * 8L)));
            default ->
                switch (type.byteWidth()) {
                    case 2 -> values.get(INT16, row * 2L);
                    case 4 -> values.get(INT32, row * 4L);
                    case 8 -> values.get(INT64, row * 8L);
                    case 16 -> pair(values.get(INT64, row * 16L), values.get(INT64, row * 16L + 8));
                    default ->
                        pair(
                                pair(values.get(INT64, row * 24L), values.get(INT64, row * 24L + 8)),
                                values.get(INT32, row * 24L + 16));
                };
        };
    }

    private static long pair(long low, long high) {
        return Long.rotateLeft(low * MULTIPLIER, 31) ^ high;
    }
}
