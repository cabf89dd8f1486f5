package dev.quarrel.export.mysql;

import dev.quarrel.core.pg.PgType;
import dev.quarrel.core.pg.PgType.Declared;
import dev.quarrel.core.type.DataType;
import dev.quarrel.core.type.OtherType;
import dev.quarrel.export.config.ExportConfig;
import dev.quarrel.export.copy.Unfit;
import dev.quarrel.export.mysql.MySqlColumn.Form;
import dev.quarrel.export.snapshot.ExportColumn.DictionaryChoice;
import dev.quarrel.export.snapshot.ExportColumn.Layout;
import java.util.Locale;

/// MySQL's types in PostgreSQL's terms, and how their values are asked for.
final class MySqlTypes {
    /// MySQL's day 0 is that of the year 0; Arrow counts from 1970-01-01.
    private static final int EPOCH_DAYS = 719_528;

    private static final int JSON = 114;
    private static final int INET = 869;
    private static final int BIT = 1560;
    private static final int MAX_LONG_DIGITS = 18;
    private static final int UNSIGNED_LONG_DIGITS = 20;
    private static final int MAX_VARCHAR = 10_485_760; // PostgreSQL's

    private MySqlTypes() {}

    /// What the server tells of a column.
    ///
    /// @param type `information_schema.columns.data_type`, or what the driver calls the type
    /// @param precision of decimals, and of bit strings
    /// @param scale of decimals
    /// @param length in characters of `char` and `varchar`
    record Told(
            String name, String type, boolean isUnsigned, int precision, int scale, long length, boolean isNullable) {
        Told {
            type = type.toLowerCase(Locale.ROOT);
        }

        String quoted() {
            return MySqlColumn.quoted(name);
        }

        boolean isShape() {
            return switch (type) {
                case "geometry",
                        "point",
                        "linestring",
                        "polygon",
                        "multipoint",
                        "multilinestring",
                        "multipolygon",
                        "geometrycollection",
                        "geomcollection" -> true;
                default -> false;
            };
        }
    }

    /// A table's column.
    static MySqlColumn of(Told told, ExportConfig config) {
        String quoted = told.quoted();
        if (told.isShape()) {
            return of(told, PgType.BYTEA, Form.BYTES, "ST_AsBinary(" + quoted + ")");
        }
        return switch (told.type()) {
            case "tinyint", "year" -> plain(told, PgType.INT2, Form.INT16);
            case "smallint" ->
                told.isUnsigned() ? plain(told, PgType.INT4, Form.INT32) : plain(told, PgType.INT2, Form.INT16);
            case "mediumint" -> plain(told, PgType.INT4, Form.INT32);
            case "int", "integer" ->
                told.isUnsigned() ? plain(told, PgType.INT8, Form.INT64) : plain(told, PgType.INT4, Form.INT32);
            case "bigint" ->
                told.isUnsigned()
                        ? decimal(told, UNSIGNED_LONG_DIGITS, 0, config)
                        : plain(told, PgType.INT8, Form.INT64);
            case "decimal", "numeric" -> decimal(told, told.precision(), told.scale(), config);
            case "float" -> plain(told, PgType.FLOAT4, Form.FLOAT32);
            case "double", "real" -> plain(told, PgType.FLOAT8, Form.FLOAT64);
            case "bit" -> bits(told, Form.TEXT, "LPAD(BIN(" + quoted + " + 0), " + told.precision() + ", '0')");
            case "date" ->
                of(
                        told,
                        PgType.DATE,
                        Form.DATE,
                        known(quoted, "TO_DAYS(" + quoted + ") - " + EPOCH_DAYS, MySqlColumn.NO_DATE));
            case "datetime" -> of(told, PgType.TIMESTAMP, Form.MOMENT, moment(quoted));
            case "timestamp" -> of(told, PgType.TIMESTAMPTZ, Form.MOMENT, moment(quoted));
            case "time" ->
                // Hours go from -838 to 838: that is no time of a day.
                of(
                        told,
                        PgType.INTERVAL,
                        Form.SPAN,
                        "TIMESTAMPDIFF(MICROSECOND, TIMESTAMP('2000-01-01'), TIMESTAMP('2000-01-01', " + quoted + "))");
            case "char", "varchar" ->
                of(
                        told,
                        told.length() > 0 && told.length() <= MAX_VARCHAR
                                ? new Declared(PgType.VARCHAR, (int) told.length() + 4)
                                : new Declared(PgType.TEXT, PgType.NO_TYPMOD),
                        Form.TEXT,
                        text(quoted));
            case "json" -> of(told, Declared.of(new OtherType(JSON, "json")), Form.TEXT, text(quoted));
            case "inet4", "inet6" -> of(told, Declared.of(new OtherType(INET, "inet")), Form.TEXT, text(quoted));
            case "uuid" -> of(told, PgType.UUID, Form.UUID, text(quoted));
            case "binary", "varbinary", "tinyblob", "blob", "mediumblob", "longblob" ->
                plain(told, PgType.BYTEA, Form.BYTES);
            case "enum" ->
                of(told, PgType.TEXT, Form.TEXT, text(quoted))
                        .withLayout(Layout.PLAIN.withDictionary(DictionaryChoice.ALWAYS));
            default -> of(told, PgType.TEXT, Form.TEXT, text(quoted)); // texts, set, whatever comes
        };
    }

    /// A query's column, whose values come as the server has them.
    static MySqlColumn ofResult(Told told, ExportConfig config) {
        if (told.isShape()) {
            return plain(told, PgType.BYTEA, Form.SENT_SHAPE);
        }
        if (told.type().equals("bit")) {
            return bits(told, Form.SENT_BITS, told.quoted());
        }
        MySqlColumn column = of(told, config);
        Form sent =
                switch (column.form()) {
                    case SMALL_DECIMAL -> Form.DECIMAL;
                    case DATE -> Form.SENT_DATE;
                    case MOMENT -> Form.SENT_MOMENT;
                    case SPAN -> Form.SENT_SPAN;
                    case Form other -> other;
                };
        return new MySqlColumn(
                column.name(),
                column.declared(),
                column.dataType(),
                sent,
                told.quoted(),
                column.nullable(),
                column.bits(),
                column.layout());
    }

    private static MySqlColumn plain(Told told, PgType type, Form form) {
        return of(told, type, form, told.quoted());
    }

    private static MySqlColumn of(Told told, PgType type, Form form, String selected) {
        return of(told, new Declared(type, PgType.NO_TYPMOD), form, selected);
    }

    private static MySqlColumn of(Told told, Declared declared, Form form, String selected) {
        return new MySqlColumn(
                told.name(), declared, declared.dataType(), form, selected, told.isNullable(), 0, Layout.PLAIN);
    }

    private static MySqlColumn bits(Told told, Form form, String selected) {
        Declared declared = Declared.of(new OtherType(BIT, "bit(" + told.precision() + ")"));
        return new MySqlColumn(
                told.name(),
                declared,
                declared.dataType(),
                form,
                selected,
                told.isNullable(),
                told.precision(),
                Layout.PLAIN);
    }

    private static MySqlColumn decimal(Told told, int precision, int scale, ExportConfig config) {
        Declared declared = new Declared(PgType.NUMERIC, PgType.numericTypmod(precision, scale));
        if (precision <= MAX_LONG_DIGITS) {
            String digits = "CAST(" + told.quoted() + " * 1" + "0".repeat(scale) + " AS SIGNED)";
            return of(told, declared, Form.SMALL_DECIMAL, digits);
        }
        if (precision <= DataType.Decimal.MAX_PRECISION) {
            return of(told, declared, Form.DECIMAL, told.quoted());
        }
        if (config.numeric().isPresent()) {
            return new MySqlColumn(
                    told.name(),
                    declared,
                    config.numeric().get(),
                    Form.DECIMAL,
                    told.quoted(),
                    told.isNullable(),
                    0,
                    Layout.PLAIN);
        }
        return config.unfit().numeric() != Unfit.Overflow.TEXT
                ? of(told, declared, Form.WIDE_DECIMAL, told.quoted())
                : new MySqlColumn(
                        told.name(),
                        declared,
                        DataType.UTF8,
                        Form.TEXT,
                        text(told.quoted()),
                        told.isNullable(),
                        0,
                        Layout.PLAIN);
    }

    private static String moment(String quoted) {
        return known(
                quoted, "TIMESTAMPDIFF(MICROSECOND, TIMESTAMP('1970-01-01'), " + quoted + ")", MySqlColumn.NO_MOMENT);
    }

    /// `number`, or `otherwise` where the column is not NULL and has no such number, or a day that its
    /// month has not (`ALLOW_INVALID_DATES` keeps those, and reckons them into the next month).
    private static String known(String quoted, String number, long otherwise) {
        String day = "DAYOFMONTH(" + quoted + ")";
        String isReal = day + " <= 28 OR " + day + " <= DAYOFMONTH(LAST_DAY(" + quoted + "))";
        return "IF(" + quoted + " IS NULL, NULL, COALESCE(IF(" + isReal + ", " + number + ", NULL), " + otherwise
                + "))";
    }

    private static String text(String quoted) {
        return "CAST(" + quoted + " AS CHAR CHARACTER SET utf8mb4)";
    }
}
