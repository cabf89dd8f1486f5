package dev.quarrel.calcite.sql.convert;

import dev.quarrel.calcite.sql.type.RexMaker;
import dev.quarrel.calcite.sql.type.SqlType;
import dev.quarrel.core.ir.Literal;
import dev.quarrel.core.json.JsonValue;
import dev.quarrel.core.json.path.JsonPathExpression;
import dev.quarrel.core.pg.ArrayInput;
import dev.quarrel.core.pg.ArrayText;
import dev.quarrel.core.pg.Identifiers;
import dev.quarrel.core.pg.PgParse;
import dev.quarrel.core.pg.PgText;
import dev.quarrel.core.pg.SecondDigits;
import dev.quarrel.core.pg.TextBuffer;
import dev.quarrel.core.type.Bytes;
import dev.quarrel.core.type.DataType;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;
import java.math.BigDecimal;
import org.apache.calcite.rex.RexNode;

/// Reads constants of a known type from their texts in the statement; "now" and "today" are those of the
/// transaction that analyzes it, as PostgreSQL has it, so that the engine keeps no plan of such a statement.
///
/// - Source: the input functions of PostgreSQL's types (`boolin`, `timestamp_in`, `regclassin`).
final class TypedLiterals {
    private final StatementText statement;
    private final Conversions conversions;
    private final ArrayLiterals arrays;
    private final RexMaker maker;
    private final ObjectIds objectIds;
    private final PgParse.Moment moment;

    TypedLiterals(
            StatementText statement,
            Conversions conversions,
            ArrayLiterals arrays,
            RexMaker maker,
            ObjectIds objectIds,
            PgParse.Moment moment) {
        this.statement = statement;
        this.conversions = conversions;
        this.arrays = arrays;
        this.maker = maker;
        this.objectIds = objectIds;
        this.moment = moment;
    }

    /// - Errors: 22P02 and the like, without a position, as the type's input function has it.
    RexNode read(String text, SqlType type, int typmod, int at) {
        return switch (type) {
            case BOOL -> maker.literal(PgParse.bool(text));
            case INT2 -> maker.integer(PgParse.int2(text), type);
            case INT4 -> maker.integer(PgParse.int4(text), type);
            case INT8 -> maker.integer(PgParse.int8(text), type);
            case OID -> maker.integer(PgParse.oid(text), type);
            case REGPROC, REGPROCEDURE, REGCLASS, REGTYPE, REGNAMESPACE, REGROLE, REGCOLLATION ->
                maker.integer(objectId(text, type, at), type);
            case FLOAT4 -> maker.float4(PgParse.float4(text));
            case FLOAT8 -> maker.float8(PgParse.float8(text));
            case NUMERIC -> {
                RexNode number =
                        switch (PgParse.numeric(text)) {
                            case BigDecimal digits -> decimal(digits);
                            case Object special -> underCast(special.toString(), type);
                        };
                yield typmod < 0 ? number : maker.cast(maker.rel(type, typmod), number);
            }
            case DATE -> date(text);
            case TIMESTAMP, TIMESTAMPTZ -> timestamp(text, type, typmod);
            case UUID -> underCast(PgParse.uuid(text).toString(), type);
            case BYTEA -> underCast(Bytes.of(PgParse.bytea(text)).toString(), type);
            case NAME -> maker.string(PgParse.name(text), maker.rel(type));
            case TEXT, UNKNOWN -> maker.string(text, maker.rel(type));
            case JSON -> maker.string(PgParse.json(text), maker.rel(type));
            case JSONB -> maker.string(JsonValue.read(text).text(), maker.rel(type));
            case JSONPATH -> maker.string(JsonPathExpression.stored(text), maker.rel(type));
            case CHAR -> maker.string(PgParse.character(text), maker.rel(type));
            case VARCHAR, BPCHAR -> {
                RexNode plain = maker.string(text, maker.rel(type));
                yield typmod < 0 ? plain : maker.cast(maker.rel(type, typmod), plain);
            }
            case TIME -> {
                long micros =
                        SecondDigits.roundTime(PgParse.time(text, moment), typmod < 0 ? SecondDigits.MAX : typmod);
                yield underCast(PgText.text(new Literal(DataType.TIME, micros)), type);
            }
            case INTERVAL -> underCast(PgText.constant(PgParse.interval(text, typmod, moment.intervals())), type);
            default -> {
                if (type.form() != null) {
                    yield formed(text, type, typmod, at);
                }
                if (!type.isArray()) {
                    throw statement.unsupported(at, "a literal of type " + type.displayName());
                }
                yield type.pgType().element().isObjectName()
                        ? objectIds(text, type, at)
                        : arrays.read(text, type, typmod);
            }
        };
    }

    private RexNode formed(String text, SqlType type, int typmod, int at) {
        if (type == SqlType.WIDE_NUMERIC && typmod >= 0) {
            // The modifier is a function's, whose errors point nowhere.
            Expr.Value number = new Expr.Value(formed(text, type, -1, at), type, at);
            return conversions.modified(number, type, typmod).rex();
        }
        return maker.string(type.form().read(text, typmod, moment), maker.rel(type));
    }

    /// The literal, or the day's text under a cast, if Calcite has no such literal.
    private RexNode date(String text) {
        int day = PgParse.date(text, moment);
        RexNode literal = maker.date(day);
        return literal != null ? literal : underCast(PgText.text(new Literal(DataType.DATE, (long) day)), SqlType.DATE);
    }

    private RexNode timestamp(String text, SqlType type, int typmod) {
        long exact = type == SqlType.TIMESTAMP ? PgParse.timestamp(text, moment) : PgParse.timestampTz(text, moment);
        long micros = typmod < 0 ? exact : SecondDigits.roundTimestamp(exact, typmod);
        RexNode literal = maker.timestamp(micros, type);
        return literal != null
                ? literal
                : underCast(PgText.text(new Literal(type.pgType().dataType(), micros)), type);
    }

    /// - Errors: 22003 for more digits than Quarrel holds.
    RexNode decimal(BigDecimal value) {
        if (value.precision() - Math.min(value.scale(), 0) > 38 || value.scale() > 38) {
            throw new QueryException(SqlState.NUMERIC_VALUE_OUT_OF_RANGE, "value overflows numeric format")
                    .withDetail("Quarrel holds numeric values of at most 38 digits.")
                    .ofNarrowNumerics();
        }
        return maker.decimal(value);
    }

    /// Calcite has no such literals: a constant is the text, read when the plan is made.
    private RexNode underCast(String text, SqlType type) {
        return maker.cast(maker.rel(type), maker.string(text, maker.rel(SqlType.TEXT)));
    }

    /// An array of objects' names is one of their numbers.
    private RexNode objectIds(String text, SqlType type, int at) {
        ArrayText.Nested read = ArrayInput.parse(text, each -> Long.toString(objectId(each, type.element(), at)));
        TextBuffer out = new TextBuffer();
        read.append(out, out::appendAscii);
        return maker.string(out.toString(), maker.rel(type));
    }

    private long objectId(String text, SqlType type, int at) {
        if (text.matches("\\d+")) {
            return PgParse.oid(text);
        }
        long id = objectIds.find(type.pgType(), text);
        if (id >= 0) {
            return id;
        }
        boolean isFunction = type == SqlType.REGPROC || type == SqlType.REGPROCEDURE;
        String name = isFunction ? text : String.join(".", Identifiers.parts(text));
        String missing = " \"" + name + "\" does not exist";
        throw switch (type) {
            case REGCLASS -> statement.error(SqlState.UNDEFINED_TABLE, at, "relation" + missing);
            case REGPROC, REGPROCEDURE -> statement.error(SqlState.UNDEFINED_FUNCTION, at, "function" + missing);
            case REGNAMESPACE -> statement.error(SqlState.INVALID_SCHEMA_NAME, at, "schema" + missing);
            case REGROLE -> statement.error(SqlState.UNDEFINED_OBJECT, at, "role" + missing);
            case REGCOLLATION -> statement.error(SqlState.UNDEFINED_OBJECT, at, "collation" + missing);
            default -> statement.error(SqlState.UNDEFINED_OBJECT, at, "type" + missing);
        };
    }
}
