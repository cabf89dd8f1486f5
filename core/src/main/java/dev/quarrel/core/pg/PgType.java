package dev.quarrel.core.pg;

import dev.quarrel.core.type.DataType;
import dev.quarrel.core.type.Field;
import dev.quarrel.core.type.OtherType;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/// The types of PostgreSQL that Quarrel knows, one row per type. It is the only such table: export, server and
/// SQL all use it.
///
/// Source: PostgreSQL's `pg_type.dat` and `format_type.c`.
public enum PgType {
    BOOL(16, "bool", "boolean", 1, DataType.BOOL),
    BYTEA(17, "bytea", "bytea", -1, DataType.BINARY),
    CHAR(18, "char", "\"char\"", 1, DataType.UTF8),
    NAME(19, "name", "name", 64, DataType.UTF8),
    INT8(20, "int8", "bigint", 8, DataType.INT64),
    INT2(21, "int2", "smallint", 2, DataType.INT16),
    INT4(23, "int4", "integer", 4, DataType.INT32),
    REGPROC(24, "regproc", "regproc", 4, DataType.INT64),
    TEXT(25, "text", "text", -1, DataType.UTF8),
    OID(26, "oid", "oid", 4, DataType.INT64),
    JSON(114, "json", "json", -1, DataType.UTF8),
    FLOAT4(700, "float4", "real", 4, DataType.FLOAT32),
    FLOAT8(701, "float8", "double precision", 8, DataType.FLOAT64),
    UNKNOWN(705, "unknown", "unknown", -2, DataType.UTF8),
    BPCHAR(1042, "bpchar", "character", -1, DataType.UTF8),
    VARCHAR(1043, "varchar", "character varying", -1, DataType.UTF8),
    DATE(1082, "date", "date", 4, DataType.DATE),
    TIME(1083, "time", "time without time zone", 8, DataType.TIME),
    TIMESTAMP(1114, "timestamp", "timestamp without time zone", 8, DataType.TIMESTAMP),
    TIMESTAMPTZ(1184, "timestamptz", "timestamp with time zone", 8, DataType.TIMESTAMPTZ),
    INTERVAL(1186, "interval", "interval", 16, DataType.INTERVAL),
    NUMERIC(1700, "numeric", "numeric", -1, DataType.NUMERIC),
    REGCLASS(2205, "regclass", "regclass", 4, DataType.INT64),
    REGPROCEDURE(2202, "regprocedure", "regprocedure", 4, DataType.INT64),
    REGTYPE(2206, "regtype", "regtype", 4, DataType.INT64),
    REGNAMESPACE(4089, "regnamespace", "regnamespace", 4, DataType.INT64),
    REGROLE(4096, "regrole", "regrole", 4, DataType.INT64),
    REGCOLLATION(4191, "regcollation", "regcollation", 4, DataType.INT64),
    UUID(2950, "uuid", "uuid", 16, DataType.UUID),
    /// Held as the text that PostgreSQL shows.
    JSONB(3802, "jsonb", "jsonb", -1, DataType.UTF8),
    /// Held as the text that PostgreSQL shows.
    JSONPATH(4072, "jsonpath", "jsonpath", -1, DataType.UTF8),
    // Held as the text that PostgreSQL shows, which a ValueForm reads.
    BIT(1560, "bit", "bit", -1, DataType.UTF8),
    VARBIT(1562, "varbit", "bit varying", -1, DataType.UTF8),
    INET(869, "inet", "inet", -1, DataType.UTF8),
    CIDR(650, "cidr", "cidr", -1, DataType.UTF8),
    MACADDR(829, "macaddr", "macaddr", 6, DataType.UTF8),
    MACADDR8(774, "macaddr8", "macaddr8", 8, DataType.UTF8),
    TIMETZ(1266, "timetz", "time with time zone", 12, DataType.UTF8),
    MONEY(790, "money", "money", 8, DataType.UTF8),
    INT4RANGE(3904, "int4range", "int4range", -1, DataType.UTF8),
    INT4MULTIRANGE(4451, "int4multirange", "int4multirange", -1, DataType.UTF8),
    INT8RANGE(3926, "int8range", "int8range", -1, DataType.UTF8),
    INT8MULTIRANGE(4536, "int8multirange", "int8multirange", -1, DataType.UTF8),
    NUMRANGE(3906, "numrange", "numrange", -1, DataType.UTF8),
    /// `numeric` of any number of digits; no statement names it, and clients are told `numeric`.
    WIDE_NUMERIC(1700, "numeric wide", "numeric", -1, DataType.UTF8),
    NUMMULTIRANGE(4532, "nummultirange", "nummultirange", -1, DataType.UTF8),
    DATERANGE(3912, "daterange", "daterange", -1, DataType.UTF8),
    DATEMULTIRANGE(4535, "datemultirange", "datemultirange", -1, DataType.UTF8),
    TSRANGE(3908, "tsrange", "tsrange", -1, DataType.UTF8),
    TSMULTIRANGE(4533, "tsmultirange", "tsmultirange", -1, DataType.UTF8),
    TSTZRANGE(3910, "tstzrange", "tstzrange", -1, DataType.UTF8),
    TSTZMULTIRANGE(4534, "tstzmultirange", "tstzmultirange", -1, DataType.UTF8),
    // Arrays are held as the text that PostgreSQL shows by default: zones in UTC, bytes in hex, IntervalStyle postgres.
    BOOL_ARRAY(1000, BOOL),
    BYTEA_ARRAY(1001, BYTEA),
    CHAR_ARRAY(1002, CHAR),
    NAME_ARRAY(1003, NAME),
    INT2_ARRAY(1005, INT2),
    INT4_ARRAY(1007, INT4),
    TEXT_ARRAY(1009, TEXT),
    BPCHAR_ARRAY(1014, BPCHAR),
    VARCHAR_ARRAY(1015, VARCHAR),
    INT8_ARRAY(1016, INT8),
    FLOAT4_ARRAY(1021, FLOAT4),
    FLOAT8_ARRAY(1022, FLOAT8),
    OID_ARRAY(1028, OID),
    TIMESTAMP_ARRAY(1115, TIMESTAMP),
    DATE_ARRAY(1182, DATE),
    TIME_ARRAY(1183, TIME),
    TIMESTAMPTZ_ARRAY(1185, TIMESTAMPTZ),
    INTERVAL_ARRAY(1187, INTERVAL),
    NUMERIC_ARRAY(1231, NUMERIC),
    UUID_ARRAY(2951, UUID),
    JSON_ARRAY(199, JSON),
    JSONB_ARRAY(3807, JSONB),
    BIT_ARRAY(1561, BIT),
    VARBIT_ARRAY(1563, VARBIT),
    INET_ARRAY(1041, INET),
    CIDR_ARRAY(651, CIDR),
    MACADDR_ARRAY(1040, MACADDR),
    MACADDR8_ARRAY(775, MACADDR8),
    TIMETZ_ARRAY(1270, TIMETZ),
    MONEY_ARRAY(791, MONEY),
    INT4RANGE_ARRAY(3905, INT4RANGE),
    INT4MULTIRANGE_ARRAY(6150, INT4MULTIRANGE),
    INT8RANGE_ARRAY(3927, INT8RANGE),
    INT8MULTIRANGE_ARRAY(6157, INT8MULTIRANGE),
    NUMRANGE_ARRAY(3907, NUMRANGE),
    NUMMULTIRANGE_ARRAY(6151, NUMMULTIRANGE),
    DATERANGE_ARRAY(3913, DATERANGE),
    DATEMULTIRANGE_ARRAY(6155, DATEMULTIRANGE),
    TSRANGE_ARRAY(3909, TSRANGE),
    TSMULTIRANGE_ARRAY(6152, TSMULTIRANGE),
    TSTZRANGE_ARRAY(3911, TSTZRANGE),
    TSTZMULTIRANGE_ARRAY(6153, TSTZMULTIRANGE),
    REGPROC_ARRAY(1008, REGPROC),
    REGPROCEDURE_ARRAY(2207, REGPROCEDURE),
    REGCLASS_ARRAY(2210, REGCLASS),
    REGTYPE_ARRAY(2211, REGTYPE),
    REGNAMESPACE_ARRAY(4090, REGNAMESPACE),
    REGROLE_ARRAY(4097, REGROLE),
    REGCOLLATION_ARRAY(4192, REGCOLLATION),
    // Arrays of the catalogs, numbered from 0 and shown as `1 2`; held as arrays are: `[0:1]={1,2}`.
    INT2VECTOR(22, "int2vector", INT2),
    OIDVECTOR(30, "oidvector", OID),
    // Types of the arguments of functions that take many types: each call decides which.
    ANYARRAY(2277, "anyarray", -1),
    ANYELEMENT(2283, "anyelement", 4),
    ANYRANGE(3831, "anyrange", -1),
    ANYMULTIRANGE(4537, "anymultirange", -1),
    ANYCOMPATIBLE(5077, "anycompatible", 4),
    ANYCOMPATIBLEARRAY(5078, "anycompatiblearray", -1),
    /// Every type without a row here: which one it is stands beside it, as an [OtherType].
    OTHER(0, "other", "other", -1, DataType.UTF8);

    /// The type modifier that says "none was declared".
    public static final int NO_TYPMOD = -1;

    // PostgreSQL adds the size of a varlena header to the modifiers of numeric, varchar and bpchar.
    private static final int HEADER = 4;

    private static final Map<Integer, PgType> BY_OID = new HashMap<>();
    private static final Map<String, PgType> BY_NAME = new HashMap<>();
    private static final Map<PgType, PgType> ARRAY_OF = new HashMap<>();

    static {
        for (PgType type : values()) {
            if (type == OTHER || type.isPolymorphic()) {
                continue;
            }
            if (type == WIDE_NUMERIC) {
                BY_NAME.put(type.typeName, type);
                continue;
            }
            BY_OID.put(type.oid, type);
            if (type.element != null && !type.isVector()) {
                ARRAY_OF.put(type.element, type);
            }
            BY_NAME.put(type.typeName, type);
            BY_NAME.put(type.formatName, type);
        }
        ARRAY_OF.put(WIDE_NUMERIC, NUMERIC_ARRAY);
        // "char" in quotes is the one-byte type; without quotes it is bpchar.
        BY_NAME.put("char", BPCHAR);
        BY_NAME.put("\"bit\"", BIT);
        BY_NAME.put("int", INT4);
        BY_NAME.put("decimal", NUMERIC);
        BY_NAME.put("dec", NUMERIC);
        BY_NAME.put("float", FLOAT8);
        BY_NAME.put("nchar", BPCHAR);
        BY_NAME.put("national character", BPCHAR);
        BY_NAME.put("national char", BPCHAR);
        BY_NAME.put("char varying", VARCHAR);
        BY_NAME.put("national character varying", VARCHAR);
    }

    private final int oid;
    private final String typeName;
    private final String formatName;
    private final int size;
    private final DataType dataType;
    private final PgType element;

    PgType(int oid, String typeName, String formatName, int size, DataType dataType) {
        this.oid = oid;
        this.typeName = typeName;
        this.formatName = formatName;
        this.size = size;
        this.dataType = dataType;
        this.element = null;
    }

    /// A type that no value has.
    PgType(int oid, String name, int size) {
        this(oid, name, name, size, null);
    }

    /// An array.
    PgType(int oid, PgType element) {
        this.oid = oid;
        this.typeName = "_" + element.typeName;
        this.formatName = element.formatName + "[]";
        this.size = -1;
        this.dataType = DataType.UTF8;
        this.element = element;
    }

    /// A vector.
    PgType(int oid, String name, PgType element) {
        this.oid = oid;
        this.typeName = name;
        this.formatName = name;
        this.size = -1;
        this.dataType = DataType.UTF8;
        this.element = element;
    }

    /// The type that clients and statements know: numeric for its wide form.
    public PgType known() {
        return this == WIDE_NUMERIC ? NUMERIC : this;
    }

    /// Whether values are texts that neither compare nor convert as texts do.
    public boolean isDocument() {
        return this == JSON || this == JSONB || this == JSONPATH;
    }

    /// How texts of it are read and order, where values are held as texts of a form of their own; else null.
    public ValueForm form() {
        return ValueForm.of(this);
    }

    /// The type of ranges of it.
    public PgType range() {
        return rangeForm(false);
    }

    /// The type of multiranges of it.
    public PgType multirange() {
        return rangeForm(true);
    }

    private PgType rangeForm(boolean isMulti) {
        for (PgType type : values()) {
            if (type.form() instanceof RangeForm form && form.isMulti() == isMulti && form.rangeOf() == this) {
                return type;
            }
        }
        throw new IllegalStateException("no ranges of " + this);
    }

    /// Whether it stands for a type that each call of a function decides.
    public boolean isPolymorphic() {
        return dataType == null;
    }

    public boolean isArray() {
        return element != null;
    }

    /// Whether it is an array of the catalogs' kind, which has one dimension, begins at 0, and reads and shows as `1
    /// 2`.
    public boolean isVector() {
        return this == INT2VECTOR || this == OIDVECTOR;
    }

    /// Whether columns of it in files are texts, as PostgreSQL shows them: the catalogs' types, whose values mean
    /// nothing away from them.
    public boolean isOfCatalogs() {
        return isVector() || isObjectName() || isArray() && element.isObjectName();
    }

    /// Whether values are held as identifiers of objects.
    public boolean isObjectId() {
        return this == OID || isObjectName();
    }

    /// Whether values are object identifiers that show as the object's name.
    public boolean isObjectName() {
        return switch (this) {
            case REGCLASS, REGTYPE, REGPROC, REGPROCEDURE, REGNAMESPACE, REGROLE, REGCOLLATION -> true;
            default -> false;
        };
    }

    /// The type of an array's elements; null for what is no array.
    public PgType element() {
        return element;
    }

    /// Whether two of an array's elements are equal if, and only if, their texts are: not so where a number has
    /// several texts, an interval several forms, or blanks at the end do not count.
    public boolean isEqualAsText() {
        return switch (element) {
            case FLOAT4, FLOAT8, NUMERIC, INTERVAL, BPCHAR, JSON, JSONB -> false;
            case null -> throw new IllegalStateException(this + " is no array");
            default -> element.form() == null || element.form().isEqualAsText();
        };
    }

    /// The type of arrays of it.
    public Optional<PgType> array() {
        return Optional.ofNullable(ARRAY_OF.get(this));
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

    /// How columns of it are held; for NUMERIC without a declared precision. Null for a polymorphic type.
    public DataType dataType() {
        return dataType;
    }

    public static Optional<PgType> ofOid(int oid) {
        return Optional.ofNullable(BY_OID.get(oid));
    }

    /// The type that SQL calls so: `typname`, `format_type`'s text without a modifier, or one of SQL's aliases; in any
    /// letter case, with any run of blanks between words. `char` is bpchar, `"char"` in quotes the one-byte type.
    public static Optional<PgType> named(String name) {
        return Optional.ofNullable(BY_NAME.get(normalised(name)));
    }

    /// The type that a column gets when nothing else is declared.
    public static PgType of(DataType type) {
        return switch (type) {
            case DataType.Bool _ -> BOOL;
            case DataType.Int16 _ -> INT2;
            case DataType.Int32 _ -> INT4;
            case DataType.Int64 _ -> INT8;
            case DataType.Float32 _ -> FLOAT4;
            case DataType.Float64 _ -> FLOAT8;
            case DataType.Decimal _, DataType.Numeric _ -> NUMERIC;
            case DataType.Date _ -> DATE;
            case DataType.Timestamp(boolean withZone) -> withZone ? TIMESTAMPTZ : TIMESTAMP;
            case DataType.Uuid _ -> UUID;
            case DataType.Time _ -> TIME;
            case DataType.Interval _ -> INTERVAL;
            case DataType.Utf8 _ -> TEXT;
            case DataType.Binary _ -> BYTEA;
        };
    }

    /// `format_type`'s text for a column of `type`, such as `numeric(10,2)`.
    public static String defaultName(DataType type) {
        return Declared.of(type).text();
    }

    /// `format_type(oid, typmod)`.
    ///
    /// @param typmod `pg_attribute.atttypmod`, or [#NO_TYPMOD]
    public static String format(PgType type, int typmod) {
        if (typmod < 0) {
            return type == BPCHAR ? "bpchar" : type == BIT ? "\"bit\"" : type.formatName;
        }
        return switch (type) {
            case NUMERIC, WIDE_NUMERIC -> "numeric(" + precision(typmod) + "," + scale(typmod) + ")";
            case VARCHAR, BPCHAR -> type.formatName + "(" + (typmod - HEADER) + ")";
            case BIT, VARBIT -> type.formatName + "(" + typmod + ")";
            case TIME -> "time(" + typmod + ") without time zone";
            case TIMETZ -> "time(" + typmod + ") with time zone";
            case INTERVAL -> "interval" + IntervalFields.suffix(typmod);
            case TIMESTAMP -> "timestamp(" + typmod + ") without time zone";
            case TIMESTAMPTZ -> "timestamp(" + typmod + ") with time zone";
            default -> type.formatName;
        };
    }

    /// Reads what [#format] and SQL write: a type's name, with its modifiers in parentheses.
    ///
    /// - Errors: `QueryException` 42704 for an unknown name, 22023 for modifiers that the type does not take.
    public static Declared parse(String text) {
        String name = normalised(text);
        int open = name.indexOf('(');
        if (name.startsWith("interval ")) {
            int end = open < 0 ? name.length() : open;
            String fields = name.substring("interval ".length(), end).trim();
            if (IntervalFields.isKnown(fields) && (open < 0 || name.endsWith(")"))) {
                int digits = open < 0
                        ? -1
                        : digits(name.substring(open + 1, name.length() - 1).split(",", -1), text);
                return new Declared(INTERVAL, IntervalFields.typmod(fields, digits));
            }
        }
        if (open < 0) {
            return new Declared(knownAs(name, text), NO_TYPMOD);
        }
        int close = name.indexOf(')', open);
        if (close < 0) {
            throw unknown(text);
        }
        PgType type = knownAs(normalised(name.substring(0, open) + " " + name.substring(close + 1)), text);
        String[] modifiers = name.substring(open + 1, close).split(",", -1);
        try {
            return switch (type) {
                case NUMERIC -> {
                    if (modifiers.length > 2) {
                        throw badModifier(text);
                    }
                    int precision = Integer.parseInt(modifiers[0].trim());
                    int scale = modifiers.length == 2 ? Integer.parseInt(modifiers[1].trim()) : 0;
                    yield new Declared(type, numericTypmod(precision, scale));
                }
                case VARCHAR, BPCHAR -> {
                    int length = Integer.parseInt(text(modifiers, text));
                    if (length < 1 || length > 10_485_760) {
                        throw badModifier(text);
                    }
                    yield new Declared(type, length + HEADER);
                }
                case INTERVAL -> new Declared(type, IntervalFields.typmod("", digits(modifiers, text)));
                case BIT, VARBIT -> {
                    int length = Integer.parseInt(text(modifiers, text));
                    if (length < 1 || length > BitForm.MAX_LENGTH) {
                        throw badModifier(text);
                    }
                    yield new Declared(type, length);
                }
                case TIME, TIMETZ, TIMESTAMP, TIMESTAMPTZ -> {
                    int digits = Integer.parseInt(text(modifiers, text));
                    if (digits < 0) {
                        throw badModifier(text);
                    }
                    yield new Declared(type, Math.min(digits, 6));
                }
                case FLOAT8 -> {
                    int bits = Integer.parseInt(text(modifiers, text));
                    if (!name.startsWith("float") || bits < 1 || bits > 53) {
                        throw badModifier(text);
                    }
                    yield new Declared(bits <= 24 ? FLOAT4 : FLOAT8, NO_TYPMOD);
                }
                default -> throw badModifier(text);
            };
        } catch (NumberFormatException _) {
            throw badModifier(text);
        }
    }

    private static int digits(String[] modifiers, String text) {
        try {
            int digits = Integer.parseInt(text(modifiers, text));
            if (digits < 0) {
                throw badModifier(text);
            }
            return digits;
        } catch (NumberFormatException _) {
            throw badModifier(text);
        }
    }

    /// The modifier of `numeric(precision, scale)`.
    ///
    /// - Errors: `QueryException` 22023 outside PostgreSQL's limits (1 to 1000; -1000 to 1000).
    public static int numericTypmod(int precision, int scale) {
        if (precision < 1 || precision > 1000) {
            throw new QueryException(
                    SqlState.INVALID_PARAMETER_VALUE, "NUMERIC precision " + precision + " must be between 1 and 1000");
        }
        if (scale < -1000 || scale > 1000) {
            throw new QueryException(
                    SqlState.INVALID_PARAMETER_VALUE, "NUMERIC scale " + scale + " must be between -1000 and 1000");
        }
        return (precision << 16 | scale & 0x7FF) + HEADER;
    }

    private static int precision(int typmod) {
        return typmod - HEADER >>> 16 & 0xFFFF;
    }

    private static int scale(int typmod) {
        // Eleven bits, signed.
        return (typmod - HEADER & 0x7FF ^ 1024) - 1024;
    }

    private static String text(String[] modifiers, String whole) {
        if (modifiers.length != 1) {
            throw badModifier(whole);
        }
        return modifiers[0].trim();
    }

    private static String normalised(String name) {
        return name.trim().toLowerCase(Locale.ROOT).replaceAll("\\s+", " ");
    }

    private static PgType knownAs(String name, String text) {
        PgType type = BY_NAME.get(name);
        if (type == null) {
            throw unknown(text);
        }
        return type;
    }

    private static QueryException unknown(String text) {
        return new QueryException(SqlState.UNDEFINED_OBJECT, "type \"" + text + "\" does not exist");
    }

    private static QueryException badModifier(String text) {
        return new QueryException(SqlState.INVALID_PARAMETER_VALUE, "invalid type modifier in \"" + text + "\"");
    }

    /// A type together with its modifier, as a column is declared.
    ///
    /// @param typmod as in `pg_attribute.atttypmod`; [#NO_TYPMOD] for none
    /// @param other which type it is where `type` is OTHER; otherwise null
    public record Declared(PgType type, int typmod, OtherType other) {
        public Declared(PgType type, int typmod) {
            this(type, typmod, null);
        }

        public static Declared of(OtherType other) {
            return new Declared(OTHER, NO_TYPMOD, other);
        }

        public static Declared of(DataType type) {
            return type instanceof DataType.Decimal(int precision, int scale)
                    ? new Declared(NUMERIC, numericTypmod(precision, scale))
                    : new Declared(PgType.of(type), NO_TYPMOD);
        }

        /// What a field says it is; by its `DataType` where it says nothing, or names a type that this table lacks.
        public static Declared of(Field field) {
            if (field.other() != null) {
                return of(field.other());
            }
            if (field.pgType() == null) {
                return of(field.type());
            }
            try {
                return parse(field.pgType());
            } catch (QueryException _) {
                return of(field.type());
            }
        }

        /// The same in terms of how values are held: a numeric whose digits are texts is a wide one.
        public static Declared held(Field field) {
            Declared declared = of(field);
            return declared.type == NUMERIC && field.type() instanceof DataType.Utf8
                    ? new Declared(WIDE_NUMERIC, declared.typmod)
                    : declared;
        }

        /// `format_type(oid, typmod)`.
        public String text() {
            return other != null ? other.name() : format(type, typmod);
        }

        /// `pg_type.oid`.
        public int oid() {
            return other != null ? other.oid() : type.oid;
        }

        /// How a column of it is held.
        ///
        /// A numeric of at most 38 digits is a `Decimal`; with a negative scale (`numeric(3,-2)`) or one
        /// above its precision (`numeric(2,4)`) it is the smallest `Decimal` that holds every value.
        /// Otherwise `Numeric`.
        public DataType dataType() {
            if (type != NUMERIC || typmod < 0) {
                return type.dataType;
            }
            int scale = Math.max(0, scale(typmod));
            int precision = Math.max(precision(typmod) - scale(typmod), 0) + scale;
            return precision > DataType.Decimal.MAX_PRECISION
                    ? DataType.NUMERIC
                    : new DataType.Decimal(precision, scale);
        }

        /// The n of `varchar(n)` and `char(n)`, in characters; or -1.
        public int length() {
            return typmod >= 0 && (type == VARCHAR || type == BPCHAR) ? typmod - HEADER : -1;
        }

        /// The declared precision of a numeric, or -1.
        public int numericPrecision() {
            return typmod >= 0 && type == NUMERIC ? precision(typmod) : -1;
        }

        /// The declared scale of a numeric, which may be negative; 0 where none is declared.
        public int numericScale() {
            return typmod >= 0 && type == NUMERIC ? scale(typmod) : 0;
        }

        /// The digits of a second's fraction that a time or timestamp keeps: 0 to 6.
        public int fractionDigits() {
            boolean hasDigits = type == TIME || type == TIMETZ || type == TIMESTAMP || type == TIMESTAMPTZ;
            return typmod >= 0 && hasDigits ? typmod : 6;
        }

        @Override
        public String toString() {
            return text();
        }
    }
}
