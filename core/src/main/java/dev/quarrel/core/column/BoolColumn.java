package dev.quarrel.core.column;

import dev.quarrel.core.type.DataType;
import java.lang.foreign.MemorySegment;
import java.util.Objects;

/// A column of Booleans, one bit per row, least significant first.
///
/// - Shape: `bits` holds at least `ceil(rowCount / 8)` bytes.
public record BoolColumn(int rowCount, MemorySegment bits, Validity validity) implements Column {
    public BoolColumn {
        Objects.checkFromIndexSize(0L, (rowCount + 7L) / 8, bits.byteSize());
        Objects.requireNonNull(validity, "validity");
    }

    @Override
    public DataType type() {
        return DataType.BOOL;
    }
}
