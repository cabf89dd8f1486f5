package dev.quarrel.cuda.encode;

import static dev.quarrel.core.column.LittleEndian.INT16;
import static dev.quarrel.core.column.LittleEndian.INT32;
import static dev.quarrel.core.column.LittleEndian.INT64;

import dev.quarrel.core.column.Allocator;
import dev.quarrel.core.column.BoolColumn;
import dev.quarrel.core.column.Column;
import dev.quarrel.core.column.ColumnWriter;
import dev.quarrel.core.column.DictionaryColumn;
import dev.quarrel.core.column.FixedColumn;
import dev.quarrel.core.column.Utf8Column;
import dev.quarrel.core.type.Bytes;
import dev.quarrel.core.type.DataType;
import dev.quarrel.core.type.Interval;
import dev.quarrel.core.type.SpecialNumeric;
import dev.quarrel.core.type.UuidWords;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.UUID;

/// Copies values of columns, row by row, into a column of their own.
public final class ColumnGather {
    private ColumnGather() {}

    /// The values of some rows.
    ///
    /// @param rows of `column`; -1 for NULL
    public static Column of(Column column, int[] rows, Allocator allocator) {
        ColumnWriter writer = new ColumnWriter(column.type(), allocator, rows.length);
        for (int row : rows) {
            append(writer, column, row);
        }
        return writer.finish();
    }

    /// Appends row `row` of a column of the writer's type; NULL for -1.
    public static void append(ColumnWriter writer, Column column, int row) {
        if (row < 0 || !column.validity().isPresent(row)) {
            writer.appendNull();
            return;
        }
        switch (column) {
            case BoolColumn bools ->
                writer.appendBool((bools.bits().get(ValueLayout.JAVA_BYTE, row >>> 3) >>> (row & 7) & 1) != 0);
            case Utf8Column text -> appendText(writer, text, row);
            case DictionaryColumn coded -> appendText(writer, coded.dictionary().values(), coded.code(row));
            case FixedColumn fixed -> appendFixed(writer, fixed, row);
        }
    }

    private static void appendText(ColumnWriter writer, Utf8Column text, int row) {
        long start = text.offset(row);
        writer.appendUtf8(text.data(), start, (int) (text.offset(row + 1) - start));
    }

    private static void appendFixed(ColumnWriter writer, FixedColumn column, int row) {
        MemorySegment from = column.values();
        int width = column.type().byteWidth();
        long at = (long) row * width;
        switch (width) {
            case 2 -> writer.appendInt16(from.get(INT16, at));
            case 4 -> writer.appendInt32(from.get(INT32, at));
            case 8 -> writer.appendInt64(from.get(INT64, at));
            case 24 -> writer.appendNumeric(from.get(INT64, at + 8), from.get(INT64, at), from.get(INT32, at + 16));
            default -> {
                if (column.type() instanceof DataType.Uuid) {
                    writer.appendUuid(UuidWords.uuid(from, at));
                } else {
                    writer.appendDecimal(from.get(INT64, at + 8), from.get(INT64, at));
                }
            }
        }
    }

    /// Appends a value, as a `Literal` has it.
    ///
    /// @param value of a type that lanes do not hold, or null
    public static void append(ColumnWriter writer, Object value) {
        switch (value) {
            case null -> writer.appendNull();
            case String text -> writer.appendUtf8(text);
            case Bytes bytes -> writer.appendBytes(bytes);
            case UUID uuid -> writer.appendUuid(uuid);
            case Interval interval -> writer.appendInterval(interval);
            case SpecialNumeric special -> writer.appendNumeric(special);
            case BigDecimal number -> {
                BigInteger unscaled = number.unscaledValue();
                writer.appendNumeric(unscaled.shiftRight(64).longValue(), unscaled.longValue(), number.scale());
            }
            default -> throw new IllegalStateException("a constant " + value);
        }
    }
}
