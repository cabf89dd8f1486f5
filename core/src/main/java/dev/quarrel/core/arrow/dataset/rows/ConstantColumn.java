package dev.quarrel.core.arrow.dataset.rows;

import dev.quarrel.core.column.Allocator;
import dev.quarrel.core.column.Column;
import dev.quarrel.core.column.ColumnWriter;
import dev.quarrel.core.column.FixedColumn;
import dev.quarrel.core.column.Validity;
import dev.quarrel.core.type.DataType;
import java.lang.foreign.MemorySegment;

/// Columns of one value in every row: what a file has for a key that its path names.
public final class ConstantColumn {
    private ConstantColumn() {}

    /// @param value in canonical form (see [dev.quarrel.core.ir.Literal])
    public static Column of(DataType type, Object value, int rowCount, Allocator memory) {
        if (type.byteWidth() > 0 && rowCount > 1) {
            FixedColumn one = (FixedColumn) of(type, value, 1, memory);
            return new FixedColumn(
                    type, rowCount, repeated(one.values(), type, rowCount, memory), Validity.allPresent());
        }
        ColumnWriter writer = new ColumnWriter(type, memory, rowCount);
        for (int row = 0; row < rowCount; row++) {
            writer.append(value);
        }
        return writer.finish();
    }

    private static MemorySegment repeated(MemorySegment one, DataType type, int rowCount, Allocator memory) {
        long bytes = (long) type.byteWidth() * rowCount;
        MemorySegment all = memory.allocateUnset(bytes);
        long filled = type.byteWidth();
        MemorySegment.copy(one, 0, all, 0, filled);
        while (filled < bytes) {
            long more = Math.min(filled, bytes - filled);
            MemorySegment.copy(all, 0, all, filled, more);
            filled += more;
        }
        return all;
    }
}
