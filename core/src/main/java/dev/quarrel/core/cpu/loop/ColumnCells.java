package dev.quarrel.core.cpu.loop;

import dev.quarrel.core.cpu.tile.Mask;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/// Copies the selected rows of a column's memory, widened, to the front of an array, from which a compiled loop
/// reads them.
///
/// The same few loops serve all statements and are compiled once, while the loop that is made for a statement, and
/// begins in the bytecode interpreter, touches arrays alone.
public final class ColumnCells {
    private ColumnCells() {}

    /// @param column of 1, 2 or 4 bytes
    /// @param isCode codes of 1 and 2 bytes have no sign
    /// @param first the row that the tile starts at
    public static void ints(StoredIntegers column, boolean isCode, int first, Mask mask, int[] out) {
        MemorySegment values = column.values();
        int base = (int) column.base(); // what wraps around does so twice
        if (mask.isFull()) {
            allInts(values, column.width(), base, isCode, first, mask.rowCount(), out);
            return;
        }
        int[] rows = mask.indexes();
        int count = mask.count();
        switch (column.width()) {
            case 1 -> {
                int bits = isCode ? 0xFF : -1;
                for (int index = 0; index < count; index++) {
                    out[index] = base + (values.get(ValueLayout.JAVA_BYTE, first + (long) rows[index]) & bits);
                }
            }
            case 2 -> {
                int bits = isCode ? 0xFFFF : -1;
                for (int index = 0; index < count; index++) {
                    out[index] = base + (values.get(LoopMath.INT16, (first + (long) rows[index]) * 2) & bits);
                }
            }
            default -> {
                for (int index = 0; index < count; index++) {
                    out[index] = values.get(LoopMath.INT32, (first + (long) rows[index]) * 4);
                }
            }
        }
    }

    private static void allInts(
            MemorySegment values, int width, int base, boolean isCode, int first, int count, int[] out) {
        switch (width) {
            case 1 -> {
                int bits = isCode ? 0xFF : -1;
                for (int index = 0; index < count; index++) {
                    out[index] = base + (values.get(ValueLayout.JAVA_BYTE, (long) first + index) & bits);
                }
            }
            case 2 -> {
                int bits = isCode ? 0xFFFF : -1;
                for (int index = 0; index < count; index++) {
                    out[index] = base + (values.get(LoopMath.INT16, ((long) first + index) * 2) & bits);
                }
            }
            default -> MemorySegment.copy(values, LoopMath.INT32, first * 4L, out, 0, count);
        }
    }

    /// @param column of any width; of decimals the low words
    public static void longs(StoredIntegers column, int first, Mask mask, long[] out) {
        MemorySegment values = column.values();
        int width = column.width();
        long base = column.base();
        int count = mask.count();
        if (mask.isFull() && width == 8) {
            MemorySegment.copy(values, LoopMath.INT64, first * 8L, out, 0, count);
            return;
        }
        int[] rows = mask.indexes();
        switch (width) {
            case 1 -> {
                for (int index = 0; index < count; index++) {
                    out[index] = base + values.get(ValueLayout.JAVA_BYTE, first + (long) rows[index]);
                }
            }
            case 2 -> {
                for (int index = 0; index < count; index++) {
                    out[index] = base + values.get(LoopMath.INT16, (first + (long) rows[index]) * 2);
                }
            }
            case 4 -> {
                for (int index = 0; index < count; index++) {
                    out[index] = base + values.get(LoopMath.INT32, (first + (long) rows[index]) * 4);
                }
            }
            default -> {
                for (int index = 0; index < count; index++) {
                    out[index] = values.get(LoopMath.INT64, (first + (long) rows[index]) * width);
                }
            }
        }
    }
}
