package dev.quarrel.export.mysql;

import dev.quarrel.core.pg.PgType;
import dev.quarrel.core.pg.PgType.Declared;
import dev.quarrel.core.type.DataType;
import dev.quarrel.core.type.OtherType;
import java.util.Locale;

/// One column of a MySQL table: as which type it is exported, and how the server sends its values.
///
/// Dates and times are sent as numbers, made by the server: what its calendar takes for a date and ours does not
/// (`0000-00-00`, `2024-02-00`) comes as [#NO_DATE] or [#NO_MOMENT].
///
/// @param declared the type in PostgreSQL's terms
/// @param form how a value is read
/// @param selected what the statement selects
record MySqlColumn(String name, Declared declared, Form form, String selected, boolean nullable) {
    static final int NO_DATE = Integer.MIN_VALUE + 1;
    static final long NO_MOMENT = Long.MIN_VALUE + 1;

    /// MySQL's day 0 is that of the year 0; Arrow counts from 1970-01-01.
    private static final int EPOCH_DAYS = 719_528;

    private static final int JSON = 114;
    private static final int INET = 869;
    private static final int BIT = 1560;
    private static final int MAX_LONG_DIGITS = 18;
    private static final int UNSIGNED_LONG_DIGITS = 20;

    enum Form {
        INT16,
        INT32,
        INT64,
        /// An int64 that is the decimal without its point.
        SMALL_DECIMAL,
        DECIMAL,
        FLOAT32,
        FLOAT64,
        DATE,
        MOMENT,
        SPAN,
        UUID,
        TEXT,
        BYTES
    }

    /// @param type `information_schema.columns.data_type`
    /// @param wholeType `column_type`, which also says `unsigned` and how many bits
    /// @param precision of decimals
    /// @param scale of decimals
    /// @param length in characters of `char` and `varchar`
    static MySqlColumn of(
            String name, String type, String wholeType, int precision, int scale, long length, boolean nullable) {
        boolean isUnsigned = wholeType.toLowerCase(Locale.ROOT).contains("unsigned");
        String quoted = quoted(name);
        return switch (type.toLowerCase(Locale.ROOT)) {
            case "tinyint", "year" -> plain(name, PgType.INT2, Form.INT16, nullable);
            case "smallint" ->
                isUnsigned
                        ? plain(name, PgType.INT4, Form.INT32, nullable)
                        : plain(name, PgType.INT2, Form.INT16, nullable);
            case "mediumint" -> plain(name, PgType.INT4, Form.INT32, nullable);
            case "int", "integer" ->
                isUnsigned
                        ? plain(name, PgType.INT8, Form.INT64, nullable)
                        : plain(name, PgType.INT4, Form.INT32, nullable);
            case "bigint" ->
                isUnsigned
                        ? decimal(name, UNSIGNED_LONG_DIGITS, 0, nullable)
                        : plain(name, PgType.INT8, Form.INT64, nullable);
            case "decimal", "numeric" -> decimal(name, precision, scale, nullable);
            case "float" -> plain(name, PgType.FLOAT4, Form.FLOAT32, nullable);
            case "double", "real" -> plain(name, PgType.FLOAT8, Form.FLOAT64, nullable);
            case "bit" ->
                other(
                        name,
                        BIT,
                        "bit(" + precision + ")",
                        "LPAD(BIN(" + quoted + " + 0), " + precision + ", '0')",
                        nullable);
            case "date" ->
                of(
                        name,
                        PgType.DATE,
                        Form.DATE,
                        known(quoted, "TO_DAYS(" + quoted + ") - " + EPOCH_DAYS, NO_DATE),
                        nullable);
            case "datetime" -> of(name, PgType.TIMESTAMP, Form.MOMENT, moment(quoted), nullable);
            case "timestamp" -> of(name, PgType.TIMESTAMPTZ, Form.MOMENT, moment(quoted), nullable);
            case "time" ->
                // Hours go from -838 to 838: that is no time of a day.
                of(
                        name,
                        PgType.INTERVAL,
                        Form.SPAN,
                        "TIMESTAMPDIFF(MICROSECOND, TIMESTAMP('2000-01-01'), TIMESTAMP('2000-01-01', " + quoted + "))",
                        nullable);
            case "char", "varchar" ->
                new MySqlColumn(
                        name, new Declared(PgType.VARCHAR, (int) length + 4), Form.TEXT, text(quoted), nullable);
            case "json" -> other(name, JSON, "json", text(quoted), nullable);
            case "inet4", "inet6" -> other(name, INET, "inet", text(quoted), nullable);
            case "uuid" -> of(name, PgType.UUID, Form.UUID, text(quoted), nullable);
            case "binary", "varbinary", "tinyblob", "blob", "mediumblob", "longblob" ->
                plain(name, PgType.BYTEA, Form.BYTES, nullable);
            case "geometry",
                    "point",
                    "linestring",
                    "polygon",
                    "multipoint",
                    "multilinestring",
                    "multipolygon",
                    "geometrycollection",
                    "geomcollection" -> of(name, PgType.BYTEA, Form.BYTES, "ST_AsBinary(" + quoted + ")", nullable);
            default -> of(name, PgType.TEXT, Form.TEXT, text(quoted), nullable); // texts, enum, set, whatever comes
        };
    }

    private static MySqlColumn plain(String name, PgType type, Form form, boolean nullable) {
        return of(name, type, form, quoted(name), nullable);
    }

    private static MySqlColumn of(String name, PgType type, Form form, String selected, boolean nullable) {
        return new MySqlColumn(name, new Declared(type, PgType.NO_TYPMOD), form, selected, nullable);
    }

    private static MySqlColumn other(String name, int oid, String type, String selected, boolean nullable) {
        return new MySqlColumn(name, Declared.of(new OtherType(oid, type)), Form.TEXT, selected, nullable);
    }

    private static MySqlColumn decimal(String name, int precision, int scale, boolean nullable) {
        String quoted = quoted(name);
        if (precision > DataType.Decimal.MAX_PRECISION) {
            return of(name, PgType.TEXT, Form.TEXT, text(quoted), nullable);
        }
        Declared declared = new Declared(PgType.NUMERIC, PgType.numericTypmod(precision, scale));
        return precision <= MAX_LONG_DIGITS
                ? new MySqlColumn(
                        name,
                        declared,
                        Form.SMALL_DECIMAL,
                        "CAST(" + quoted + " * 1" + "0".repeat(scale) + " AS SIGNED)",
                        nullable)
                : new MySqlColumn(name, declared, Form.DECIMAL, quoted, nullable);
    }

    private static String moment(String quoted) {
        return known(quoted, "TIMESTAMPDIFF(MICROSECOND, TIMESTAMP('1970-01-01'), " + quoted + ")", NO_MOMENT);
    }

    /// `number`, or `otherwise` where that is NULL and the column is not.
    private static String known(String quoted, String number, long otherwise) {
        return "IF(" + quoted + " IS NULL, NULL, COALESCE(" + number + ", " + otherwise + "))";
    }

    private static String text(String quoted) {
        return "CAST(" + quoted + " AS CHAR CHARACTER SET utf8mb4)";
    }

    DataType dataType() {
        return declared.dataType();
    }

    static String quoted(String identifier) {
        return '`' + identifier.replace("`", "``") + '`';
    }
}
