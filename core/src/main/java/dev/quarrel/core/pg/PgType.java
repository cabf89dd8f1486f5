package dev.quarrel.core.pg;

import dev.quarrel.core.type.DataType;

/// PostgreSQL's types that Quarrel knows: one row a type. The single table; export, server and SQL all use it.
///
/// Source: PostgreSQL's `pg_type.dat`.
public enum PgType {
    BOOL(16, "bool", "boolean", 1, DataType.BOOL),
    CHAR(18, "char", "\"char\"", 1, DataType.UTF8),
    NAME(19, "name", "name", 64, DataType.UTF8),
    INT8(20, "int8", "bigint", 8, DataType.INT64),
    INT2(21, "int2", "smallint", 2, DataType.INT16),
    INT4(23, "int4", "integer", 4, DataType.INT32),
    REGPROC(24, "regproc", "regproc", 4, DataType.INT64),
    TEXT(25, "text", "text", -1, DataType.UTF8),
    OID(26, "oid", "oid", 4, DataType.INT64),
    FLOAT4(700, "float4", "real", 4, DataType.FLOAT32),
    FLOAT8(701, "float8", "double precision", 8, DataType.FLOAT64),
    UNKNOWN(705, "unknown", "unknown", -2, DataType.UTF8),
    BPCHAR(1042, "bpchar", "character", -1, DataType.UTF8),
    VARCHAR(1043, "varchar", "character varying", -1, DataType.UTF8),
    DATE(1082, "date", "date", 4, DataType.DATE),
    TIMESTAMP(1114, "timestamp", "timestamp without time zone", 8, DataType.TIMESTAMP),
    TIMESTAMPTZ(1184, "timestamptz", "timestamp with time zone", 8, DataType.TIMESTAMPTZ),
    NUMERIC(1700, "numeric", "numeric", -1, DataType.NUMERIC),
    REGCLASS(2205, "regclass", "regclass", 4, DataType.INT64),
    REGTYPE(2206, "regtype", "regtype", 4, DataType.INT64);

    private final int oid;
    private final String typeName;
    private final String formatName;
    private final int size;
    private final DataType dataType;

    PgType(int oid, String typeName, String formatName, int size, DataType dataType) {
        this.oid = oid;
        this.typeName = typeName;
        this.formatName = formatName;
        this.size = size;
        this.dataType = dataType;
    }

    public int oid() {
        return oid;
    }

    /// `pg_type.typname`.
    public String typeName() {
        return typeName;
    }

    /// `format_type(oid, NULL)`.
    public String formatName() {
        return formatName;
    }

    /// `pg_type.typlen`: bytes, or -1 for variable, -2 for a C string.
    public int size() {
        return size;
    }

    /// How columns of it are held; for NUMERIC without a declared precision.
    public DataType dataType() {
        return dataType;
    }
}
