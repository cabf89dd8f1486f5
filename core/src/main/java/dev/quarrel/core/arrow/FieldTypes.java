package dev.quarrel.core.arrow;

import dev.quarrel.core.type.DataType;
import org.apache.arrow.flatbuf.Bool;
import org.apache.arrow.flatbuf.Date;
import org.apache.arrow.flatbuf.DateUnit;
import org.apache.arrow.flatbuf.Decimal;
import org.apache.arrow.flatbuf.Duration;
import org.apache.arrow.flatbuf.FixedSizeBinary;
import org.apache.arrow.flatbuf.FloatingPoint;
import org.apache.arrow.flatbuf.Int;
import org.apache.arrow.flatbuf.IntervalUnit;
import org.apache.arrow.flatbuf.Precision;
import org.apache.arrow.flatbuf.Time;
import org.apache.arrow.flatbuf.TimeUnit;
import org.apache.arrow.flatbuf.Timestamp;
import org.apache.arrow.flatbuf.Type;

/// What fields of Arrow's types without members are for us.
///
/// - Source: Arrow's Schema.fbs.
final class FieldTypes {
    private FieldTypes() {}

    /// @param isUuid whether 16 bytes are one
    static Storage storage(org.apache.arrow.flatbuf.Field field, boolean isUuid) {
        Storage unreadable = new Storage.Unreadable(name(field));
        return switch (field.typeType()) {
            case Type.Null -> new Storage.AllNull();
            case Type.Bool -> field.type(new Bool()) == null ? unreadable : new Storage.Bits();
            case Type.Int -> {
                Int type = (Int) field.type(new Int());
                yield type == null ? unreadable : integer(type, unreadable);
            }
            case Type.FloatingPoint -> {
                FloatingPoint type = (FloatingPoint) field.type(new FloatingPoint());
                yield type == null
                        ? unreadable
                        : switch (type.precision()) {
                            case Precision.HALF -> new Storage.Widened(Widening.FLOAT16, DataType.FLOAT32);
                            case Precision.SINGLE -> new Storage.Fixed(DataType.FLOAT32);
                            case Precision.DOUBLE -> new Storage.Fixed(DataType.FLOAT64);
                            default -> unreadable;
                        };
            }
            case Type.Decimal -> {
                Decimal type = (Decimal) field.type(new Decimal());
                yield type == null ? unreadable : decimal(type, unreadable);
            }
            case Type.Date -> {
                Date type = (Date) field.type(new Date());
                yield type == null
                        ? unreadable
                        : type.unit() == DateUnit.DAY
                                ? new Storage.Fixed(DataType.DATE)
                                : new Storage.Widened(Widening.DATE_MILLIS, DataType.DATE);
            }
            case Type.Timestamp -> {
                Timestamp type = (Timestamp) field.type(new Timestamp());
                yield type == null ? unreadable : timestamp(type, unreadable);
            }
            case Type.Time -> {
                Time type = (Time) field.type(new Time());
                yield type == null ? unreadable : time(type, unreadable);
            }
            case Type.Interval -> {
                org.apache.arrow.flatbuf.Interval type =
                        (org.apache.arrow.flatbuf.Interval) field.type(new org.apache.arrow.flatbuf.Interval());
                yield type == null ? unreadable : interval(type.unit(), unreadable);
            }
            case Type.Duration -> {
                Duration type = (Duration) field.type(new Duration());
                yield type == null ? unreadable : duration(type.unit(), unreadable);
            }
            case Type.Utf8 -> new Storage.Text(DataType.UTF8, false);
            case Type.LargeUtf8 -> new Storage.Text(DataType.UTF8, true);
            case Type.Utf8View -> new Storage.TextViews(DataType.UTF8);
            case Type.Binary -> new Storage.Text(DataType.BINARY, false);
            case Type.LargeBinary -> new Storage.Text(DataType.BINARY, true);
            case Type.BinaryView -> new Storage.TextViews(DataType.BINARY);
            case Type.FixedSizeBinary -> {
                FixedSizeBinary type = (FixedSizeBinary) field.type(new FixedSizeBinary());
                if (type == null || type.byteWidth() < 0) {
                    yield unreadable;
                }
                yield isUuid && type.byteWidth() == DataType.UUID.byteWidth()
                        ? new Storage.Fixed(DataType.UUID)
                        : new Storage.FixedBytes(type.byteWidth());
            }
            default -> unreadable;
        };
    }

    private static Storage integer(Int type, Storage unreadable) {
        return switch (type.bitWidth()) {
            case 8 -> new Storage.Widened(type.isSigned() ? Widening.INT8 : Widening.UINT8, DataType.INT16);
            case 16 ->
                type.isSigned()
                        ? new Storage.Fixed(DataType.INT16)
                        : new Storage.Widened(Widening.UINT16, DataType.INT32);
            case 32 ->
                type.isSigned()
                        ? new Storage.Fixed(DataType.INT32)
                        : new Storage.Widened(Widening.UINT32, DataType.INT64);
            case 64 ->
                type.isSigned()
                        ? new Storage.Fixed(DataType.INT64)
                        : new Storage.Widened(Widening.UINT64, new DataType.Decimal(20, 0));
            default -> unreadable;
        };
    }

    private static Storage decimal(Decimal type, Storage unreadable) {
        int scale = type.scale();
        // Of more digits are only the type's name, perhaps.
        int precision =
                type.bitWidth() == 256 ? Math.min(type.precision(), DataType.Decimal.MAX_PRECISION) : type.precision();
        if (precision < 1 || precision > DataType.Decimal.MAX_PRECISION || scale < 0 || scale > precision) {
            return unreadable;
        }
        DataType decimal = new DataType.Decimal(precision, scale);
        return switch (type.bitWidth()) {
            case 32 -> new Storage.Widened(Widening.DECIMAL32, decimal);
            case 64 -> new Storage.Widened(Widening.DECIMAL64, decimal);
            case 128 -> new Storage.Fixed(decimal);
            case 256 -> new Storage.Widened(Widening.DECIMAL256, decimal);
            default -> unreadable;
        };
    }

    private static Storage time(Time type, Storage unreadable) {
        boolean isWide = type.bitWidth() == 64;
        return switch (type.unit()) {
            case TimeUnit.SECOND -> isWide ? unreadable : new Storage.Widened(Widening.TIME_SECONDS, DataType.TIME);
            case TimeUnit.MILLISECOND -> isWide ? unreadable : new Storage.Widened(Widening.TIME_MILLIS, DataType.TIME);
            case TimeUnit.MICROSECOND -> isWide ? new Storage.Fixed(DataType.TIME) : unreadable;
            case TimeUnit.NANOSECOND -> isWide ? new Storage.Widened(Widening.TIME_NANOS, DataType.TIME) : unreadable;
            default -> unreadable;
        };
    }

    private static Storage interval(short unit, Storage unreadable) {
        return switch (unit) {
            case IntervalUnit.YEAR_MONTH -> new Storage.Widened(Widening.MONTHS, DataType.INTERVAL);
            case IntervalUnit.DAY_TIME -> new Storage.Widened(Widening.DAY_MILLIS, DataType.INTERVAL);
            case IntervalUnit.MONTH_DAY_NANO -> new Storage.Widened(Widening.MONTH_DAY_NANO, DataType.INTERVAL);
            default -> unreadable;
        };
    }

    private static Storage duration(short unit, Storage unreadable) {
        return switch (unit) {
            case TimeUnit.SECOND -> new Storage.Widened(Widening.DURATION_SECONDS, DataType.INTERVAL);
            case TimeUnit.MILLISECOND -> new Storage.Widened(Widening.DURATION_MILLIS, DataType.INTERVAL);
            case TimeUnit.MICROSECOND -> new Storage.Widened(Widening.DURATION_MICROS, DataType.INTERVAL);
            case TimeUnit.NANOSECOND -> new Storage.Widened(Widening.DURATION_NANOS, DataType.INTERVAL);
            default -> unreadable;
        };
    }

    private static Storage timestamp(Timestamp type, Storage unreadable) {
        String zone = type.timezone();
        DataType timestamp = zone == null || zone.isEmpty() ? DataType.TIMESTAMP : DataType.TIMESTAMPTZ;
        return switch (type.unit()) {
            case TimeUnit.SECOND -> new Storage.Widened(Widening.SECONDS, timestamp);
            case TimeUnit.MILLISECOND -> new Storage.Widened(Widening.MILLIS, timestamp);
            case TimeUnit.MICROSECOND -> new Storage.Fixed(timestamp);
            case TimeUnit.NANOSECOND -> new Storage.Widened(Widening.NANOS, timestamp);
            default -> unreadable;
        };
    }

    static String name(org.apache.arrow.flatbuf.Field field) {
        int type = field.typeType();
        return type >= 0 && type < Type.names.length ? Type.names[type] : "number " + type;
    }
}
