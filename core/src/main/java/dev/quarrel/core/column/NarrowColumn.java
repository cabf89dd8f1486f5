package dev.quarrel.core.column;

import java.lang.foreign.MemorySegment;
import java.util.Objects;

/// A column of integers of a small span, in fewer bytes than their type has: value i is `base` plus the signed
/// number at `i * width`. For decimals it is the unscaled value. The bytes of a row that is NULL are undefined.
///
/// - A second view of a batch's column, for those who know it: a device keeps columns so between queries.
/// - Shape: `values` holds at least `rowCount * width` bytes, little endian, without alignment.
///
/// @param width 1, 2 or 4
public record NarrowColumn(int rowCount, MemorySegment values, int width, long base) {
    /// - Errors: IllegalArgumentException for another width; IndexOutOfBoundsException if there are fewer values.
    public NarrowColumn {
        if (width != 1 && width != 2 && width != 4) {
            throw new IllegalArgumentException("numbers of " + width + " bytes");
        }
        Objects.checkFromIndexSize(0L, (long) rowCount * width, values.byteSize());
    }
}
