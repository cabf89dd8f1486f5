package dev.quarrel.calcite.host;

import static dev.quarrel.core.column.LittleEndian.INT16;
import static dev.quarrel.core.column.LittleEndian.INT32;
import static dev.quarrel.core.column.LittleEndian.INT64;

import dev.quarrel.core.column.BoolColumn;
import dev.quarrel.core.column.Column;
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
import java.nio.charset.StandardCharsets;

/// Reads single values of columns into the canonical Java form of [dev.quarrel.core.ir.Literal].
public final class HostCells {
    private HostCells() {}

    /// The value of a row, or null.
    public static Object read(Column column, int row) {
        if (!column.validity().isPresent(row)) {
            return null;
        }
        return switch (column) {
            case BoolColumn bools -> (bools.bits().get(ValueLayout.JAVA_BYTE, row >>> 3) >>> (row & 7) & 1) != 0;
            case Utf8Column text -> text(text, row);
            case DictionaryColumn codes -> text(codes.dictionary().values(), codes.code(row));
            case FixedColumn fixed -> fixed(fixed.type(), fixed.values(), row);
        };
    }

    private static Object text(Utf8Column column, int row) {
        if (column.type() instanceof DataType.Binary) {
            return Bytes.of(column.bytes(row));
        }
        byte[] bytes = column.bytes(row).toArray(ValueLayout.JAVA_BYTE);
        return new String(bytes, StandardCharsets.UTF_8);
    }

    private static Object fixed(DataType type, MemorySegment values, int row) {
        return switch (type) {
            case DataType.Int16 _ -> (long) values.get(INT16, row * 2L);
            case DataType.Int32 _, DataType.Date _ -> (long) values.get(INT32, row * 4L);
            case DataType.Int64 _, DataType.Time _, DataType.Timestamp _ -> values.get(INT64, row * 8L);
            case DataType.Float32 _ -> Float.intBitsToFloat(values.get(INT32, row * 4L));
            case DataType.Float64 _ -> Double.longBitsToDouble(values.get(INT64, row * 8L));
            case DataType.Decimal(int _, int scale) ->
                new BigDecimal(unscaled(values.get(INT64, row * 16L + 8), values.get(INT64, row * 16L)), scale);
            case DataType.Numeric _
            when SpecialNumeric.is(values.get(INT32, row * 24L + 16)) ->
                SpecialNumeric.of(values.get(INT64, row * 24L));
            case DataType.Numeric _ ->
                new BigDecimal(
                        unscaled(values.get(INT64, row * 24L + 8), values.get(INT64, row * 24L)),
                        values.get(INT32, row * 24L + 16));
            case DataType.Uuid _ -> UuidWords.uuid(values, row * 16L);
            case DataType.Interval _ -> Interval.of(values.get(INT64, row * 16L), values.get(INT64, row * 16L + 8));
            case DataType.Bool _, DataType.Utf8 _, DataType.Binary _ ->
                throw new IllegalStateException(type + " has no fixed width");
        };
    }

    private static BigInteger unscaled(long high, long low) {
        return BigInteger.valueOf(high)
                .shiftLeft(64)
                .or(BigInteger.valueOf(low).and(BigInteger.ONE.shiftLeft(64).subtract(BigInteger.ONE)));
    }
}
