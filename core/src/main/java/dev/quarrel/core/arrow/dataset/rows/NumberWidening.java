package dev.quarrel.core.arrow.dataset.rows;

import static dev.quarrel.core.column.LittleEndian.INT16;
import static dev.quarrel.core.column.LittleEndian.INT32;
import static dev.quarrel.core.column.LittleEndian.INT64;

import dev.quarrel.core.column.Allocator;
import dev.quarrel.core.column.Column;
import dev.quarrel.core.column.FixedColumn;
import dev.quarrel.core.pg.PgType;
import dev.quarrel.core.table.ColumnStats;
import dev.quarrel.core.type.DataType;
import dev.quarrel.core.type.Field;
import java.lang.foreign.MemorySegment;

/// Numbers of a file whose table has a wider type for them, since another file does: integers among one another, real
/// beside double precision, and numerics of fewer digits. No value changes.
public final class NumberWidening {
    private NumberWidening() {}

    /// The type that holds the values of both, or null.
    public static DataType common(DataType one, DataType other) {
        return isTo(one, other) ? other : isTo(other, one) ? one : null;
    }

    /// Whether values of one type are values of the other.
    public static boolean isTo(DataType from, DataType to) {
        if (from.equals(to)) {
            return true;
        }
        return switch (to) {
            case DataType.Int32 _ -> from instanceof DataType.Int16;
            case DataType.Int64 _ -> from instanceof DataType.Int16 || from instanceof DataType.Int32;
            case DataType.Float64 _ -> from instanceof DataType.Float32;
            case DataType.Decimal wide ->
                from instanceof DataType.Decimal narrow
                        && narrow.scale() == wide.scale()
                        && narrow.precision() <= wide.precision();
            default -> false;
        };
    }

    /// The type of arrays that holds those of two fields; the first one's where there is none, or it is no array's.
    public static PgType ofArrays(Field one, Field other) {
        PgType first = PgType.Declared.of(one).type();
        PgType second = PgType.Declared.of(other).type();
        if (first == second || !first.isArray() || !second.isArray()) {
            return first;
        }
        DataType element = first.element().dataType();
        // The text of a real is another double than the real itself.
        boolean isWider = isTo(element, second.element().dataType()) && !(element instanceof DataType.Float32);
        return isWider ? second : first;
    }

    /// Bytes that a widened column takes; 0 where it lies as it did.
    public static long bytes(DataType from, DataType to, long rowCount) {
        return from.byteWidth() == to.byteWidth() ? 0 : rowCount * to.byteWidth();
    }

    public static Column widened(Column column, DataType to, Allocator memory) {
        DataType from = column.type();
        if (from.equals(to)) {
            return column;
        }
        FixedColumn narrow = (FixedColumn) column;
        int rowCount = narrow.rowCount();
        MemorySegment source = narrow.values();
        if (from.byteWidth() == to.byteWidth()) {
            return new FixedColumn(to, rowCount, source, narrow.validity());
        }
        MemorySegment target = memory.allocateUnset((long) rowCount * to.byteWidth());
        switch (from) {
            case DataType.Int16 _ -> {
                if (to instanceof DataType.Int32) {
                    for (int row = 0; row < rowCount; row++) {
                        target.set(INT32, row * 4L, source.get(INT16, row * 2L));
                    }
                } else {
                    for (int row = 0; row < rowCount; row++) {
                        target.set(INT64, row * 8L, source.get(INT16, row * 2L));
                    }
                }
            }
            case DataType.Int32 _ -> {
                for (int row = 0; row < rowCount; row++) {
                    target.set(INT64, row * 8L, source.get(INT32, row * 4L));
                }
            }
            case DataType.Float32 _ -> {
                for (int row = 0; row < rowCount; row++) {
                    double wide = Float.intBitsToFloat(source.get(INT32, row * 4L));
                    target.set(INT64, row * 8L, Double.doubleToRawLongBits(wide));
                }
            }
            default -> throw new IllegalArgumentException(from + " is not widened to " + to);
        }
        return new FixedColumn(to, rowCount, target, narrow.validity());
    }

    public static ColumnStats widened(ColumnStats stats, DataType to) {
        return to instanceof DataType.Float64
                ? new ColumnStats(stats.nullCount(), wide(stats.min()), wide(stats.max()), stats.distinctCount())
                : stats;
    }

    private static Object wide(Object bound) {
        return bound instanceof Float number ? (Object) number.doubleValue() : bound;
    }
}
