package dev.quarrel.core.cpu.rows;

import static dev.quarrel.core.column.LittleEndian.INT16;
import static dev.quarrel.core.column.LittleEndian.INT32;
import static dev.quarrel.core.column.LittleEndian.INT64;

import dev.quarrel.core.column.BoolColumn;
import dev.quarrel.core.column.Column;
import dev.quarrel.core.column.FixedColumn;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/// Reads values of columns, for work that is done once per group.
public final class Cells {
    private Cells() {}

    public static int int16(Column column, int row) {
        return ((FixedColumn) column).values().get(INT16, row * 2L);
    }

    public static int int32(Column column, int row) {
        return ((FixedColumn) column).values().get(INT32, row * 4L);
    }

    public static long int64(Column column, int row) {
        return ((FixedColumn) column).values().get(INT64, row * 8L);
    }

    /// Rows [firstRow, firstRow + count); whatever stands there where a row is NULL.
    public static short[] int16s(Column column, int firstRow, int count) {
        short[] values = new short[count];
        MemorySegment.copy(((FixedColumn) column).values(), INT16, firstRow * 2L, values, 0, count);
        return values;
    }

    /// Rows [firstRow, firstRow + count); whatever stands there where a row is NULL.
    public static long[] int64s(Column column, int firstRow, int count) {
        long[] values = new long[count];
        MemorySegment.copy(((FixedColumn) column).values(), INT64, firstRow * 8L, values, 0, count);
        return values;
    }

    public static boolean bool(Column column, int row) {
        MemorySegment bits = ((BoolColumn) column).bits();
        return (bits.get(ValueLayout.JAVA_BYTE, row >>> 3) >>> (row & 7) & 1) != 0;
    }
}
