package dev.quarrel.core.column;

import dev.quarrel.core.type.DataType;
import java.lang.foreign.MemorySegment;
import java.util.Objects;

/// A column of values of a fixed width, one after another.
///
/// - Shape: `values` holds at least `rowCount * type.byteWidth()` bytes; value i starts at `i * byteWidth`.
public record FixedColumn(DataType type, int rowCount, MemorySegment values, Validity validity) implements Column {
    public FixedColumn {
        if (type.byteWidth() <= 0) {
            throw new IllegalArgumentException(type + " has no fixed width");
        }
        Objects.checkFromIndexSize(0L, (long) rowCount * type.byteWidth(), values.byteSize());
        Objects.requireNonNull(validity, "validity");
    }
}
