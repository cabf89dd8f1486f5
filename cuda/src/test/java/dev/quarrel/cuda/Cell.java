package dev.quarrel.cuda;

import dev.quarrel.core.column.BoolColumn;
import dev.quarrel.core.column.Column;
import dev.quarrel.core.column.DictionaryColumn;
import dev.quarrel.core.column.FixedColumn;
import dev.quarrel.core.column.Utf8Column;
import dev.quarrel.core.type.DataType;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;

/// Values of columns as Java's, null for NULL.
final class Cell {
    private Cell() {}

    static Object of(Column column, int row) {
        if (!column.validity().isPresent(row)) {
            return null;
        }
        return switch (column) {
            case BoolColumn bools -> (bools.bits().get(ValueLayout.JAVA_BYTE, row >>> 3) >>> (row & 7) & 1) != 0;
            case Utf8Column text -> text(text, row);
            case DictionaryColumn coded -> text(coded.dictionary().values(), coded.code(row));
            case FixedColumn fixed -> fixed(fixed, row);
        };
    }

    private static String text(Utf8Column column, int row) {
        return new String(column.bytes(row).toArray(ValueLayout.JAVA_BYTE), StandardCharsets.UTF_8);
    }

    private static Object fixed(FixedColumn column, int row) {
        MemorySegment values = column.values();
        return switch (column.type()) {
            case DataType.Int16 _ -> values.get(ValueLayout.JAVA_SHORT_UNALIGNED, row * 2L);
            case DataType.Int32 _, DataType.Date _ -> values.get(ValueLayout.JAVA_INT_UNALIGNED, row * 4L);
            case DataType.Float32 _ -> values.get(ValueLayout.JAVA_FLOAT_UNALIGNED, row * 4L);
            case DataType.Float64 _ -> values.get(ValueLayout.JAVA_DOUBLE_UNALIGNED, row * 8L);
            case DataType.Decimal(int _, int scale) -> decimal(values, row * 16L, scale);
            case DataType.Numeric _ ->
                decimal(values, row * 24L, values.get(ValueLayout.JAVA_INT_UNALIGNED, row * 24L + 16));
            case DataType.Uuid _ ->
                values.get(ValueLayout.JAVA_LONG_UNALIGNED, row * 16L) + " "
                        + values.get(ValueLayout.JAVA_LONG_UNALIGNED, row * 16L + 8);
            default -> values.get(ValueLayout.JAVA_LONG_UNALIGNED, row * 8L);
        };
    }

    private static BigDecimal decimal(MemorySegment values, long at, int scale) {
        BigInteger high = BigInteger.valueOf(values.get(ValueLayout.JAVA_LONG_UNALIGNED, at + 8));
        BigInteger low = new BigInteger(Long.toUnsignedString(values.get(ValueLayout.JAVA_LONG_UNALIGNED, at)));
        return new BigDecimal(high.shiftLeft(64).add(low), scale);
    }
}
