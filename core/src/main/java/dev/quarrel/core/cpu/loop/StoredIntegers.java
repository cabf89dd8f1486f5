package dev.quarrel.core.cpu.loop;

import dev.quarrel.core.column.Batch;
import dev.quarrel.core.column.FixedColumn;
import dev.quarrel.core.column.NarrowColumn;
import dev.quarrel.core.column.Validity;
import dev.quarrel.core.type.DataType;
import java.lang.foreign.MemorySegment;

/// The integers of a column as they lie in memory: value i is `base` plus the signed number at `i * width`.
///
/// @param width bytes from one to the next: 1, 2, 4 or 8, or 16 for decimals, whose low words are meant
/// @param validity of the column
public record StoredIntegers(MemorySegment values, int width, long base, Validity validity) {
    /// A column of a batch in the fewest bytes; null if it has no fixed width.
    static StoredIntegers of(Batch batch, int column) {
        if (!(batch.column(column) instanceof FixedColumn fixed)) {
            return null;
        }
        NarrowColumn narrow = batch.narrow(column);
        return narrow == null ? of(fixed) : new StoredIntegers(narrow, fixed.validity());
    }

    static StoredIntegers of(FixedColumn column) {
        return new StoredIntegers(column.values(), column.type().byteWidth(), 0, column.validity());
    }

    private StoredIntegers(NarrowColumn narrow, Validity validity) {
        this(narrow.values(), narrow.width(), narrow.base(), validity);
    }

    /// Whether 64 bits hold each of the rows' values.
    boolean isNarrow(DataType type, int firstRow, int rows) {
        return width < 16 || !(type instanceof DataType.Decimal) || ColumnScans.isNarrow(values, firstRow, rows);
    }
}
