package dev.quarrel.core.cpu;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/// Copies the selected rows of a column's memory to the front of an array, widened: what a compiled loop reads.
///
/// The same few loops serve all statements and are compiled once, while the loop that is made for a statement, and
/// begins in the bytecode interpreter, touches arrays alone.
final class ColumnCells {
    private ColumnCells() {}

    /// @param bytes of a value: 1, 2 or 4
    /// @param isCode codes of 1 and 2 bytes have no sign
    /// @param first the row that the tile starts at
    static void ints(MemorySegment values, int bytes, boolean isCode, int first, Mask mask, int[] out) {
        if (mask.isFull()) {
            allInts(values, bytes, isCode, first, mask.rowCount(), out);
            return;
        }
        int[] rows = mask.indexes();
        int count = mask.count();
        switch (bytes) {
            case 1 -> {
                for (int index = 0; index < count; index++) {
                    out[index] = values.get(ValueLayout.JAVA_BYTE, first + (long) rows[index]) & 0xFF;
                }
            }
            case 2 -> {
                int bits = isCode ? 0xFFFF : -1;
                for (int index = 0; index < count; index++) {
                    out[index] = values.get(LoopMath.INT16, (first + (long) rows[index]) * 2) & bits;
                }
            }
            default -> {
                for (int index = 0; index < count; index++) {
                    out[index] = values.get(LoopMath.INT32, (first + (long) rows[index]) * 4);
                }
            }
        }
    }

    private static void allInts(MemorySegment values, int bytes, boolean isCode, int first, int count, int[] out) {
        switch (bytes) {
            case 1 -> {
                for (int index = 0; index < count; index++) {
                    out[index] = values.get(ValueLayout.JAVA_BYTE, (long) first + index) & 0xFF;
                }
            }
            case 2 -> {
                int bits = isCode ? 0xFFFF : -1;
                for (int index = 0; index < count; index++) {
                    out[index] = values.get(LoopMath.INT16, ((long) first + index) * 2) & bits;
                }
            }
            default -> MemorySegment.copy(values, LoopMath.INT32, first * 4L, out, 0, count);
        }
    }

    /// @param bytes from one value to the next: 8, or 16 for the low words of decimals
    static void longs(MemorySegment values, int bytes, int first, Mask mask, long[] out) {
        int count = mask.count();
        if (mask.isFull() && bytes == 8) {
            MemorySegment.copy(values, LoopMath.INT64, first * 8L, out, 0, count);
            return;
        }
        int[] rows = mask.indexes();
        for (int index = 0; index < count; index++) {
            out[index] = values.get(LoopMath.INT64, (first + (long) rows[index]) * bytes);
        }
    }
}
