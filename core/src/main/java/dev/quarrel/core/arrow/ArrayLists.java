package dev.quarrel.core.arrow;

import dev.quarrel.core.column.Allocator;
import dev.quarrel.core.column.BoolColumn;
import dev.quarrel.core.column.Column;
import dev.quarrel.core.column.ColumnWriter;
import dev.quarrel.core.column.DictionaryColumn;
import dev.quarrel.core.column.FixedColumn;
import dev.quarrel.core.column.Utf8Column;
import dev.quarrel.core.column.Validity;
import dev.quarrel.core.pg.ArrayText;
import dev.quarrel.core.pg.PgParse;
import dev.quarrel.core.pg.PgText;
import dev.quarrel.core.pg.PgType;
import dev.quarrel.core.pg.TextBuffer;
import dev.quarrel.core.type.Bytes;
import dev.quarrel.core.type.DataType;
import dev.quarrel.core.type.QueryException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.util.Optional;
import java.util.UUID;
import java.util.function.IntToLongFunction;

/// Arrays, which columns hold as PostgreSQL's text, as Arrow's lists: of one dimension, counted from 1.
final class ArrayLists {
    private static final ValueLayout.OfInt INT32 = ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

    private ArrayLists() {}

    /// The array type of a column whose elements a list can hold as they are; empty for others.
    static Optional<PgType> arrayOf(String pgType) {
        if (pgType == null) {
            return Optional.empty();
        }
        try {
            PgType type = PgType.parse(pgType).type();
            return type.isArray() && isListed(type.element()) ? Optional.of(type) : Optional.empty();
        } catch (QueryException _) {
            return Optional.empty();
        }
    }

    /// Not numeric, whose elements have a scale each, nor intervals.
    static boolean isListed(PgType element) {
        return switch (element.dataType()) {
            case DataType.Numeric _, DataType.Decimal _, DataType.Interval _ -> false;
            default -> true;
        };
    }

    /// @param elements of all rows, one after the other
    /// @param offsets where each row's begin and the last one's end, as int32
    record Lists(Column elements, MemorySegment offsets) {}

    /// Reads the arrays' texts.
    ///
    /// - Errors: `QueryException` 0A000 for an array of several dimensions.
    static Lists lists(Utf8Column texts, PgType array, Allocator memory) {
        PgType element = array.element();
        ColumnWriter writer = new ColumnWriter(element.dataType(), memory, Math.max(1, texts.rowCount()));
        MemorySegment offsets = memory.allocate((texts.rowCount() + 1L) * 4);
        offsets.set(INT32, 0, 0);
        TextBuffer text = new TextBuffer();
        for (int row = 0; row < texts.rowCount(); row++) {
            if (texts.validity().isPresent(row)) {
                text.clear();
                text.append(texts.data(), texts.offset(row), texts.offset(row + 1) - texts.offset(row));
                for (String value : ArrayText.parse(text.toString())) {
                    append(writer, element, value);
                }
            }
            offsets.set(INT32, (row + 1L) * 4, writer.rowCount());
        }
        return new Lists(writer.finish(), offsets);
    }

    private static void append(ColumnWriter writer, PgType element, String text) {
        if (text == null) {
            writer.appendNull();
            return;
        }
        if (writer.type() instanceof DataType.Utf8) {
            writer.appendUtf8(text);
            return;
        }
        Object value = PgParse.literal(text, new PgType.Declared(element, PgType.NO_TYPMOD))
                .value();
        switch (writer.type()) {
            case DataType.Bool _ -> writer.appendBool((Boolean) value);
            case DataType.Int16 _ -> writer.appendInt16(((Number) value).shortValue());
            case DataType.Int32 _, DataType.Date _ -> writer.appendInt32(((Number) value).intValue());
            case DataType.Int64 _, DataType.Time _, DataType.Timestamp _ ->
                writer.appendInt64(((Number) value).longValue());
            case DataType.Float32 _ -> writer.appendFloat32(((Number) value).floatValue());
            case DataType.Float64 _ -> writer.appendFloat64(((Number) value).doubleValue());
            case DataType.Uuid _ -> writer.appendUuid((UUID) value);
            case DataType.Binary _ -> writer.appendBytes((Bytes) value);
            case DataType.Utf8 _, DataType.Decimal _, DataType.Numeric _, DataType.Interval _ ->
                throw new IllegalArgumentException("no list holds " + writer.type());
        }
    }

    /// Writes the texts of lists.
    ///
    /// - Nulls: as `validity` has them; a null element is NULL.
    /// - Errors: [ArithmeticException] for more than 2 GiB of text.
    ///
    /// @param starts where each row's elements begin, and the last one's end; they ascend, within `elements`
    static Utf8Column texts(
            Column elements, IntToLongFunction starts, Validity validity, int rowCount, Allocator memory) {
        TextBuffer out = new TextBuffer();
        TextBuffer value = new TextBuffer();
        MemorySegment offsets = memory.allocate((rowCount + 1L) * 4);
        offsets.set(INT32, 0, 0);
        for (int row = 0; row < rowCount; row++) {
            if (validity.isPresent(row)) {
                int start = (int) starts.applyAsLong(row);
                int end = (int) starts.applyAsLong(row + 1);
                out.append('{');
                for (int index = start; index < end; index++) {
                    if (index > start) {
                        out.append(',');
                    }
                    if (elements.validity().isPresent(index)) {
                        value.clear();
                        PgText.append(elements, index, value);
                        ArrayText.appendElement(value.array(), value.length(), out);
                    } else {
                        out.appendAscii("NULL");
                    }
                }
                out.append('}');
            }
            offsets.set(INT32, (row + 1L) * 4, out.length());
        }
        MemorySegment data = memory.allocate(Math.max(1, out.length()));
        MemorySegment.copy(out.array(), 0, data, ValueLayout.JAVA_BYTE, 0, out.length());
        return new Utf8Column(DataType.UTF8, rowCount, offsets, false, data, validity);
    }

    /// The values' buffers of list elements, without their validity.
    static MemorySegment values(Column elements) {
        return switch (elements) {
            case FixedColumn fixed ->
                fixed.values().asSlice(0, (long) fixed.rowCount() * fixed.type().byteWidth());
            case BoolColumn bools -> bools.bits().asSlice(0, (bools.rowCount() + 7L) / 8);
            case Utf8Column _, DictionaryColumn _ -> throw new IllegalArgumentException(elements.toString());
        };
    }
}
