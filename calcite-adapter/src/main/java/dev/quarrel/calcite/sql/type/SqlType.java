package dev.quarrel.calcite.sql.type;

import dev.quarrel.core.pg.PgType;
import dev.quarrel.core.pg.ValueForm;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/// A type as PostgreSQL's expression rules see it: with its category and the types that it converts to
/// implicitly.
///
/// - Source: PostgreSQL 18's `pg_type.dat` and `pg_cast.dat`.
public enum SqlType {
    BOOL(PgType.BOOL, Category.BOOLEAN, true),
    INT2(PgType.INT2, Category.NUMERIC, false),
    INT4(PgType.INT4, Category.NUMERIC, false),
    INT8(PgType.INT8, Category.NUMERIC, false),
    FLOAT4(PgType.FLOAT4, Category.NUMERIC, false),
    FLOAT8(PgType.FLOAT8, Category.NUMERIC, true),
    NUMERIC(PgType.NUMERIC, Category.NUMERIC, false),
    OID(PgType.OID, Category.NUMERIC, true),
    REGCLASS(PgType.REGCLASS, Category.NUMERIC, false),
    REGTYPE(PgType.REGTYPE, Category.NUMERIC, false),
    REGPROC(PgType.REGPROC, Category.NUMERIC, false),
    REGPROCEDURE(PgType.REGPROCEDURE, Category.NUMERIC, false),
    REGNAMESPACE(PgType.REGNAMESPACE, Category.NUMERIC, false),
    REGROLE(PgType.REGROLE, Category.NUMERIC, false),
    REGCOLLATION(PgType.REGCOLLATION, Category.NUMERIC, false),
    TEXT(PgType.TEXT, Category.STRING, true),
    VARCHAR(PgType.VARCHAR, Category.STRING, false),
    BPCHAR(PgType.BPCHAR, Category.STRING, false),
    NAME(PgType.NAME, Category.STRING, false),
    CHAR(PgType.CHAR, Category.INTERNAL, false),
    DATE(PgType.DATE, Category.DATE_TIME, false),
    TIMESTAMP(PgType.TIMESTAMP, Category.DATE_TIME, false),
    TIMESTAMPTZ(PgType.TIMESTAMPTZ, Category.DATE_TIME, true),
    UUID(PgType.UUID, Category.USER, false),
    JSON(PgType.JSON, Category.USER, false),
    JSONB(PgType.JSONB, Category.USER, false),
    JSONPATH(PgType.JSONPATH, Category.USER, false),
    BYTEA(PgType.BYTEA, Category.USER, false),
    BIT(PgType.BIT, Category.BITS, false),
    VARBIT(PgType.VARBIT, Category.BITS, true),
    INET(PgType.INET, Category.NETWORK, true),
    CIDR(PgType.CIDR, Category.NETWORK, false),
    MACADDR(PgType.MACADDR, Category.USER, false),
    MACADDR8(PgType.MACADDR8, Category.USER, false),
    TIMETZ(PgType.TIMETZ, Category.DATE_TIME, false),
    MONEY(PgType.MONEY, Category.NUMERIC, false),
    /// `numeric` of any number of digits: to statements the same type as NUMERIC.
    WIDE_NUMERIC(PgType.WIDE_NUMERIC, Category.NUMERIC, false),
    INT4RANGE(PgType.INT4RANGE, Category.RANGE, false),
    INT4MULTIRANGE(PgType.INT4MULTIRANGE, Category.RANGE, false),
    INT8RANGE(PgType.INT8RANGE, Category.RANGE, false),
    INT8MULTIRANGE(PgType.INT8MULTIRANGE, Category.RANGE, false),
    NUMRANGE(PgType.NUMRANGE, Category.RANGE, false),
    NUMMULTIRANGE(PgType.NUMMULTIRANGE, Category.RANGE, false),
    DATERANGE(PgType.DATERANGE, Category.RANGE, false),
    DATEMULTIRANGE(PgType.DATEMULTIRANGE, Category.RANGE, false),
    TSRANGE(PgType.TSRANGE, Category.RANGE, false),
    TSMULTIRANGE(PgType.TSMULTIRANGE, Category.RANGE, false),
    TSTZRANGE(PgType.TSTZRANGE, Category.RANGE, false),
    TSTZMULTIRANGE(PgType.TSTZMULTIRANGE, Category.RANGE, false),
    BOOL_ARRAY(PgType.BOOL_ARRAY, Category.ARRAY, false),
    BYTEA_ARRAY(PgType.BYTEA_ARRAY, Category.ARRAY, false),
    CHAR_ARRAY(PgType.CHAR_ARRAY, Category.ARRAY, false),
    NAME_ARRAY(PgType.NAME_ARRAY, Category.ARRAY, false),
    INT2_ARRAY(PgType.INT2_ARRAY, Category.ARRAY, false),
    INT4_ARRAY(PgType.INT4_ARRAY, Category.ARRAY, false),
    TEXT_ARRAY(PgType.TEXT_ARRAY, Category.ARRAY, false),
    BPCHAR_ARRAY(PgType.BPCHAR_ARRAY, Category.ARRAY, false),
    VARCHAR_ARRAY(PgType.VARCHAR_ARRAY, Category.ARRAY, false),
    INT8_ARRAY(PgType.INT8_ARRAY, Category.ARRAY, false),
    FLOAT4_ARRAY(PgType.FLOAT4_ARRAY, Category.ARRAY, false),
    FLOAT8_ARRAY(PgType.FLOAT8_ARRAY, Category.ARRAY, false),
    OID_ARRAY(PgType.OID_ARRAY, Category.ARRAY, false),
    TIMESTAMP_ARRAY(PgType.TIMESTAMP_ARRAY, Category.ARRAY, false),
    DATE_ARRAY(PgType.DATE_ARRAY, Category.ARRAY, false),
    TIME_ARRAY(PgType.TIME_ARRAY, Category.ARRAY, false),
    TIMESTAMPTZ_ARRAY(PgType.TIMESTAMPTZ_ARRAY, Category.ARRAY, false),
    INTERVAL_ARRAY(PgType.INTERVAL_ARRAY, Category.ARRAY, false),
    NUMERIC_ARRAY(PgType.NUMERIC_ARRAY, Category.ARRAY, false),
    UUID_ARRAY(PgType.UUID_ARRAY, Category.ARRAY, false),
    JSON_ARRAY(PgType.JSON_ARRAY, Category.ARRAY, false),
    JSONB_ARRAY(PgType.JSONB_ARRAY, Category.ARRAY, false),
    BIT_ARRAY(PgType.BIT_ARRAY, Category.ARRAY, false),
    VARBIT_ARRAY(PgType.VARBIT_ARRAY, Category.ARRAY, false),
    INET_ARRAY(PgType.INET_ARRAY, Category.ARRAY, false),
    CIDR_ARRAY(PgType.CIDR_ARRAY, Category.ARRAY, false),
    MACADDR_ARRAY(PgType.MACADDR_ARRAY, Category.ARRAY, false),
    MACADDR8_ARRAY(PgType.MACADDR8_ARRAY, Category.ARRAY, false),
    TIMETZ_ARRAY(PgType.TIMETZ_ARRAY, Category.ARRAY, false),
    MONEY_ARRAY(PgType.MONEY_ARRAY, Category.ARRAY, false),
    INT4RANGE_ARRAY(PgType.INT4RANGE_ARRAY, Category.ARRAY, false),
    INT4MULTIRANGE_ARRAY(PgType.INT4MULTIRANGE_ARRAY, Category.ARRAY, false),
    INT8RANGE_ARRAY(PgType.INT8RANGE_ARRAY, Category.ARRAY, false),
    INT8MULTIRANGE_ARRAY(PgType.INT8MULTIRANGE_ARRAY, Category.ARRAY, false),
    NUMRANGE_ARRAY(PgType.NUMRANGE_ARRAY, Category.ARRAY, false),
    NUMMULTIRANGE_ARRAY(PgType.NUMMULTIRANGE_ARRAY, Category.ARRAY, false),
    DATERANGE_ARRAY(PgType.DATERANGE_ARRAY, Category.ARRAY, false),
    DATEMULTIRANGE_ARRAY(PgType.DATEMULTIRANGE_ARRAY, Category.ARRAY, false),
    TSRANGE_ARRAY(PgType.TSRANGE_ARRAY, Category.ARRAY, false),
    TSMULTIRANGE_ARRAY(PgType.TSMULTIRANGE_ARRAY, Category.ARRAY, false),
    TSTZRANGE_ARRAY(PgType.TSTZRANGE_ARRAY, Category.ARRAY, false),
    TSTZMULTIRANGE_ARRAY(PgType.TSTZMULTIRANGE_ARRAY, Category.ARRAY, false),
    REGPROC_ARRAY(PgType.REGPROC_ARRAY, Category.ARRAY, false),
    REGPROCEDURE_ARRAY(PgType.REGPROCEDURE_ARRAY, Category.ARRAY, false),
    REGCLASS_ARRAY(PgType.REGCLASS_ARRAY, Category.ARRAY, false),
    REGTYPE_ARRAY(PgType.REGTYPE_ARRAY, Category.ARRAY, false),
    REGNAMESPACE_ARRAY(PgType.REGNAMESPACE_ARRAY, Category.ARRAY, false),
    REGROLE_ARRAY(PgType.REGROLE_ARRAY, Category.ARRAY, false),
    REGCOLLATION_ARRAY(PgType.REGCOLLATION_ARRAY, Category.ARRAY, false),
    INT2VECTOR(PgType.INT2VECTOR, Category.ARRAY, false),
    OIDVECTOR(PgType.OIDVECTOR, Category.ARRAY, false),
    TIME(PgType.TIME, Category.DATE_TIME, false),
    INTERVAL(PgType.INTERVAL, Category.TIME_SPAN, true),
    /// A type of which only texts are held: which one, its RelDataType tells.
    OTHER(PgType.OTHER, Category.USER, false),
    /// A string literal, NULL or parameter whose type its surroundings decide.
    UNKNOWN(PgType.UNKNOWN, Category.UNKNOWN, false),
    /// A row constructor.
    RECORD(null, Category.PSEUDO, false),
    /// An array constructor; only ANY and ALL take it.
    ARRAY(null, Category.PSEUDO, false);

    public enum Category {
        BOOLEAN,
        NUMERIC,
        STRING,
        DATE_TIME,
        TIME_SPAN,
        BITS,
        NETWORK,
        RANGE,
        INTERNAL,
        USER,
        ARRAY,
        PSEUDO,
        UNKNOWN
    }

    private final PgType pgType;
    private final Category category;
    private final boolean preferred;

    SqlType(PgType pgType, Category category, boolean preferred) {
        this.pgType = pgType;
        this.category = category;
        this.preferred = preferred;
    }

    private static final Set<SqlType> OBJECT_NAMES =
            EnumSet.of(REGCLASS, REGTYPE, REGPROC, REGPROCEDURE, REGNAMESPACE, REGROLE, REGCOLLATION);
    private static final Set<SqlType> OBJECT_IDS = EnumSet.copyOf(OBJECT_NAMES);
    private static final Map<SqlType, Set<SqlType>> IMPLICIT = new EnumMap<>(SqlType.class);
    private static final Map<SqlType, Set<SqlType>> ASSIGNMENT = new EnumMap<>(SqlType.class);
    private static final Map<SqlType, Set<SqlType>> EXPLICIT = new EnumMap<>(SqlType.class);
    private static final Map<String, SqlType> BY_NAME = new HashMap<>();
    private static final Map<PgType, SqlType> BY_PG_TYPE = new EnumMap<>(PgType.class);

    static {
        OBJECT_IDS.add(OID);
        IMPLICIT.put(INT2, EnumSet.of(INT4, INT8, NUMERIC, FLOAT4, FLOAT8));
        IMPLICIT.put(INT4, EnumSet.of(INT8, NUMERIC, FLOAT4, FLOAT8));
        IMPLICIT.put(INT8, EnumSet.of(NUMERIC, FLOAT4, FLOAT8));
        IMPLICIT.put(NUMERIC, EnumSet.of(FLOAT4, FLOAT8));
        IMPLICIT.put(FLOAT4, EnumSet.of(FLOAT8));
        IMPLICIT.put(OID, EnumSet.of(INT8));
        for (SqlType number : List.of(INT2, INT4, INT8)) {
            IMPLICIT.get(number).addAll(OBJECT_IDS);
        }
        for (SqlType name : OBJECT_NAMES) {
            IMPLICIT.put(name, EnumSet.of(OID, INT8));
            IMPLICIT.get(OID).add(name);
            ASSIGNMENT.put(name, EnumSet.of(INT4));
        }
        IMPLICIT.get(REGPROC).add(REGPROCEDURE);
        IMPLICIT.get(REGPROCEDURE).add(REGPROC);
        IMPLICIT.put(TEXT, EnumSet.of(VARCHAR, BPCHAR, NAME, REGCLASS));
        IMPLICIT.put(VARCHAR, EnumSet.of(TEXT, BPCHAR, NAME, REGCLASS));
        IMPLICIT.put(BPCHAR, EnumSet.of(TEXT, VARCHAR, NAME));
        IMPLICIT.put(NAME, EnumSet.of(TEXT));
        IMPLICIT.put(CHAR, EnumSet.of(TEXT));
        IMPLICIT.put(DATE, EnumSet.of(TIMESTAMP, TIMESTAMPTZ));
        IMPLICIT.put(TIMESTAMP, EnumSet.of(TIMESTAMPTZ));
        IMPLICIT.put(TIME, EnumSet.of(INTERVAL, TIMETZ));
        IMPLICIT.put(BIT, EnumSet.of(VARBIT));
        IMPLICIT.put(VARBIT, EnumSet.of(BIT));
        IMPLICIT.put(CIDR, EnumSet.of(INET));
        IMPLICIT.put(MACADDR, EnumSet.of(MACADDR8));
        IMPLICIT.put(MACADDR8, EnumSet.of(MACADDR));

        for (SqlType exact : List.of(INT2, INT4, INT8, NUMERIC)) {
            IMPLICIT.get(exact).add(WIDE_NUMERIC);
        }
        IMPLICIT.put(WIDE_NUMERIC, EnumSet.of(FLOAT4, FLOAT8));

        ASSIGNMENT.put(INT4, EnumSet.of(INT2, MONEY));
        ASSIGNMENT.put(INT8, EnumSet.of(INT2, INT4, MONEY));
        ASSIGNMENT.put(NUMERIC, EnumSet.of(INT2, INT4, INT8, MONEY));
        ASSIGNMENT.put(MONEY, EnumSet.of(NUMERIC, WIDE_NUMERIC));
        ASSIGNMENT.put(INET, EnumSet.of(CIDR));
        ASSIGNMENT.put(TIMETZ, EnumSet.of(TIME));
        ASSIGNMENT.put(WIDE_NUMERIC, EnumSet.of(INT2, INT4, INT8, NUMERIC, MONEY));
        ASSIGNMENT.put(FLOAT4, EnumSet.of(INT2, INT4, INT8, NUMERIC, WIDE_NUMERIC));
        ASSIGNMENT.put(FLOAT8, EnumSet.of(INT2, INT4, INT8, NUMERIC, WIDE_NUMERIC, FLOAT4));
        ASSIGNMENT.put(OID, EnumSet.of(INT4));
        ASSIGNMENT.put(TEXT, EnumSet.of(CHAR));
        ASSIGNMENT.put(VARCHAR, EnumSet.of(CHAR));
        ASSIGNMENT.put(BPCHAR, EnumSet.of(CHAR));
        ASSIGNMENT.put(NAME, EnumSet.of(VARCHAR, BPCHAR));
        ASSIGNMENT.put(CHAR, EnumSet.of(VARCHAR, BPCHAR));
        ASSIGNMENT.put(TIMESTAMP, EnumSet.of(DATE, TIME));
        ASSIGNMENT.put(TIMESTAMPTZ, EnumSet.of(DATE, TIME, TIMETZ, TIMESTAMP));
        ASSIGNMENT.put(INTERVAL, EnumSet.of(TIME));

        ASSIGNMENT.put(JSON, EnumSet.of(JSONB));
        ASSIGNMENT.put(JSONB, EnumSet.of(JSON));

        EXPLICIT.put(JSONB, EnumSet.of(BOOL, INT2, INT4, INT8, FLOAT4, FLOAT8, NUMERIC, WIDE_NUMERIC));
        EXPLICIT.put(INT4RANGE, EnumSet.of(INT4MULTIRANGE));
        EXPLICIT.put(INT8RANGE, EnumSet.of(INT8MULTIRANGE));
        EXPLICIT.put(NUMRANGE, EnumSet.of(NUMMULTIRANGE));
        EXPLICIT.put(DATERANGE, EnumSet.of(DATEMULTIRANGE));
        EXPLICIT.put(TSRANGE, EnumSet.of(TSMULTIRANGE));
        EXPLICIT.put(TSTZRANGE, EnumSet.of(TSTZMULTIRANGE));
        EXPLICIT.put(INT2, EnumSet.of(BYTEA));
        EXPLICIT.put(INT8, EnumSet.of(BYTEA, BIT));
        EXPLICIT.put(BIT, EnumSet.of(INT4, INT8));
        EXPLICIT.put(BYTEA, EnumSet.of(INT2, INT4, INT8));
        EXPLICIT.put(INT4, EnumSet.of(BOOL, CHAR, BYTEA, BIT));
        EXPLICIT.put(BOOL, EnumSet.of(INT4));
        EXPLICIT.put(CHAR, EnumSet.of(INT4));

        for (SqlType type : values()) {
            if (type.pgType != null) {
                if (type != OTHER && type != WIDE_NUMERIC && (!type.pgType.isArray() || type.pgType.isVector())) {
                    BY_NAME.put(type.pgType.typeName(), type);
                }
                BY_PG_TYPE.put(type.pgType, type);
            }
        }
        BY_NAME.remove("char"); // Only "char" in quotes is that type.
        BY_NAME.put("bit varying", VARBIT);
        BY_NAME.put("boolean", BOOL);
        BY_NAME.put("smallint", INT2);
        BY_NAME.put("int", INT4);
        BY_NAME.put("integer", INT4);
        BY_NAME.put("bigint", INT8);
        BY_NAME.put("real", FLOAT4);
        BY_NAME.put("double precision", FLOAT8);
        BY_NAME.put("decimal", NUMERIC);
        BY_NAME.put("dec", NUMERIC);
        BY_NAME.put("character varying", VARCHAR);
        BY_NAME.put("char varying", VARCHAR);
        BY_NAME.put("national character varying", VARCHAR);
        BY_NAME.put("national char varying", VARCHAR);
        BY_NAME.put("char", BPCHAR);
        BY_NAME.put("character", BPCHAR);
        BY_NAME.put("nchar", BPCHAR);
        BY_NAME.put("national character", BPCHAR);
        BY_NAME.put("national char", BPCHAR);
    }

    /// The type by PostgreSQL's name or an alias of SQL's, in lower case; null for others.
    public static SqlType byName(String name) {
        return BY_NAME.get(name);
    }

    public static SqlType of(PgType type) {
        SqlType known = BY_PG_TYPE.get(type);
        if (known == null) {
            throw new IllegalArgumentException("no SQL type for " + type);
        }
        return known;
    }

    /// PostgreSQL's type, or null for RECORD and ARRAY, which no column has.
    public PgType pgType() {
        return pgType;
    }

    /// Whether values are arrays, which are held as text.
    public boolean isArray() {
        return category == Category.ARRAY;
    }

    /// The type of an array's elements.
    public SqlType element() {
        return of(pgType.element());
    }

    /// The type of its arrays; null where we have none.
    public SqlType array() {
        return pgType == null ? null : pgType.array().map(SqlType::of).orElse(null);
    }

    /// Whether values that are ordered by keys are equal if, and only if, their texts are: not so for arrays of what
    /// has several texts or forms (numbers, intervals), or blanks at the end that do not count.
    public boolean isEqualAsText() {
        return isArray() ? pgType.isEqualAsText() : form() != null && form().isEqualAsText();
    }

    /// How texts of it are read and order, where values are held as texts of a form of their own; else null.
    public ValueForm form() {
        return pgType == null ? null : pgType.form();
    }

    /// The type of what it is ranges of; null where it is none.
    public SqlType rangeOf() {
        return form() == null || form().rangeOf() == null ? null : of(form().rangeOf());
    }

    /// Whether values are ordered by keys that are made of their texts.
    public boolean isKeyed() {
        return isArray() && this != JSON_ARRAY || form() != null;
    }

    public Category category() {
        return category;
    }

    public boolean isPreferred() {
        return preferred;
    }

    public boolean isString() {
        return category == Category.STRING;
    }

    public boolean isInteger() {
        return this == INT2 || this == INT4 || this == INT8;
    }

    public boolean isFloat() {
        return this == FLOAT4 || this == FLOAT8;
    }

    /// Whether values are held as text.
    public boolean isText() {
        return isString() || this == CHAR;
    }

    /// Whether values are held as object identifiers.
    public boolean isObjectId() {
        return pgType != null && pgType.isObjectId();
    }

    /// `format_type()`'s name.
    public String displayName() {
        return switch (this) {
            case RECORD -> "record";
            case ARRAY -> "array";
            default -> pgType.formatName();
        };
    }

    /// The context of a conversion: within an expression, in an assignment to a column, or in an explicit cast.
    public enum Context {
        IMPLICIT,
        ASSIGNMENT,
        EXPLICIT
    }

    /// Whether PostgreSQL converts `this` to `target` in that context.
    public boolean convertsTo(SqlType target, Context context) {
        if (this == target) {
            return true;
        }
        if (this == UNKNOWN) {
            return target != RECORD && target != ARRAY;
        }
        if (target.isArray()) {
            return isArray() && !target.pgType.isVector()
                    ? element().convertsTo(target.element(), context)
                    : context == Context.EXPLICIT && isString();
        }
        if (target == UNKNOWN || category == Category.PSEUDO || target.category == Category.PSEUDO) {
            return false;
        }
        if (IMPLICIT.getOrDefault(this, Set.of()).contains(target)) {
            return true;
        }
        if (context == Context.IMPLICIT) {
            return false;
        }
        // Conversion by input and output text: to strings on assignment, from strings when asked.
        if (ASSIGNMENT.getOrDefault(this, Set.of()).contains(target) || target.isString()) {
            return true;
        }
        return context == Context.EXPLICIT
                && (EXPLICIT.getOrDefault(this, Set.of()).contains(target) || isString());
    }
}
