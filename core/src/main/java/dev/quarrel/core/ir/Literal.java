package dev.quarrel.core.ir;

import dev.quarrel.core.type.Bytes;
import dev.quarrel.core.type.DataType;
import dev.quarrel.core.type.Interval;
import dev.quarrel.core.type.SpecialNumeric;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.Objects;
import java.util.UUID;

/// A constant with its type: one value of a slot, or a bound of statistics.
///
/// | type | Java class of `value` |
/// |---|---|
/// | `Bool` | `Boolean` |
/// | `Int16`, `Int32`, `Int64`, `Date`, `Timestamp` | `Long`, within the type's range |
/// | `Time` | `Long`, 0 to 86,400,000,000 |
/// | `Interval` | `Interval` |
/// | `Float32` | `Float` |
/// | `Float64` | `Double` |
/// | `Decimal(p, s)` | `BigDecimal` of scale s and at most p digits |
/// | `Numeric` | `BigDecimal` of scale 0 or more, whose unscaled value has at most 38 digits, or `SpecialNumeric` |
/// | `Uuid` | `UUID` |
/// | `Utf8` | `String` |
/// | `Binary` | `Bytes` |
///
/// NULL is a null `value`.
public record Literal(DataType type, Object value) {
    private static final BigInteger NUMERIC_LIMIT = BigInteger.TEN.pow(DataType.Decimal.MAX_PRECISION);

    public Literal {
        Objects.requireNonNull(type, "type");
        if (value != null && !fits(type, value)) {
            throw new IllegalArgumentException(
                    value + " (" + value.getClass().getSimpleName() + ") is no canonical value of " + type);
        }
    }

    public static Literal ofNull(DataType type) {
        return new Literal(type, null);
    }

    public boolean isNull() {
        return value == null;
    }

    private static boolean fits(DataType type, Object value) {
        return switch (type) {
            case DataType.Bool _ -> value instanceof Boolean;
            case DataType.Int16 _ -> value instanceof Long number && number == number.shortValue();
            case DataType.Int32 _, DataType.Date _ -> value instanceof Long number && number == number.intValue();
            case DataType.Int64 _, DataType.Timestamp _ -> value instanceof Long;
            case DataType.Time _ ->
                value instanceof Long micros && micros >= 0 && micros <= DataType.Time.MICROS_PER_DAY;
            case DataType.Interval _ -> value instanceof Interval;
            case DataType.Float32 _ -> value instanceof Float;
            case DataType.Float64 _ -> value instanceof Double;
            case DataType.Decimal(int precision, int scale) ->
                value instanceof BigDecimal number
                        && number.scale() == scale
                        && number.unscaledValue().abs().compareTo(BigInteger.TEN.pow(precision)) < 0;
            case DataType.Numeric _ ->
                value instanceof SpecialNumeric
                        || value instanceof BigDecimal number
                                && number.scale() >= 0
                                && number.unscaledValue().abs().compareTo(NUMERIC_LIMIT) < 0;
            case DataType.Uuid _ -> value instanceof UUID;
            case DataType.Utf8 _ -> value instanceof String;
            case DataType.Binary _ -> value instanceof Bytes;
        };
    }
}
