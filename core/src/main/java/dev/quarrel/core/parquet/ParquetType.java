package dev.quarrel.core.parquet;

import dev.quarrel.core.type.DataType;
import dev.quarrel.core.type.Field;
import java.math.BigInteger;

/// How a column's values lie in a Parquet file.
///
/// Numerics without precision and scale have no type there that holds them all: they are texts.
///
/// @param physical the number of the physical type
/// @param length of a value in bytes, 0 where values have lengths of their own, or less than one byte
/// @param logical what the values mean
/// @param order in which bounds are compared
record ParquetType(int physical, int length, Logical logical, Order order) {
    static final int BOOLEAN = 0;
    static final int INT32 = 1;
    static final int INT64 = 2;
    static final int FLOAT = 4;
    static final int DOUBLE = 5;
    static final int BYTE_ARRAY = 6;
    static final int FIXED_LEN_BYTE_ARRAY = 7;

    private static final int CONVERTED_UTF8 = 0;
    private static final int CONVERTED_DECIMAL = 5;
    private static final int CONVERTED_DATE = 6;
    private static final int CONVERTED_TIMESTAMP_MICROS = 10;
    private static final int CONVERTED_INT16 = 16;
    private static final int CONVERTED_JSON = 19;
    private static final int CONVERTED_INTERVAL = 21;

    private static final int UUID_BYTES = 16;
    private static final int INTERVAL_BYTES = 12;

    /// What values mean, by the rows of Parquet's "Logical Types".
    enum Logical {
        NONE,
        INT16,
        STRING,
        JSON,
        DECIMAL,
        DATE,
        TIME,
        TIMESTAMP,
        TIMESTAMP_UTC,
        UUID,
        INTERVAL
    }

    /// How values are compared.
    enum Order {
        /// Bounds say nothing.
        NONE,
        SIGNED,
        FLOAT,
        /// Byte by byte, unsigned.
        BYTES,
        /// Two's complement, the highest byte first.
        BIG_ENDIAN
    }

    static ParquetType of(Field field) {
        return switch (field.type()) {
            case DataType.Bool _ -> new ParquetType(BOOLEAN, 0, Logical.NONE, Order.SIGNED);
            case DataType.Int16 _ -> new ParquetType(INT32, 4, Logical.INT16, Order.SIGNED);
            case DataType.Int32 _ -> new ParquetType(INT32, 4, Logical.NONE, Order.SIGNED);
            case DataType.Int64 _ -> new ParquetType(INT64, 8, Logical.NONE, Order.SIGNED);
            case DataType.Float32 _ -> new ParquetType(FLOAT, 4, Logical.NONE, Order.FLOAT);
            case DataType.Float64 _ -> new ParquetType(DOUBLE, 8, Logical.NONE, Order.FLOAT);
            case DataType.Date _ -> new ParquetType(INT32, 4, Logical.DATE, Order.SIGNED);
            case DataType.Time _ -> new ParquetType(INT64, 8, Logical.TIME, Order.SIGNED);
            case DataType.Timestamp(boolean withZone) ->
                new ParquetType(INT64, 8, withZone ? Logical.TIMESTAMP_UTC : Logical.TIMESTAMP, Order.SIGNED);
            case DataType.Decimal(int precision, int _) -> decimal(precision);
            case DataType.Uuid _ -> new ParquetType(FIXED_LEN_BYTE_ARRAY, UUID_BYTES, Logical.UUID, Order.BYTES);
            case DataType.Interval _ ->
                new ParquetType(FIXED_LEN_BYTE_ARRAY, INTERVAL_BYTES, Logical.INTERVAL, Order.NONE);
            case DataType.Numeric _ -> new ParquetType(BYTE_ARRAY, 0, Logical.STRING, Order.BYTES);
            case DataType.Utf8 _ ->
                new ParquetType(BYTE_ARRAY, 0, isJson(field) ? Logical.JSON : Logical.STRING, Order.BYTES);
            case DataType.Binary _ -> new ParquetType(BYTE_ARRAY, 0, Logical.NONE, Order.BYTES);
        };
    }

    private static boolean isJson(Field field) {
        return "json".equals(field.pgType()) || "jsonb".equals(field.pgType());
    }

    private static ParquetType decimal(int precision) {
        if (precision <= 9) {
            return new ParquetType(INT32, 4, Logical.DECIMAL, Order.SIGNED);
        }
        if (precision <= 18) {
            return new ParquetType(INT64, 8, Logical.DECIMAL, Order.SIGNED);
        }
        int bits = BigInteger.TEN.pow(precision).bitLength() + 1;
        return new ParquetType(FIXED_LEN_BYTE_ARRAY, (bits + 7) / 8, Logical.DECIMAL, Order.BIG_ENDIAN);
    }

    /// Writes the column's element of the schema. Readers of before 2018 know the converted type alone, which has no
    /// timestamps and times without a zone.
    void writeElement(Field field, CompactWriter to) {
        to.struct();
        to.int32(1, physical);
        if (physical == FIXED_LEN_BYTE_ARRAY) {
            to.int32(2, length);
        }
        to.int32(3, field.nullable() ? 1 : 0);
        to.text(4, field.name());
        int converted =
                switch (logical) {
                    case STRING -> CONVERTED_UTF8;
                    case JSON -> CONVERTED_JSON;
                    case DECIMAL -> CONVERTED_DECIMAL;
                    case DATE -> CONVERTED_DATE;
                    case TIMESTAMP_UTC -> CONVERTED_TIMESTAMP_MICROS;
                    case INT16 -> CONVERTED_INT16;
                    case INTERVAL -> CONVERTED_INTERVAL;
                    case NONE, TIME, TIMESTAMP, UUID -> -1;
                };
        if (converted >= 0) {
            to.int32(6, converted);
        }
        if (field.type() instanceof DataType.Decimal(int precision, int scale)) {
            to.int32(7, scale);
            to.int32(8, precision);
        }
        writeLogical(field, to);
        to.end();
    }

    private void writeLogical(Field field, CompactWriter to) {
        if (logical == Logical.NONE || logical == Logical.INTERVAL) {
            return; // INTERVAL has a converted type alone
        }
        to.struct(10);
        switch (logical) {
            case STRING -> to.empty(1);
            case DECIMAL -> {
                DataType.Decimal type = (DataType.Decimal) field.type();
                to.struct(5);
                to.int32(1, type.scale());
                to.int32(2, type.precision());
                to.end();
            }
            case DATE -> to.empty(6);
            case TIME -> writeMicros(7, false, to);
            case TIMESTAMP -> writeMicros(8, false, to);
            case TIMESTAMP_UTC -> writeMicros(8, true, to);
            case INT16 -> {
                to.struct(10);
                to.int8(1, 16);
                to.bool(2, true);
                to.end();
            }
            case JSON -> to.empty(12);
            case UUID -> to.empty(14);
            case NONE, INTERVAL -> throw new IllegalStateException(logical + " has no logical type");
        }
        to.end();
    }

    private static void writeMicros(int id, boolean isUtc, CompactWriter to) {
        to.struct(id);
        to.bool(1, isUtc);
        to.struct(2);
        to.empty(2);
        to.end();
        to.end();
    }
}
