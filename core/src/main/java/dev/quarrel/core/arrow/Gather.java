package dev.quarrel.core.arrow;

import static dev.quarrel.core.column.LittleEndian.INT16;
import static dev.quarrel.core.column.LittleEndian.INT32;
import static dev.quarrel.core.column.LittleEndian.INT64;

import dev.quarrel.core.column.Allocator;
import dev.quarrel.core.column.BoolColumn;
import dev.quarrel.core.column.Column;
import dev.quarrel.core.column.Dictionary;
import dev.quarrel.core.column.DictionaryColumn;
import dev.quarrel.core.column.FixedColumn;
import dev.quarrel.core.column.Utf8Column;
import dev.quarrel.core.column.Validity;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;

/// Copies rows of a column into a new one: what codes, runs and unions stand for.
public final class Gather {
    private Gather() {}

    /// - Shape: one row for each of `rows`, plain.
    /// - Nulls: where an index is -1, and where the row that it leads to is.
    ///
    /// @param rows indexes into `values`, or -1
    public static Column of(Column values, int[] rows, Allocator memory) {
        return of(values, rows, validity(values.validity(), rows, memory), memory);
    }

    /// The same, where a column of codes stays one.
    public static Column coded(Column values, int[] rows, Allocator memory) {
        if (!(values instanceof DictionaryColumn coded)) {
            return of(values, rows, memory);
        }
        Validity validity = validity(values.validity(), rows, memory);
        int width = coded.codeBytes();
        MemorySegment codes = memory.allocate((long) rows.length * width);
        for (int row = 0; row < rows.length; row++) {
            if (rows[row] < 0) {
                continue;
            }
            switch (width) {
                case 1 -> codes.set(ValueLayout.JAVA_BYTE, row, coded.codes().get(ValueLayout.JAVA_BYTE, rows[row]));
                case 2 -> codes.set(INT16, row * 2L, coded.codes().get(INT16, rows[row] * 2L));
                default -> codes.set(INT32, row * 4L, coded.codes().get(INT32, rows[row] * 4L));
            }
        }
        return new DictionaryColumn(rows.length, codes, width, coded.dictionary(), validity);
    }

    /// Which of the rows are there.
    ///
    /// @param rows indexes into `values`, or -1
    static Validity validity(Validity values, int[] rows, Allocator memory) {
        int count = rows.length;
        if (values.isAllPresent()) {
            int least = 0;
            for (int row : rows) {
                least |= row; // below 0 if one is
            }
            if (least >= 0) {
                return Validity.allPresent();
            }
        }
        MemorySegment bits = memory.allocate((count + 7L) / 8);
        int nullCount = 0;
        for (int row = 0; row < count; row++) {
            boolean isPresent = rows[row] >= 0 && values.isPresent(rows[row]);
            set(bits, row, isPresent);
            nullCount += isPresent ? 0 : 1;
        }
        return nullCount == 0 ? Validity.allPresent() : Validity.of(bits, count, nullCount);
    }

    private static Column of(Column values, int[] rows, Validity validity, Allocator memory) {
        int count = rows.length;
        return switch (values) {
            case FixedColumn fixed -> new FixedColumn(fixed.type(), count, fixed(fixed, rows, memory), validity);
            case BoolColumn bools -> {
                MemorySegment set = memory.allocate((count + 7L) / 8);
                for (int row = 0; row < count; row++) {
                    set(set, row, validity.isPresent(row) && isSet(bools.bits(), rows[row]));
                }
                yield new BoolColumn(count, set, validity);
            }
            case Utf8Column text -> texts(text, rows, validity, memory);
            case DictionaryColumn coded -> of(PlainText.of(coded, memory), rows, memory);
        };
    }

    private static Utf8Column texts(Utf8Column text, int[] rows, Validity validity, Allocator memory) {
        MemorySegment codes = memory.allocate(rows.length * 4L);
        for (int row = 0; row < rows.length; row++) {
            codes.set(INT32, row * 4L, Math.max(0, rows[row]));
        }
        return PlainText.of(new DictionaryColumn(rows.length, codes, 4, new Dictionary(text), validity), memory);
    }

    private static MemorySegment fixed(FixedColumn column, int[] rows, Allocator memory) {
        int width = column.type().byteWidth();
        MemorySegment from = column.values();
        MemorySegment to = memory.allocate((long) rows.length * width);
        for (int row = 0; row < rows.length; row++) {
            if (rows[row] < 0) {
                continue;
            }
            long place = (long) rows[row] * width;
            switch (width) {
                case 2 -> to.set(INT16, row * 2L, from.get(INT16, place));
                case 4 -> to.set(INT32, row * 4L, from.get(INT32, place));
                case 8 -> to.set(INT64, row * 8L, from.get(INT64, place));
                default -> MemorySegment.copy(from, place, to, (long) row * width, width);
            }
        }
        return to;
    }

    /// The rows of several columns of one type that are no texts, one after another.
    static Column joined(List<Column> parts, Allocator memory) {
        if (parts.size() == 1) {
            return parts.getFirst();
        }
        int count = Math.toIntExact(parts.stream().mapToLong(Column::rowCount).sum());
        boolean isBool = parts.getFirst() instanceof BoolColumn;
        int width = isBool ? 0 : parts.getFirst().type().byteWidth();
        MemorySegment values = memory.allocate(isBool ? (count + 7L) / 8 : (long) count * width);
        MemorySegment present = memory.allocate((count + 7L) / 8);
        int nullCount = 0;
        int end = 0;
        for (Column part : parts) {
            if (part instanceof FixedColumn fixed) {
                MemorySegment.copy(fixed.values(), 0, values, (long) end * width, (long) fixed.rowCount() * width);
            }
            for (int row = 0; row < part.rowCount(); row++, end++) {
                boolean isPresent = part.validity().isPresent(row);
                nullCount += isPresent ? 0 : 1;
                set(present, end, isPresent);
                if (part instanceof BoolColumn bools) {
                    set(values, end, isSet(bools.bits(), row));
                }
            }
        }
        Validity validity = Validity.of(present, count, nullCount);
        return isBool
                ? new BoolColumn(count, values, validity)
                : new FixedColumn(parts.getFirst().type(), count, values, validity);
    }

    private static boolean isSet(MemorySegment bits, int row) {
        return (bits.get(ValueLayout.JAVA_BYTE, row >>> 3) >>> (row & 7) & 1) != 0;
    }

    private static void set(MemorySegment bits, int row, boolean value) {
        if (value) {
            int each = bits.get(ValueLayout.JAVA_BYTE, row >>> 3) | 1 << (row & 7);
            bits.set(ValueLayout.JAVA_BYTE, row >>> 3, (byte) each);
        }
    }
}
