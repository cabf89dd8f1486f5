package dev.quarrel.core.column;

import static dev.quarrel.core.column.LittleEndian.INT32;
import static dev.quarrel.core.column.LittleEndian.INT64;

import dev.quarrel.core.type.DataType;
import java.lang.foreign.MemorySegment;
import java.util.Objects;

/// A column of text or bytes: value i is `data[offset(i), offset(i + 1))`, in UTF-8 if `type` is Utf8, any bytes
/// if it is Binary.
///
/// - Shape: `offsets` holds `rowCount + 1` integers of 4 bytes, or of 8 when `largeOffsets`.
/// - Errors: offsets are checked against `data` where a value is read, since they come from files.
public record Utf8Column(
        DataType type, int rowCount, MemorySegment offsets, boolean largeOffsets, MemorySegment data, Validity validity)
        implements Column {

    public Utf8Column {
        if (type.byteWidth() != -1) {
            throw new IllegalArgumentException(type + " has values of one width");
        }
        // Arrow allows a column of no rows to have no offsets at all.
        if (rowCount > 0) {
            Objects.checkFromIndexSize(0L, (rowCount + 1L) * (largeOffsets ? 8 : 4), offsets.byteSize());
        }
        Objects.requireNonNull(validity, "validity");
    }

    /// A column of text.
    public Utf8Column(
            int rowCount, MemorySegment offsets, boolean largeOffsets, MemorySegment data, Validity validity) {
        this(DataType.UTF8, rowCount, offsets, largeOffsets, data, validity);
    }

    /// Where value `row` starts in `data`; for `row == rowCount` the end of the last value.
    public long offset(int row) {
        return largeOffsets ? offsets.get(INT64, row * 8L) : offsets.get(INT32, row * 4L);
    }

    /// The bytes of value `row`: a view, not a copy.
    public MemorySegment bytes(int row) {
        long start = offset(row);
        return data.asSlice(start, offset(row + 1) - start);
    }
}
