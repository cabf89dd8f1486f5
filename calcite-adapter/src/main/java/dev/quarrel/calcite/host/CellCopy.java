package dev.quarrel.calcite.host;

import static dev.quarrel.core.column.LittleEndian.INT16;
import static dev.quarrel.core.column.LittleEndian.INT32;
import static dev.quarrel.core.column.LittleEndian.INT64;

import dev.quarrel.core.column.BoolColumn;
import dev.quarrel.core.column.Column;
import dev.quarrel.core.column.ColumnWriter;
import dev.quarrel.core.column.DictionaryColumn;
import dev.quarrel.core.column.FixedColumn;
import dev.quarrel.core.column.Utf8Column;
import dev.quarrel.core.type.DataType;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/// Copies cells of columns as they are held, without making objects of them.
final class CellCopy {
    private CellCopy() {}

    /// Appends the cells of some rows.
    ///
    /// @param rows the first `count` of them are meant
    static void append(ColumnWriter out, Column column, int[] rows, int count) {
        for (int index = 0; index < count; index++) {
            append(out, column, rows[index]);
        }
    }

    static void append(ColumnWriter out, Column column, int row) {
        if (!column.validity().isPresent(row)) {
            out.appendNull();
            return;
        }
        switch (column) {
            case BoolColumn bools ->
                out.appendBool((bools.bits().get(ValueLayout.JAVA_BYTE, row >>> 3) >>> (row & 7) & 1) != 0);
            case Utf8Column text -> appendText(out, text, row);
            case DictionaryColumn codes -> appendText(out, codes.dictionary().values(), codes.code(row));
            case FixedColumn fixed -> appendFixed(out, fixed, row);
        }
    }

    private static void appendText(ColumnWriter out, Utf8Column text, int row) {
        long start = text.offset(row);
        out.appendUtf8(text.data(), start, Math.toIntExact(text.offset(row + 1) - start));
    }

    private static void appendFixed(ColumnWriter out, FixedColumn column, int row) {
        MemorySegment values = column.values();
        long at = (long) row * column.type().byteWidth();
        switch (column.type()) {
            case DataType.Int16 _ -> out.appendInt16(values.get(INT16, at));
            case DataType.Int32 _, DataType.Date _, DataType.Float32 _ -> out.appendInt32(values.get(INT32, at));
            case DataType.Int64 _, DataType.Time _, DataType.Timestamp _, DataType.Float64 _ ->
                out.appendInt64(values.get(INT64, at));
            case DataType.Decimal _, DataType.Interval _, DataType.Uuid _ ->
                out.appendDecimal(values.get(INT64, at + 8), values.get(INT64, at));
            case DataType.Numeric _ ->
                out.appendNumeric(values.get(INT64, at + 8), values.get(INT64, at), values.get(INT32, at + 16));
            case DataType.Bool _, DataType.Utf8 _, DataType.Binary _ ->
                throw new IllegalStateException(column.type() + " has no fixed width");
        }
    }
}
