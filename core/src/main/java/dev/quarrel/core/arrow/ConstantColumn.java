package dev.quarrel.core.arrow;

import dev.quarrel.core.column.Allocator;
import dev.quarrel.core.column.Column;
import dev.quarrel.core.column.ColumnWriter;
import dev.quarrel.core.type.Bytes;
import dev.quarrel.core.type.DataType;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.UUID;

/// Columns of one value in every row: what a file has for a key that its folder names.
final class ConstantColumn {
    private ConstantColumn() {}

    /// @param value in canonical form (see [dev.quarrel.core.ir.Literal])
    static Column of(DataType type, Object value, int rowCount, Allocator memory) {
        ColumnWriter writer = new ColumnWriter(type, memory, rowCount);
        for (int row = 0; row < rowCount; row++) {
            append(writer, value);
        }
        return writer.finish();
    }

    private static void append(ColumnWriter writer, Object value) {
        switch (writer.type()) {
            case DataType.Bool _ -> writer.appendBool((Boolean) value);
            case DataType.Int16 _ -> writer.appendInt16(((Long) value).shortValue());
            case DataType.Int32 _, DataType.Date _ -> writer.appendInt32(((Long) value).intValue());
            case DataType.Int64 _, DataType.Time _, DataType.Timestamp _ -> writer.appendInt64((Long) value);
            case DataType.Float32 _ -> writer.appendFloat32((Float) value);
            case DataType.Float64 _ -> writer.appendFloat64((Double) value);
            case DataType.Decimal _ -> {
                BigInteger unscaled = ((BigDecimal) value).unscaledValue();
                writer.appendDecimal(unscaled.shiftRight(64).longValue(), unscaled.longValue());
            }
            case DataType.Numeric _ -> {
                BigDecimal number = (BigDecimal) value;
                BigInteger unscaled = number.unscaledValue();
                writer.appendNumeric(unscaled.shiftRight(64).longValue(), unscaled.longValue(), number.scale());
            }
            case DataType.Uuid _ -> writer.appendUuid((UUID) value);
            case DataType.Utf8 _ -> writer.appendUtf8((String) value);
            case DataType.Binary _ -> writer.appendBytes((Bytes) value);
            case DataType.Interval _ -> throw new IllegalArgumentException("no folder is named by an interval");
        }
    }
}
