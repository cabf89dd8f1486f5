package dev.quarrel.core.arrow.dataset;

import dev.quarrel.core.column.Allocator;
import dev.quarrel.core.column.Column;
import dev.quarrel.core.column.ColumnWriter;
import dev.quarrel.core.type.DataType;

/// Columns of one value in every row: what a file has for a key that its folder names.
final class ConstantColumn {
    private ConstantColumn() {}

    /// @param value in canonical form (see [dev.quarrel.core.ir.Literal])
    static Column of(DataType type, Object value, int rowCount, Allocator memory) {
        ColumnWriter writer = new ColumnWriter(type, memory, rowCount);
        for (int row = 0; row < rowCount; row++) {
            writer.append(value);
        }
        return writer.finish();
    }
}
