package dev.quarrel.cli.imports;

import dev.hardwood.metadata.LogicalType;
import dev.hardwood.metadata.PhysicalType;
import dev.hardwood.metadata.RepetitionType;
import dev.hardwood.reader.ColumnReader;
import dev.hardwood.reader.Validity;
import dev.hardwood.schema.ColumnSchema;
import dev.quarrel.core.column.ColumnWriter;
import dev.quarrel.core.type.CivilDate;
import dev.quarrel.core.type.DataType;
import dev.quarrel.core.type.Field;
import dev.quarrel.core.type.Interval;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;
import dev.quarrel.core.type.Utf8Text;
import java.lang.foreign.MemorySegment;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.UUID;

/// A column of values in a Parquet file, at the top or within lists and structs: its type here, and how its values are
/// copied.
///
/// Unsigned integers take the next wider type, nanoseconds are rounded down to microseconds, bytes without an
/// annotation are bytea.
record ParquetColumn(Field field, Copy copy) {
    private static final long JULIAN_EPOCH = 2_440_588; // 1970-01-01
    private static final int INTERVAL_BYTES = 12;
    private static final int INT96_BYTES = 12;
    private static final int UUID_BYTES = 16;
    private static final int DECIMAL_BYTES = 16;
    private static final BigInteger DECIMAL_END = BigInteger.TEN.pow(DataType.Decimal.MAX_PRECISION);

    /// Some of a batch's values.
    ///
    /// @param present a bit a value, the lowest of which is that of value `first`; null where all are there
    record Values(ColumnReader from, long[] present, int first, int count) {
        private boolean isPresent(int row) {
            return ParquetColumn.isPresent(present, row - first);
        }

        private void each(ColumnWriter to, Each each) {
            for (int row = first; row < first + count; row++) {
                if (isPresent(row)) {
                    each.append(row);
                } else {
                    to.appendNull();
                }
            }
        }
    }

    /// Appends values.
    interface Copy {
        void run(Values values, ColumnWriter to);
    }

    /// One value that is there.
    private interface Each {
        void append(int row);
    }

    /// - Errors: `QueryException` 0A000 where it has no type here.
    static ParquetColumn of(ColumnSchema column, Path file) {
        String name = String.join(".", column.fieldPath().elements());
        LogicalType logical = column.logicalType();
        if (logical instanceof LogicalType.NullType) { // no value is there, whatever type these would have
            return plain(column, DataType.UTF8, (rows, to) -> {
                for (int row = 0; row < rows.count(); row++) {
                    to.appendNull();
                }
            });
        }
        return switch (column.type()) {
            case BOOLEAN -> plain(column, DataType.BOOL, ParquetColumn::booleans);
            case INT32 -> int32(column, name, file);
            case INT64 -> int64(column, name, file);
            case INT96 -> plain(column, new DataType.Timestamp(false), ParquetColumn::int96);
            case FLOAT ->
                plain(column, DataType.FLOAT32, (rows, to) -> {
                    float[] values = rows.from().getFloats();
                    rows.each(to, row -> to.appendFloat32(values[row]));
                });
            case DOUBLE ->
                plain(column, DataType.FLOAT64, (rows, to) -> {
                    double[] values = rows.from().getDoubles();
                    rows.each(to, row -> to.appendFloat64(values[row]));
                });
            case BYTE_ARRAY ->
                switch (logical) {
                    case LogicalType.StringType _, LogicalType.EnumType _ ->
                        plain(column, DataType.UTF8, ParquetColumn::texts);
                    case LogicalType.JsonType _ -> named(column, DataType.UTF8, "json", ParquetColumn::texts);
                    case LogicalType.DecimalType type -> decimal(column, type, name, file);
                    case null, default -> plain(column, DataType.BINARY, ParquetColumn::bytes);
                };
            case FIXED_LEN_BYTE_ARRAY -> fixedBytes(column, name, file);
        };
    }

    static QueryException refused(String name, Path file, String why) {
        return new QueryException(
                        SqlState.FEATURE_NOT_SUPPORTED, "column \"" + name + "\" of file \"" + file + "\": " + why)
                .withHint("write the file without the column");
    }

    private static ParquetColumn plain(ColumnSchema column, DataType type, Copy copy) {
        return new ParquetColumn(new Field(column.name(), type, isNullable(column)), copy);
    }

    private static ParquetColumn named(ColumnSchema column, DataType type, String pgType, Copy copy) {
        return new ParquetColumn(new Field(column.name(), type, isNullable(column), pgType), copy);
    }

    private static boolean isNullable(ColumnSchema column) {
        return column.repetitionType() != RepetitionType.REQUIRED;
    }

    private static ParquetColumn int32(ColumnSchema column, String name, Path file) {
        return switch (column.logicalType()) {
            case null -> plain(column, DataType.INT32, ParquetColumn::ints);
            case LogicalType.IntType type
            when type.isSigned() && type.bitWidth() < 32 -> plain(column, DataType.INT16, ParquetColumn::shorts);
            case LogicalType.IntType type when type.isSigned() -> plain(column, DataType.INT32, ParquetColumn::ints);
            case LogicalType.IntType type
            when type.bitWidth() == 8 -> plain(column, DataType.INT16, ParquetColumn::shorts);
            case LogicalType.IntType type
            when type.bitWidth() == 16 -> plain(column, DataType.INT32, ParquetColumn::ints);
            case LogicalType.IntType _ ->
                plain(
                        column,
                        DataType.INT64,
                        (rows, to) -> longs(rows.from().getInts(), rows, to, Integer::toUnsignedLong));
            case LogicalType.DateType _ -> plain(column, DataType.DATE, ParquetColumn::ints);
            case LogicalType.TimeType _ ->
                plain(
                        column,
                        DataType.TIME,
                        (rows, to) -> longs(rows.from().getInts(), rows, to, millis -> millis * 1000L));
            case LogicalType.DecimalType type -> decimal(column, type, name, file);
            case LogicalType other -> throw refused(name, file, "there is no " + other + " of 32 bits");
        };
    }

    private static ParquetColumn int64(ColumnSchema column, String name, Path file) {
        return switch (column.logicalType()) {
            case null -> plain(column, DataType.INT64, ParquetColumn::longs);
            case LogicalType.IntType type when type.isSigned() -> plain(column, DataType.INT64, ParquetColumn::longs);
            case LogicalType.IntType _ ->
                plain(column, new DataType.Decimal(20, 0), (rows, to) -> {
                    long[] values = rows.from().getLongs();
                    rows.each(to, row -> to.appendDecimal(0, values[row]));
                });
            case LogicalType.TimestampType type ->
                plain(column, new DataType.Timestamp(type.isAdjustedToUTC()), scaled(type.unit()));
            case LogicalType.TimeType type -> plain(column, DataType.TIME, scaled(type.unit()));
            case LogicalType.DecimalType type -> decimal(column, type, name, file);
            case LogicalType other -> throw refused(name, file, "there is no " + other + " of 64 bits");
        };
    }

    private static ParquetColumn fixedBytes(ColumnSchema column, String name, Path file) {
        int width = column.typeLength();
        return switch (column.logicalType()) {
            case LogicalType.DecimalType type -> decimal(column, type, name, file);
            case LogicalType.UuidType _
            when width == UUID_BYTES ->
                plain(column, DataType.UUID, (rows, to) -> {
                    ByteBuffer values = ByteBuffer.wrap(rows.from().getBinaryValues());
                    int[] offsets = rows.from().getBinaryOffsets();
                    rows.each(
                            to,
                            row -> to.appendUuid(
                                    new UUID(values.getLong(offsets[row]), values.getLong(offsets[row] + Long.BYTES))));
                });
            case LogicalType.Float16Type _ ->
                plain(column, DataType.FLOAT32, (rows, to) -> {
                    ByteBuffer values =
                            ByteBuffer.wrap(rows.from().getBinaryValues()).order(ByteOrder.LITTLE_ENDIAN);
                    int[] offsets = rows.from().getBinaryOffsets();
                    rows.each(to, row -> to.appendFloat32(Float.float16ToFloat(values.getShort(offsets[row]))));
                });
            case LogicalType.IntervalType _
            when width == INTERVAL_BYTES ->
                plain(column, DataType.INTERVAL, (rows, to) -> {
                    ByteBuffer values =
                            ByteBuffer.wrap(rows.from().getBinaryValues()).order(ByteOrder.LITTLE_ENDIAN);
                    int[] offsets = rows.from().getBinaryOffsets();
                    rows.each(
                            to,
                            row -> to.appendInterval(new Interval(
                                    values.getInt(offsets[row]),
                                    values.getInt(offsets[row] + 4),
                                    Integer.toUnsignedLong(values.getInt(offsets[row] + 8)) * 1000)));
                });
            case null, default -> plain(column, DataType.BINARY, ParquetColumn::bytes);
        };
    }

    private static ParquetColumn decimal(ColumnSchema column, LogicalType.DecimalType type, String name, Path file) {
        if (type.scale() > DataType.Decimal.MAX_PRECISION) {
            throw refused(name, file, "decimals of " + type.scale() + " digits behind the point have no room");
        }
        int precision = Math.min(type.precision(), DataType.Decimal.MAX_PRECISION); // what has more is 22003
        Copy copy =
                switch (column.type()) {
                    case PhysicalType.INT32 ->
                        (rows, to) -> {
                            int[] values = rows.from().getInts();
                            rows.each(to, row -> to.appendDecimal(values[row] >> 31, values[row]));
                        };
                    case PhysicalType.INT64 ->
                        (rows, to) -> {
                            long[] values = rows.from().getLongs();
                            rows.each(to, row -> to.appendDecimal(values[row] >> 63, values[row]));
                        };
                    default ->
                        (rows, to) -> {
                            byte[] values = rows.from().getBinaryValues();
                            int[] offsets = rows.from().getBinaryOffsets();
                            boolean isWide = type.precision() > precision;
                            rows.each(to, row -> {
                                int length = offsets[row + 1] - offsets[row];
                                if (isWide || length > DECIMAL_BYTES) {
                                    appendWide(values, offsets[row], length, to);
                                } else {
                                    appendDecimal(values, offsets[row], length, to);
                                }
                            });
                        };
                };
        return plain(column, new DataType.Decimal(precision, type.scale()), copy);
    }

    /// The same as `appendDecimal` of a value that may have more digits than there is room for.
    private static void appendWide(byte[] values, int start, int length, ColumnWriter to) {
        BigInteger value = length == 0 ? BigInteger.ZERO : new BigInteger(values, start, length);
        if (value.abs().compareTo(DECIMAL_END) >= 0) {
            throw new QueryException(SqlState.NUMERIC_VALUE_OUT_OF_RANGE, "numeric field overflow");
        }
        to.appendDecimal(value.shiftRight(Long.SIZE).longValue(), value.longValue());
    }

    /// An unscaled value in two's complement, the highest byte first.
    private static void appendDecimal(byte[] values, int start, int length, ColumnWriter to) {
        long high = length > 0 && values[start] < 0 ? -1 : 0;
        long low = high;
        for (int at = start; at < start + length; at++) {
            high = high << 8 | low >>> 56;
            low = low << 8 | values[at] & 0xFF;
        }
        to.appendDecimal(high, low);
    }

    // ---- copies

    private static boolean isPresent(long[] present, int row) {
        return present == null || (present[row >> 6] >>> row & 1) != 0;
    }

    /// Appends values of a column that is in no list or struct.
    void copy(ColumnReader from, int first, int count, ColumnWriter to) {
        copy.run(new Values(from, present(from.getLeafValidity(), first, count), first, count), to);
    }

    /// @return a bit a row that has a value, or null
    private static long[] present(Validity validity, int first, int count) {
        if (!validity.hasNulls()) {
            return null;
        }
        long[] present = new long[(count + 63) / 64];
        for (int row = 0; row < count; row++) {
            if (validity.isNotNull(first + row)) {
                present[row >> 6] |= 1L << row;
            }
        }
        return present;
    }

    private static void booleans(Values rows, ColumnWriter to) {
        boolean[] values = rows.from().getBooleans();
        rows.each(to, row -> to.appendBool(values[row]));
    }

    private static void ints(Values rows, ColumnWriter to) {
        int[] values = Arrays.copyOfRange(rows.from().getInts(), rows.first(), rows.first() + rows.count());
        for (int row = 0; rows.present() != null && row < values.length; row++) {
            values[row] = isPresent(rows.present(), row) ? values[row] : 0;
        }
        to.appendInt32s(values, rows.present(), values.length);
    }

    private static void shorts(Values rows, ColumnWriter to) {
        int[] values = rows.from().getInts();
        short[] narrow = new short[rows.count()];
        for (int row = 0; row < narrow.length; row++) {
            narrow[row] = isPresent(rows.present(), row) ? (short) values[rows.first() + row] : 0;
        }
        to.appendInt16s(narrow, rows.present(), narrow.length);
    }

    private interface IntToLong {
        long of(int value);
    }

    private static void longs(int[] values, Values rows, ColumnWriter to, IntToLong each) {
        long[] wide = new long[rows.count()];
        for (int row = 0; row < wide.length; row++) {
            wide[row] = isPresent(rows.present(), row) ? each.of(values[rows.first() + row]) : 0;
        }
        to.appendInt64s(wide, rows.present(), wide.length);
    }

    private static void longs(Values rows, ColumnWriter to) {
        long[] values = Arrays.copyOfRange(rows.from().getLongs(), rows.first(), rows.first() + rows.count());
        for (int row = 0; rows.present() != null && row < values.length; row++) {
            values[row] = isPresent(rows.present(), row) ? values[row] : 0;
        }
        to.appendInt64s(values, rows.present(), values.length);
    }

    /// Times and timestamps, as microseconds.
    private static Copy scaled(LogicalType.TimeUnit unit) {
        return switch (unit) {
            case MICROS -> ParquetColumn::longs;
            case MILLIS ->
                (rows, to) -> {
                    long[] values = rows.from().getLongs();
                    rows.each(to, row -> to.appendInt64(micros(values[row])));
                };
            case NANOS ->
                (rows, to) -> {
                    long[] values = rows.from().getLongs();
                    rows.each(to, row -> to.appendInt64(Math.floorDiv(values[row], 1000)));
                };
        };
    }

    private static long micros(long millis) {
        try {
            return Math.multiplyExact(millis, 1000);
        } catch (ArithmeticException _) {
            throw new QueryException(SqlState.DATETIME_FIELD_OVERFLOW, "timestamp out of range");
        }
    }

    /// Hive's and Impala's timestamps: nanoseconds of the day, then the Julian day.
    private static void int96(Values rows, ColumnWriter to) {
        ByteBuffer values = ByteBuffer.wrap(rows.from().getBinaryValues()).order(ByteOrder.LITTLE_ENDIAN);
        int[] offsets = rows.from().getBinaryOffsets();
        rows.each(to, row -> {
            int start = offsets == null ? row * INT96_BYTES : offsets[row];
            long day = values.getInt(start + Long.BYTES) - JULIAN_EPOCH;
            to.appendInt64(day * CivilDate.MICROS_PER_DAY + Math.floorDiv(values.getLong(start), 1000));
        });
    }

    /// - Errors: `QueryException` 22021 for what is no UTF-8, and NUL.
    private static void texts(Values rows, ColumnWriter to) {
        byte[] values = rows.from().getBinaryValues();
        int[] offsets = rows.from().getBinaryOffsets();
        for (int row = rows.first(); row < rows.first() + rows.count(); row++) {
            Utf8Text.require(values, offsets[row], offsets[row + 1] - offsets[row]);
        }
        bytes(rows, to);
    }

    private static void bytes(Values rows, ColumnWriter to) {
        MemorySegment values = MemorySegment.ofArray(rows.from().getBinaryValues());
        int[] offsets = rows.from().getBinaryOffsets();
        rows.each(to, row -> to.appendUtf8(values, offsets[row], offsets[row + 1] - offsets[row]));
    }
}
