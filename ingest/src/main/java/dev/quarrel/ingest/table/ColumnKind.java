package dev.quarrel.ingest.table;

import dev.quarrel.core.pg.PgType;
import dev.quarrel.core.type.DataType;
import dev.quarrel.core.type.Field;

/// The types that columns of events can have.
enum ColumnKind {
    BOOL(DataType.BOOL, 0),
    INT16(DataType.INT16, 2),
    INT32(DataType.INT32, 4),
    INT64(DataType.INT64, 8),
    FLOAT32(DataType.FLOAT32, 4),
    FLOAT64(DataType.FLOAT64, 8),
    DATE(DataType.DATE, 4),
    TIMESTAMP(DataType.TIMESTAMP, 8),
    TIMESTAMPTZ(DataType.TIMESTAMPTZ, 8),
    TEXT(DataType.UTF8, -1),
    JSON(DataType.UTF8, -1),
    JSONB(DataType.UTF8, -1),
    BYTEA(DataType.BINARY, -1),
    /// Columns that a table has from elsewhere, and events have no values of: NULL in each.
    OTHER(null, -1);

    private final DataType type;
    private final int width;

    ColumnKind(DataType type, int width) {
        this.type = type;
        this.width = width;
    }

    DataType type() {
        return type;
    }

    /// Bytes of a value; 0 for a bit, -1 for texts.
    int width() {
        return width;
    }

    static ColumnKind of(Field field) {
        if (field.other() != null) {
            return OTHER;
        }
        PgType.Declared declared = PgType.Declared.of(field);
        if (declared.typmod() != PgType.NO_TYPMOD) {
            return OTHER;
        }
        return switch (declared.type()) {
            case BOOL -> BOOL;
            case INT2 -> INT16;
            case INT4 -> INT32;
            case INT8 -> INT64;
            case FLOAT4 -> FLOAT32;
            case FLOAT8 -> FLOAT64;
            case DATE -> DATE;
            case TIMESTAMP -> TIMESTAMP;
            case TIMESTAMPTZ -> TIMESTAMPTZ;
            case TEXT, VARCHAR -> TEXT;
            case JSON -> JSON;
            case JSONB -> JSONB;
            case BYTEA -> BYTEA;
            default -> OTHER;
        };
    }
}
