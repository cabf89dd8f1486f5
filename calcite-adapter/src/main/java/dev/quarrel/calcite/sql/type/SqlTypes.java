package dev.quarrel.calcite.sql.type;

import dev.quarrel.core.pg.PgType;
import dev.quarrel.core.type.DataType;
import dev.quarrel.core.type.Field;
import dev.quarrel.core.type.OtherType;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;
import org.apache.calcite.rel.type.RelDataType;
import org.apache.calcite.rel.type.RelDataTypeFactory;
import org.apache.calcite.sql.type.SqlTypeName;

/// Maps types between Calcite, Quarrel's core and PostgreSQL; the only place that does.
///
/// | PostgreSQL | RelDataType | core |
/// |---|---|---|
/// | boolean, int2, int4, int8, float4, float8 | BOOLEAN, SMALLINT, INTEGER, BIGINT, REAL, DOUBLE | the same |
/// | numeric(p, s), and results whose scale is known | DECIMAL(p, s) | `Decimal(p, s)` |
/// | numeric, scale per value | [PostgresRelType] NUMERIC | `Numeric` |
/// | numeric of any number of digits | [PostgresRelType] WIDE_NUMERIC over VARCHAR | `Utf8`: its text |
/// | text | VARCHAR without precision | `Utf8` |
/// | varchar(n), char(n) | VARCHAR(n), CHAR(n) | `Utf8` |
/// | varchar, bpchar, name, "char", unknown | [PostgresRelType] | `Utf8` |
/// | date, timestamp, timestamptz | DATE, TIMESTAMP(6), TIMESTAMP_WITH_LOCAL_TIME_ZONE(6) | the same |
/// | uuid, bytea | [PostgresRelType] | `Uuid`, `Binary` |
/// | arrays | [PostgresRelType] over VARCHAR | `Utf8`: the text that PostgreSQL shows |
/// | json, inet, enums, … ([OtherType]) | [PostgresRelType] over VARCHAR | `Utf8`: the text that PostgreSQL shows |
/// | oid, regclass, regtype, regproc | [PostgresRelType] over BIGINT | `Int64` |
public final class SqlTypes {
    private static final int NO_TYPMOD = -1;
    private static final int TYPMOD_HEADER = 4;

    private SqlTypes() {}

    /// How values of a type are held.
    ///
    /// - Errors: 0A000 for a type that Quarrel does not hold, such as an array.
    public static DataType dataType(RelDataType type) {
        if (type instanceof PostgresRelType special) {
            return special.pgType().dataType();
        }
        return switch (type.getSqlTypeName()) {
            case BOOLEAN -> DataType.BOOL;
            case TINYINT, SMALLINT -> DataType.INT16;
            case INTEGER -> DataType.INT32;
            case BIGINT -> DataType.INT64;
            case REAL -> DataType.FLOAT32;
            case FLOAT, DOUBLE -> DataType.FLOAT64;
            case DECIMAL -> decimal(type.getPrecision(), type.getScale());
            case DATE -> DataType.DATE;
            case TIME -> DataType.TIME;
            case TIMESTAMP -> DataType.TIMESTAMP;
            case TIMESTAMP_WITH_LOCAL_TIME_ZONE, TIMESTAMP_TZ -> DataType.TIMESTAMPTZ;
            case CHAR, VARCHAR, NULL, SYMBOL -> DataType.UTF8;
            case UUID -> DataType.UUID;
            case BINARY, VARBINARY -> DataType.BINARY;
            default ->
                throw new QueryException(
                        SqlState.FEATURE_NOT_SUPPORTED, "type " + type.getSqlTypeName() + " is not supported");
        };
    }

    private static DataType decimal(int precision, int scale) {
        int digits = Math.min(precision, DataType.Decimal.MAX_PRECISION);
        return scale < 0 || scale > digits ? DataType.NUMERIC : new DataType.Decimal(digits, scale);
    }

    /// PostgreSQL's type.
    public static PgType pgType(RelDataType type) {
        if (type instanceof PostgresRelType special) {
            return special.pgType();
        }
        return switch (type.getSqlTypeName()) {
            case VARCHAR -> type.getPrecision() == RelDataType.PRECISION_NOT_SPECIFIED ? PgType.TEXT : PgType.VARCHAR;
            case CHAR -> PgType.BPCHAR;
            default -> PgType.of(dataType(type));
        };
    }

    /// `atttypmod` of a column declared with the type: n + 4 for varchar(n) and char(n), precision and scale
    /// for numeric(p, s), else -1.
    public static int typmod(RelDataType type) {
        if (type instanceof PostgresRelType) {
            return NO_TYPMOD;
        }
        return switch (type.getSqlTypeName()) {
            case VARCHAR ->
                type.getPrecision() == RelDataType.PRECISION_NOT_SPECIFIED
                        ? NO_TYPMOD
                        : type.getPrecision() + TYPMOD_HEADER;
            case CHAR -> type.getPrecision() + TYPMOD_HEADER;
            case DECIMAL -> decimalTypmod(type.getPrecision(), type.getScale());
            default -> NO_TYPMOD;
        };
    }

    public static int decimalTypmod(int precision, int scale) {
        return (precision << 16 | scale) + TYPMOD_HEADER;
    }

    /// Whether numerics so declared are no `Decimal` of their precision and scale.
    public static boolean isWideTypmod(int typmod) {
        PgType.Declared declared = new PgType.Declared(PgType.NUMERIC, typmod);
        return typmod >= 0
                && (declared.numericPrecision() > DataType.Decimal.MAX_PRECISION
                        || declared.numericScale() < 0
                        || declared.numericScale() > declared.numericPrecision());
    }

    public static int lengthTypmod(int length) {
        return length + TYPMOD_HEADER;
    }

    /// The type of a table's column: by `pgType` if it is given, else by how it is held.
    ///
    /// A `pgType` that Quarrel does not know, or that does not fit how the column is held, is passed over.
    public static RelDataType relType(RelDataTypeFactory factory, Field field) {
        if (field.other() != null && field.other().oid() == PgType.NUMERIC.oid()) {
            RelDataType wide = special(factory, PgType.WIDE_NUMERIC);
            return factory.createTypeWithNullability(wide, field.nullable());
        }
        if (field.other() != null) {
            // Files name types that had no values of their own when they were written.
            RelDataType held = PgType.ofOid(field.other().oid())
                    .filter(type -> type.isDocument() || type.form() != null)
                    .map(type -> relType(factory, type, NO_TYPMOD))
                    .orElseGet(() -> relType(factory, field.other()));
            return factory.createTypeWithNullability(held, field.nullable());
        }
        RelDataType declared = field.pgType() == null ? null : declared(factory, field.pgType(), field.type());
        RelDataType type = declared == null ? relType(factory, field.type()) : declared;
        return factory.createTypeWithNullability(type, field.nullable());
    }

    /// The NOT NULL type of values so held.
    public static RelDataType relType(RelDataTypeFactory factory, DataType type) {
        return switch (type) {
            case DataType.Decimal(int precision, int scale) ->
                factory.createSqlType(SqlTypeName.DECIMAL, precision, scale);
            default -> relType(factory, PgType.of(type), NO_TYPMOD);
        };
    }

    /// The NOT NULL type for a PostgreSQL type and its modifier (-1: none).
    public static RelDataType relType(RelDataTypeFactory factory, PgType type, int typmod) {
        return switch (type) {
            case BOOL -> factory.createSqlType(SqlTypeName.BOOLEAN);
            case INT2 -> factory.createSqlType(SqlTypeName.SMALLINT);
            case INT4 -> factory.createSqlType(SqlTypeName.INTEGER);
            case INT8 -> factory.createSqlType(SqlTypeName.BIGINT);
            case FLOAT4 -> factory.createSqlType(SqlTypeName.REAL);
            case FLOAT8 -> factory.createSqlType(SqlTypeName.DOUBLE);
            case TEXT -> factory.createSqlType(SqlTypeName.VARCHAR);
            case DATE -> factory.createSqlType(SqlTypeName.DATE);
            case TIME -> factory.createSqlType(SqlTypeName.TIME, 6);
            case TIMESTAMP -> factory.createSqlType(SqlTypeName.TIMESTAMP, 6);
            case TIMESTAMPTZ -> factory.createSqlType(SqlTypeName.TIMESTAMP_WITH_LOCAL_TIME_ZONE, 6);
            case NUMERIC -> {
                int packed = typmod - TYPMOD_HEADER;
                int precision = packed >> 16;
                int scale = packed & 0xFFFF;
                yield typmod < TYPMOD_HEADER || precision > DataType.Decimal.MAX_PRECISION || scale > precision
                        ? numeric(factory)
                        : factory.createSqlType(SqlTypeName.DECIMAL, precision, scale);
            }
            case VARCHAR ->
                typmod < TYPMOD_HEADER
                        ? special(factory, type)
                        : factory.createSqlType(SqlTypeName.VARCHAR, typmod - TYPMOD_HEADER);
            case BPCHAR ->
                typmod < TYPMOD_HEADER
                        ? special(factory, type)
                        : factory.createSqlType(SqlTypeName.CHAR, typmod - TYPMOD_HEADER);
            default -> special(factory, type);
        };
    }

    /// `numeric` whose values bring their scale, NOT NULL.
    public static RelDataType numeric(RelDataTypeFactory factory) {
        return special(factory, PgType.NUMERIC);
    }

    /// The NOT NULL type of values of which only texts are held.
    public static RelDataType relType(RelDataTypeFactory factory, OtherType other) {
        PostgresRelType special = new PostgresRelType(PgType.OTHER, other, false);
        return factory instanceof PostgresTypeFactory ours ? ours.special(special) : special;
    }

    /// Which type it is of those whose texts alone are held; null for every other type.
    public static OtherType other(RelDataType type) {
        return type instanceof PostgresRelType special ? special.other() : null;
    }

    /// Whether it is an array, whose text neither orders nor compares as it does.
    public static boolean isArray(RelDataType type) {
        return type instanceof PostgresRelType special && special.pgType().isArray();
    }

    /// Whether values order by keys that are made of their texts: arrays, and types with a form of their own.
    public static boolean isKeyed(RelDataType type) {
        return type instanceof PostgresRelType special
                && (special.pgType().isArray() && special.pgType() != PgType.JSON_ARRAY
                        || special.pgType().form() != null);
    }

    /// Whether it is a row, or an array of rows, that compares by keys: its fields' types are known, and compare.
    public static boolean isKeyedRow(RelDataType type) {
        return type instanceof PostgresRelType special && special.shape() != null;
    }

    /// Whether it is a type of keyed values that equal another only if their texts are equal.
    public static boolean isEqualAsText(RelDataType type) {
        return isKeyed(type) && SqlType.of(((PostgresRelType) type).pgType()).isEqualAsText();
    }

    /// Whether it is `numeric` whose values bring their scale.
    public static boolean isNumeric(RelDataType type) {
        return type instanceof PostgresRelType special && special.pgType() == PgType.NUMERIC;
    }

    private static RelDataType special(RelDataTypeFactory factory, PgType type) {
        PostgresRelType special = new PostgresRelType(type, false);
        return factory instanceof PostgresTypeFactory ours ? ours.special(special) : special;
    }

    /// The type of `format_type()`'s text, or null.
    private static RelDataType declared(RelDataTypeFactory factory, String text, DataType held) {
        PgType.Declared declared;
        try {
            declared = PgType.parse(text);
        } catch (QueryException notHeldHere) {
            return null;
        }
        if (!isHeldAs(declared.type(), held)) {
            return null;
        }
        if (declared.type() == PgType.NUMERIC && held instanceof DataType.Utf8) {
            return special(factory, PgType.WIDE_NUMERIC);
        }
        return held instanceof DataType.Decimal(int precision, int scale)
                ? factory.createSqlType(SqlTypeName.DECIMAL, precision, scale)
                : relType(factory, declared.type(), declared.typmod());
    }

    private static boolean isHeldAs(PgType type, DataType held) {
        return type == PgType.NUMERIC
                ? held instanceof DataType.Decimal || held instanceof DataType.Numeric || held instanceof DataType.Utf8
                : type.dataType().equals(held);
    }
}
