package dev.quarrel.calcite.sql.convert;

import dev.quarrel.calcite.parse.Positions;
import dev.quarrel.calcite.parse.PostgresTypeName;
import dev.quarrel.calcite.sql.type.SqlType;
import dev.quarrel.calcite.sql.type.SqlTypes;
import dev.quarrel.core.pg.IntervalFields;
import dev.quarrel.core.pg.PgType;
import dev.quarrel.core.pg.SecondDigits;
import dev.quarrel.core.type.OtherType;
import dev.quarrel.core.type.SqlState;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.apache.calcite.sql.SqlIdentifier;
import org.apache.calcite.sql.SqlNumericLiteral;

/// Resolves the types that a statement names, with their modifiers: `numeric(10,2)`, `interval day to second`.
///
/// - Source: PostgreSQL's `parse_type.c`, and what its types make of their modifiers (`numerictypmodin`).
public final class TypeNames {
    private static final int MAX_LENGTH = 10_485_760;

    /// Types that show an object's name: a cast to one is analysed, since clients ask so about empty tables.
    private static final Set<String> OBJECT_NAMES = Set.of("regoper", "regoperator");

    /// Types of PostgreSQL that Quarrel lacks; arrays have an underscore before the name.
    private static final Set<String> KNOWN = Set.of("""
            aclitem any anyarray anycompatible anycompatiblearray anycompatiblemultirange
            anycompatiblenonarray anycompatiblerange anyelement anyenum anymultirange anynonarray anyrange
            box cid circle cstring event_trigger fdw_handler gtsvector index_am_handler internal
            language_handler line lseg path pg_brin_bloom_summary pg_brin_minmax_multi_summary
            pg_ddl_command pg_dependencies pg_lsn pg_mcv_list pg_ndistinct pg_node_tree pg_snapshot point
            polygon record refcursor regconfig regdictionary regoper regoperator
            table_am_handler tid trigger tsm_handler tsquery tsvector txid_snapshot
            unknown void xid xid8 xml

            """.strip().split("\\s+"));

    /// PG-Strom's type of numbers of 16 bits, which are held as reals.
    private static final String HALF = "float2";

    private final StatementText statement;
    private final EnumTypes enums;
    private final boolean wideNumerics;

    /// @param wideNumerics whether all numerics may have any number of digits
    TypeNames(StatementText statement, EnumTypes enums, boolean wideNumerics) {
        this.wideNumerics = wideNumerics;
        this.statement = statement;
        this.enums = enums;
    }

    EnumTypes enums() {
        return enums;
    }

    /// A type with its modifier; for an array's type that of its elements.
    ///
    /// @param type null for a name type that is only analysed
    /// @param other the enum where `type` is OTHER, or an array of one; otherwise null
    public record Target(SqlType type, int typmod, PostgresTypeName written, OtherType other) {
        Target(SqlType type, int typmod, PostgresTypeName written) {
            this(type, typmod, written, null);
        }

        /// Whether numbers are rounded to 16 bits.
        boolean isHalf() {
            return type == SqlType.FLOAT4 && written != null && written.name().equals(HALF);
        }
    }

    /// - Errors: 42704 for an unknown name, 0A000 for one that Quarrel lacks, 22023 for bad modifiers.
    public Target target(PostgresTypeName written) {
        int at = Positions.start(written.getTypeName());
        String name = written.name();
        SqlType type = written.isQuoted() && name.equals("char") ? SqlType.CHAR : SqlType.byName(name);
        boolean isElsewhere = written.schema() != null && !written.schema().equals("pg_catalog");
        boolean isKnown = type != null || KNOWN.contains(name) || OBJECT_NAMES.contains(name) || name.equals(HALF);
        if (isElsewhere || !isKnown) {
            OtherType found = enums.find(written.schema(), name);
            if (found != null) {
                typmod(SqlType.OTHER, written, at);
                return new Target(written.dimensions() > 0 ? SqlType.ARRAY : SqlType.OTHER, -1, written, found);
            }
        }
        if (isElsewhere && !enums.hasSchema(written.schema())) {
            throw statement.error(
                    SqlState.INVALID_SCHEMA_NAME, at, "schema \"" + written.schema() + "\" does not exist");
        }
        if (isElsewhere) {
            throw statement.error(
                    SqlState.UNDEFINED_OBJECT, at, "type \"" + written.schema() + "." + name + "\" does not exist");
        }
        if (name.equals("float")) {
            type = floatType(written, at);
        }
        if (name.equals(HALF) && written.dimensions() == 0) {
            return new Target(SqlType.FLOAT4, typmod(SqlType.FLOAT4, written, at), written);
        }
        if (name.equals("timestamp") && Boolean.TRUE.equals(written.withTimeZone())) {
            type = SqlType.TIMESTAMPTZ;
        }
        if (name.equals("time") && Boolean.TRUE.equals(written.withTimeZone())) {
            type = SqlType.TIMETZ;
        }
        if (type == null && OBJECT_NAMES.contains(name) && written.dimensions() == 0) {
            return new Target(null, -1, written);
        }
        if (type == null && name.startsWith("_")) {
            // The type of arrays of a type has its name in the catalog.
            SqlType element = SqlType.byName(name.substring(1));
            SqlType array = element == null ? null : element.array();
            if (array != null && written.dimensions() > 0) {
                throw statement.error(SqlState.UNDEFINED_OBJECT, at, "type \"" + name + "[]\" does not exist");
            }
            if (array != null && written.modifiers().isEmpty() && !name.equals("_char")) {
                SqlIdentifier named = new SqlIdentifier(
                        name.substring(1), written.getTypeName().getParserPosition());
                return target(new PostgresTypeName(named, List.of(), null, 1, written.getParserPos()));
            }
        }
        if (type == null) {
            boolean isArray = name.startsWith("_")
                    && (KNOWN.contains(name.substring(1)) || SqlType.byName(name.substring(1)) != null);
            throw isArray || KNOWN.contains(name)
                    ? statement.unsupported(at, "type " + name)
                    : statement.error(SqlState.UNDEFINED_OBJECT, at, "type \"" + name + "\" does not exist");
        }
        if (written.dimensions() > 0) {
            SqlType array = type.array();
            return new Target(array == null ? SqlType.ARRAY : array, typmod(type, written, at), written);
        }
        int typmod = typmod(type, written, at);
        boolean isWide = type == SqlType.NUMERIC && (wideNumerics || SqlTypes.isWideTypmod(typmod));
        return new Target(isWide ? SqlType.WIDE_NUMERIC : type, typmod, written);
    }

    private SqlType floatType(PostgresTypeName written, int at) {
        if (written.modifiers().isEmpty()) {
            return SqlType.FLOAT8;
        }
        int bits = modifier(written, 0, at);
        if (bits < 1 || bits > 53) {
            throw statement.error(
                    SqlState.INVALID_PARAMETER_VALUE,
                    at,
                    bits < 1
                            ? "precision for type float must be at least 1 bit"
                            : "precision for type float must be less than 54 bits");
        }
        return bits < 25 ? SqlType.FLOAT4 : SqlType.FLOAT8;
    }

    private int typmod(SqlType type, PostgresTypeName written, int at) {
        boolean isPlain = written.modifiers().isEmpty();
        return switch (type) {
            case BPCHAR, VARCHAR -> lengthTypmod(type, written, at);
            case NUMERIC -> isPlain ? -1 : decimalTypmod(written, at);
            case INTERVAL -> intervalTypmod(written, at);
            case BIT, VARBIT -> bitTypmod(type, written, at);
            case TIME, TIMETZ, TIMESTAMP, TIMESTAMPTZ ->
                isPlain ? -1 : Math.min(modifier(written, 0, at), SecondDigits.MAX);
            default -> {
                if (!isPlain && !written.name().equals("float")) {
                    throw statement.error(
                            SqlState.SYNTAX_ERROR,
                            at,
                            "type modifier is not allowed for type \"" + written.name() + "\"");
                }
                yield -1;
            }
        };
    }

    private int lengthTypmod(SqlType type, PostgresTypeName written, int at) {
        if (written.modifiers().isEmpty()) {
            // CHAR is CHAR(1), but bpchar has no length.
            return type == SqlType.BPCHAR && !written.name().equals("bpchar") ? SqlTypes.lengthTypmod(1) : -1;
        }
        int length = modifier(written, 0, at);
        String name = type == SqlType.BPCHAR ? "char" : "varchar";
        if (length < 1) {
            throw statement.error(
                    SqlState.INVALID_PARAMETER_VALUE, at, "length for type " + name + " must be at least 1");
        }
        if (length > MAX_LENGTH) {
            throw statement.error(
                    SqlState.INVALID_PARAMETER_VALUE, at, "length for type " + name + " cannot exceed " + MAX_LENGTH);
        }
        return SqlTypes.lengthTypmod(length);
    }

    private int bitTypmod(SqlType type, PostgresTypeName written, int at) {
        if (written.modifiers().isEmpty()) {
            // BIT is BIT(1), but "bit" has no length.
            return type == SqlType.BIT && !written.isQuoted() ? 1 : -1;
        }
        int length = modifier(written, 0, at);
        String name = type == SqlType.BIT ? "bit" : "varbit";
        if (length < 1 || length > MAX_LENGTH * 8) {
            throw statement.error(
                    SqlState.INVALID_PARAMETER_VALUE,
                    at,
                    length < 1
                            ? "length for type " + name + " must be at least 1"
                            : "length for type " + name + " cannot exceed " + MAX_LENGTH * 8);
        }
        return length;
    }

    private int decimalTypmod(PostgresTypeName written, int at) {
        int precision = modifier(written, 0, at);
        int scale = written.modifiers().size() > 1 ? modifier(written, 1, at) : 0;
        if (precision < 1 || precision > 1_000) {
            throw statement.error(
                    SqlState.INVALID_PARAMETER_VALUE,
                    at,
                    "NUMERIC precision " + precision + " must be between 1 and 1000");
        }
        if (scale < -1_000 || scale > 1_000) {
            throw statement.error(
                    SqlState.INVALID_PARAMETER_VALUE, at, "NUMERIC scale " + scale + " must be between -1000 and 1000");
        }
        return PgType.numericTypmod(precision, scale);
    }

    private int modifier(PostgresTypeName written, int index, int at) {
        if (written.modifiers().get(index) instanceof SqlNumericLiteral literal && literal.isInteger()) {
            return literal.intValue(true);
        }
        throw statement.error(SqlState.SYNTAX_ERROR, at, "type modifiers must be simple constants or identifiers");
    }

    /// `interval day to second(3)`: which fields the value keeps.
    private int intervalTypmod(PostgresTypeName written, int at) {
        List<String> fields = new ArrayList<>();
        int digits = -1;
        for (int index = 0; index < written.modifiers().size(); index++) {
            if (written.modifiers().get(index) instanceof SqlIdentifier field) {
                fields.add(field.getSimple());
            } else {
                digits = modifier(written, index, at);
            }
        }
        int typmod = IntervalFields.typmod(IntervalFields.text(fields), digits);
        if (typmod < 0 && !fields.isEmpty()) {
            throw statement.error(SqlState.SYNTAX_ERROR, at, "invalid INTERVAL type modifier");
        }
        return typmod;
    }
}
