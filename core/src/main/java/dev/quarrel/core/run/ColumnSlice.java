package dev.quarrel.core.run;

import dev.quarrel.core.column.BoolColumn;
import dev.quarrel.core.column.Column;
import dev.quarrel.core.column.DictionaryColumn;
import dev.quarrel.core.column.FixedColumn;
import dev.quarrel.core.column.Utf8Column;
import dev.quarrel.core.column.Validity;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/// Makes a view of a row range of a column.
///
/// - Memory: values are shared with the column; bits that do not start at a byte are copied to the heap (an
///   eighth of a byte
///   a row).
public final class ColumnSlice {
    private ColumnSlice() {}

    /// @param firstRow first row of the slice
    /// @param rowCount rows; `firstRow + rowCount` is at most the column's
    public static Column of(Column column, int firstRow, int rowCount) {
        Validity validity = of(column.validity(), firstRow, rowCount);
        return switch (column) {
            case FixedColumn fixed -> {
                long width = fixed.type().byteWidth();
                yield new FixedColumn(
                        fixed.type(), rowCount, fixed.values().asSlice(firstRow * width, rowCount * width), validity);
            }
            case BoolColumn bools -> new BoolColumn(rowCount, bits(bools.bits(), firstRow, rowCount), validity);
            case DictionaryColumn codes -> {
                long width = codes.codeBytes();
                yield new DictionaryColumn(
                        rowCount,
                        codes.codes().asSlice(firstRow * width, rowCount * width),
                        codes.codeBytes(),
                        codes.dictionary(),
                        validity);
            }
            case Utf8Column text -> {
                long width = text.largeOffsets() ? 8 : 4;
                MemorySegment offsets = rowCount == 0
                        ? text.offsets()
                        : text.offsets().asSlice(firstRow * width, (rowCount + 1L) * width);
                yield new Utf8Column(text.type(), rowCount, offsets, text.largeOffsets(), text.data(), validity);
            }
        };
    }

    public static Validity of(Validity validity, int firstRow, int rowCount) {
        return validity.isAllPresent()
                ? validity
                : Validity.of(bits(validity.bits(), firstRow, rowCount), rowCount, rowCount == 0 ? 0 : -1);
    }

    private static MemorySegment bits(MemorySegment bits, int firstRow, int rowCount) {
        long byteCount = (rowCount + 7L) / 8;
        if ((firstRow & 7) == 0) {
            return bits.asSlice(firstRow >>> 3, byteCount);
        }
        byte[] shifted = new byte[Math.toIntExact(byteCount)];
        int shift = firstRow & 7;
        long end = Math.min(bits.byteSize(), (firstRow + (long) rowCount + 7) / 8);
        for (int index = 0; index < shifted.length; index++) {
            long from = (firstRow >>> 3) + (long) index;
            int low = bits.get(ValueLayout.JAVA_BYTE, from) & 0xFF;
            int high = from + 1 < end ? bits.get(ValueLayout.JAVA_BYTE, from + 1) & 0xFF : 0;
            shifted[index] = (byte) (low >>> shift | high << (8 - shift));
        }
        return MemorySegment.ofArray(shifted);
    }
}
