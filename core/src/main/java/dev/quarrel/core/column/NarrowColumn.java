package dev.quarrel.core.column;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.util.Objects;

/// Integers of a small span, in fewer bytes than their type has: value i is `base` plus the signed number at
/// `i * width`. Of decimals it is the unscaled value. What stands for a row that is NULL is undefined.
///
/// - A second view of a batch's column, for those who know it: a device keeps columns so between queries.
/// - Shape: `values` holds at least `rowCount * width` bytes, little endian, without alignment.
///
/// @param width 1, 2 or 4
public record NarrowColumn(int rowCount, MemorySegment values, int width, long base) {
    private static final ValueLayout.OfShort INT16 =
            ValueLayout.JAVA_SHORT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    private static final ValueLayout.OfInt INT32 = ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

    /// - Errors: IllegalArgumentException for another width; IndexOutOfBoundsException if there are fewer values.
    public NarrowColumn {
        if (width != 1 && width != 2 && width != 4) {
            throw new IllegalArgumentException("numbers of " + width + " bytes");
        }
        Objects.checkFromIndexSize(0L, (long) rowCount * width, values.byteSize());
    }

    /// The least value that can be said.
    public long least() {
        return base - (1L << 8 * width - 1);
    }

    /// The greatest value that can be said.
    public long greatest() {
        return base + (1L << 8 * width - 1) - 1;
    }

    public long value(long row) {
        return base
                + switch (width) {
                    case 1 -> values.get(ValueLayout.JAVA_BYTE, row);
                    case 2 -> values.get(INT16, row * 2);
                    default -> values.get(INT32, row * 4);
                };
    }
}
