package dev.quarrel.core.cpu;

import dev.quarrel.core.column.Allocator;
import dev.quarrel.core.column.Column;
import dev.quarrel.core.column.ColumnWriter;
import dev.quarrel.core.type.Bytes;
import dev.quarrel.core.type.DataType;
import dev.quarrel.core.type.Interval;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.List;
import java.util.UUID;

/// Columns of canonical values, for tests.
public final class Columns {
    private Columns() {}

    public static Column of(DataType type, List<?> values, Allocator allocator) {
        ColumnWriter writer = new ColumnWriter(type, allocator, values.size());
        for (Object value : values) {
            if (value == null) {
                writer.appendNull();
            } else {
                append(writer, type, value);
            }
        }
        return writer.finish();
    }

    private static void append(ColumnWriter writer, DataType type, Object value) {
        switch (type) {
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
                BigInteger unscaled = ((BigDecimal) value).unscaledValue();
                writer.appendNumeric(
                        unscaled.shiftRight(64).longValue(), unscaled.longValue(), ((BigDecimal) value).scale());
            }
            case DataType.Uuid _ -> writer.appendUuid((UUID) value);
            case DataType.Interval _ -> writer.appendInterval((Interval) value);
            case DataType.Utf8 _ -> writer.appendUtf8((String) value);
            case DataType.Binary _ -> writer.appendBytes((Bytes) value);
        }
    }
}
