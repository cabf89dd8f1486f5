package dev.quarrel.core.ir;

import dev.quarrel.core.type.DataType;

/// A set of register types that an argument or result of an opcode may have.
public enum TypeClass {
    MASK,
    BOOL,
    INT16,
    INT32,
    INT64,
    FLOAT32,
    FLOAT64,
    /// Any `Decimal(p, s)`.
    DECIMAL,
    NUMERIC,
    DATE,
    /// With or without time zone.
    TIMESTAMP,
    UUID,
    TIME,
    INTERVAL,
    UTF8,
    BINARY,
    /// Any value type; the rule of the opcode says which of its registers must agree.
    ANY;

    public boolean admits(RegisterType register) {
        return switch (register) {
            case RegisterType.Mask _ -> this == MASK;
            case RegisterType.Value(DataType type) -> this == ANY || this == of(type);
        };
    }

    public static TypeClass of(DataType type) {
        return switch (type) {
            case DataType.Bool _ -> BOOL;
            case DataType.Int16 _ -> INT16;
            case DataType.Int32 _ -> INT32;
            case DataType.Int64 _ -> INT64;
            case DataType.Float32 _ -> FLOAT32;
            case DataType.Float64 _ -> FLOAT64;
            case DataType.Decimal _ -> DECIMAL;
            case DataType.Numeric _ -> NUMERIC;
            case DataType.Date _ -> DATE;
            case DataType.Timestamp _ -> TIMESTAMP;
            case DataType.Uuid _ -> UUID;
            case DataType.Time _ -> TIME;
            case DataType.Interval _ -> INTERVAL;
            case DataType.Utf8 _ -> UTF8;
            case DataType.Binary _ -> BINARY;
        };
    }
}
