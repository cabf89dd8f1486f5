package dev.quarrel.calcite.sql;

import dev.quarrel.calcite.parse.Positions;
import dev.quarrel.calcite.parse.PostgresTypeName;
import dev.quarrel.core.ir.Literal;
import dev.quarrel.core.ir.Opcode;
import dev.quarrel.core.pg.ArrayText;
import dev.quarrel.core.pg.IntervalFields;
import dev.quarrel.core.pg.PgParse;
import dev.quarrel.core.pg.PgText;
import dev.quarrel.core.pg.PgType;
import dev.quarrel.core.pg.SecondDigits;
import dev.quarrel.core.type.Bytes;
import dev.quarrel.core.type.DataType;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.apache.calcite.rel.type.RelDataType;
import org.apache.calcite.rex.RexCall;
import org.apache.calcite.rex.RexLiteral;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.sql.SqlIdentifier;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.SqlNode;
import org.apache.calcite.sql.SqlNumericLiteral;
import org.apache.calcite.sql.fun.SqlStdOperatorTable;
import org.apache.calcite.sql.type.SqlTypeName;
import org.apache.calcite.util.NlsString;

/// Converts expressions to types: implicitly where PostgreSQL does, explicitly for casts.
///
/// - Source: PostgreSQL's `parse_coerce.c`.
final class Conversions {
    private static final Set<String> TIME_DEPENDENT = Set.of("now", "today", "tomorrow", "yesterday");
    private static final int MAX_LENGTH = 10_485_760;

    private final Analysis analysis;
    private final RexMaker maker;

    Conversions(Analysis analysis) {
        this.analysis = analysis;
        this.maker = analysis.maker();
    }

    /// A type with its modifier.
    ///
    /// @param type null for a name type that is only analysed
    record Target(SqlType type, int typmod, PostgresTypeName written) {}

    /// - Errors: 42704 for an unknown name, 0A000 for one that Quarrel lacks, 22023 for bad modifiers.
    Target target(PostgresTypeName written) {
        int at = written.getTypeName().getParserPosition().getColumnNum() - 1;
        String name = written.name();
        SqlType type = written.isQuoted() && name.equals("char") ? SqlType.CHAR : SqlType.byName(name);
        if (written.schema() != null && !written.schema().equals("pg_catalog")) {
            throw analysis.error(
                    SqlState.UNDEFINED_OBJECT, at, "type \"" + written.schema() + "." + name + "\" does not exist");
        }
        if (name.equals("float")) {
            type = floatType(written, at);
        }
        if (name.equals("timestamp") && Boolean.TRUE.equals(written.withTimeZone())) {
            type = SqlType.TIMESTAMPTZ;
        }
        if (name.equals("time") && Boolean.TRUE.equals(written.withTimeZone())) {
            throw analysis.unsupported(at, "type time with time zone");
        }
        if (type == null && OBJECT_NAMES.contains(name) && written.dimensions() == 0) {
            return new Target(null, -1, written);
        }
        if (type == null) {
            throw KNOWN.contains(name)
                    ? analysis.unsupported(at, "type " + name)
                    : analysis.error(SqlState.UNDEFINED_OBJECT, at, "type \"" + name + "\" does not exist");
        }
        if (written.dimensions() > 0) {
            return new Target(SqlType.ARRAY, -1, written);
        }
        return new Target(type, typmod(type, written, at), written);
    }

    /// Types that show an object's name: a cast to one is analysed, since clients ask so about empty tables.
    private static final Set<String> OBJECT_NAMES =
            Set.of("regnamespace", "regrole", "regoper", "regoperator", "regprocedure", "regcollation");

    private static final Set<String> KNOWN = Set.of(
            "timetz",
            "json",
            "jsonb",
            "xml",
            "money",
            "bit",
            "varbit",
            "bit varying",
            "inet",
            "cidr",
            "macaddr",
            "point",
            "line",
            "box",
            "path",
            "polygon",
            "circle",
            "tsvector",
            "tsquery",
            "int2vector",
            "oidvector",
            "xid",
            "cid",
            "tid",
            "regoper",
            "regoperator",
            "regprocedure",
            "regnamespace",
            "regrole",
            "regconfig",
            "regdictionary",
            "regcollation",
            "record",
            "void",
            "pg_lsn",
            "int4range",
            "int8range",
            "numrange",
            "tsrange",
            "tstzrange",
            "daterange",
            "_text",
            "_int4",
            "_name",
            "_oid",
            "anyarray",
            "refcursor");

    private SqlType floatType(PostgresTypeName written, int at) {
        if (written.modifiers().isEmpty()) {
            return SqlType.FLOAT8;
        }
        int bits = modifier(written, 0, at);
        if (bits < 1 || bits > 53) {
            throw analysis.error(
                    SqlState.INVALID_PARAMETER_VALUE,
                    at,
                    bits < 1
                            ? "precision for type float must be at least 1 bit"
                            : "precision for type float must be less than 54 bits");
        }
        return bits < 25 ? SqlType.FLOAT4 : SqlType.FLOAT8;
    }

    private int typmod(SqlType type, PostgresTypeName written, int at) {
        List<SqlNode> modifiers = written.modifiers();
        switch (type) {
            case BPCHAR, VARCHAR -> {
                if (modifiers.isEmpty()) {
                    // CHAR is CHAR(1), but bpchar has no length.
                    return type == SqlType.BPCHAR && !written.name().equals("bpchar") ? SqlTypes.lengthTypmod(1) : -1;
                }
                int length = modifier(written, 0, at);
                String name = type == SqlType.BPCHAR ? "char" : "varchar";
                if (length < 1) {
                    throw analysis.error(
                            SqlState.INVALID_PARAMETER_VALUE, at, "length for type " + name + " must be at least 1");
                }
                if (length > MAX_LENGTH) {
                    throw analysis.error(
                            SqlState.INVALID_PARAMETER_VALUE,
                            at,
                            "length for type " + name + " cannot exceed " + MAX_LENGTH);
                }
                return SqlTypes.lengthTypmod(length);
            }
            case NUMERIC -> {
                if (modifiers.isEmpty()) {
                    return -1;
                }
                int precision = modifier(written, 0, at);
                int scale = modifiers.size() > 1 ? modifier(written, 1, at) : 0;
                if (precision < 1 || precision > 1_000) {
                    throw analysis.error(
                            SqlState.INVALID_PARAMETER_VALUE,
                            at,
                            "NUMERIC precision " + precision + " must be between 1 and 1000");
                }
                if (precision > 38 || scale < 0 || scale > precision) {
                    throw analysis.unsupported(at, "numeric(" + precision + "," + scale + ")");
                }
                return SqlTypes.decimalTypmod(precision, scale);
            }
            case INTERVAL -> {
                return intervalTypmod(written, at);
            }
            case TIME, TIMESTAMP, TIMESTAMPTZ -> {
                return modifiers.isEmpty() ? -1 : Math.min(modifier(written, 0, at), SecondDigits.MAX);
            }
            default -> {
                if (!modifiers.isEmpty() && !written.name().equals("float")) {
                    throw analysis.error(
                            SqlState.SYNTAX_ERROR,
                            at,
                            "type modifier is not allowed for type \"" + written.name() + "\"");
                }
                return -1;
            }
        }
    }

    private int modifier(PostgresTypeName written, int index, int at) {
        if (written.modifiers().get(index) instanceof SqlNumericLiteral literal && literal.isInteger()) {
            return literal.intValue(true);
        }
        throw analysis.error(SqlState.SYNTAX_ERROR, at, "type modifiers must be simple constants or identifiers");
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
            throw analysis.error(SqlState.SYNTAX_ERROR, at, "invalid INTERVAL type modifier");
        }
        return typmod;
    }

    /// A cast that the statement asks for.
    ///
    /// @param at where PostgreSQL points: at `::` or CAST
    Expr cast(Expr expr, Target target, int at) {
        SqlType type = target.type();
        if (type == null && expr.type() == SqlType.UNKNOWN) {
            throw analysis.unsupported(at, "type " + target.written().name());
        }
        if (type == null) {
            RexNode name = maker.call(
                    PostgresFunctions.OBJECT_NAME,
                    maker.rel(SqlType.TEXT),
                    resolved(expr).rex());
            return new Expr.Value(name, SqlType.TEXT, at);
        }
        if (type == SqlType.ARRAY) {
            return array(expr, target, at);
        }
        if (!expr.type().convertsTo(type, SqlType.Context.EXPLICIT)) {
            throw cannotCast(expr.type(), type, at);
        }
        return convert(expr, type, target.typmod(), SqlType.Context.EXPLICIT).at(at);
    }

    private QueryException cannotCast(SqlType from, SqlType to, int at) {
        if (from == SqlType.RECORD) {
            return analysis.unsupported(at, "a cast of a row value");
        }
        return analysis.error(
                SqlState.CANNOT_COERCE, at, "cannot cast type " + from.displayName() + " to " + to.displayName());
    }

    /// `'{a,b}'::text[]`, or ARRAY[…]::text[].
    private Expr array(Expr expr, Target target, int at) {
        PostgresTypeName written = target.written();
        PostgresTypeName element = new PostgresTypeName(
                written.getTypeName(), written.modifiers(), written.withTimeZone(), 0, written.getParserPos());
        Target elementTarget = target(element);
        List<Expr> items =
                switch (expr) {
                    case Expr.Array(List<Expr> inner, SqlType _, int _) -> inner;
                    case Expr.Text(String text, int textAt) -> arrayItems(text, textAt);
                    case Expr.Value value
                    when value.type() == SqlType.TEXT
                            || value.type().isArray()
                                    && value.type().pgType().element()
                                            == elementTarget.type().pgType() -> null;
                    default -> throw analysis.unsupported(at, "an array that is not a constant");
                };
        if (items == null) {
            return expr; // An array that is held as text stays so.
        }
        List<Expr> converted = new ArrayList<>();
        for (Expr item : items) {
            converted.add(cast(item, elementTarget, at));
        }
        return new Expr.Array(converted, elementTarget.type(), at);
    }

    List<Expr> arrayItems(String text, int at) {
        String trimmed = text.trim();
        if (!trimmed.startsWith("{") || !trimmed.endsWith("}")) {
            throw analysis.error(SqlState.INVALID_TEXT_REPRESENTATION, at, "malformed array literal: \"" + text + "\"")
                    .withDetail("Array value must start with \"{\" or dimension information.");
        }
        List<Expr> items = new ArrayList<>();
        StringBuilder item = new StringBuilder();
        boolean quoted = false;
        boolean wasQuoted = false;
        String body = trimmed.substring(1, trimmed.length() - 1);
        for (int index = 0; index <= body.length(); index++) {
            char each = index < body.length() ? body.charAt(index) : ',';
            if (index == body.length() && quoted || each == '{' && !quoted) {
                throw analysis.unsupported(at, "this array literal");
            }
            if (each == '"') {
                quoted = !quoted;
                wasQuoted = true;
            } else if (each == '\\' && index + 1 < body.length()) {
                item.append(body.charAt(++index));
            } else if (each == ',' && !quoted) {
                String value = wasQuoted ? item.toString() : item.toString().trim();
                if (!body.isEmpty()) {
                    items.add(
                            !wasQuoted && value.equalsIgnoreCase("null")
                                    ? new Expr.Null(at)
                                    : new Expr.Text(value, at));
                }
                item.setLength(0);
                wasQuoted = false;
            } else {
                item.append(each);
            }
        }
        return items;
    }

    /// Converts as an operator's or function's argument is; the caller has checked that it may be.
    Expr.Value implicit(Expr expr, SqlType type) {
        return convert(expr, type, -1, SqlType.Context.IMPLICIT);
    }

    Expr.Value convert(Expr expr, SqlType type, int typmod, SqlType.Context context) {
        return switch (expr) {
            case Expr.Text(String text, int at) -> {
                try {
                    yield new Expr.Value(literal(text, type, typmod, at), type, typmod, at);
                } catch (QueryException e) {
                    throw analysis.located(e, at);
                }
            }
            case Expr.Null(int at) -> new Expr.Value(maker.nullOf(maker.rel(type, typmod)), type, typmod, at);
            case Expr.Parameter parameter -> {
                if (type == SqlType.OTHER) {
                    throw analysis.unsupported(parameter.at(), "a parameter here, of a type held as text");
                }
                analysis.setParameterType(parameter, type);
                Expr.Value value = parameter(parameter, type);
                yield typmod < 0 ? value : modified(value, type, typmod, context);
            }
            case Expr.Value value -> convert(value, type, typmod, context);
            case Expr.Row(List<Expr> _, int at) -> throw analysis.unsupported(at, "a row value here");
            case Expr.Array array -> {
                if (!type.isArray()) {
                    throw analysis.unsupported(array.at(), "an array here");
                }
                yield array(array, type);
            }
        };
    }

    /// The text that PostgreSQL's output function gives: other than the cast's for booleans, and for char(n), which
    /// keeps its blanks.
    RexNode output(Expr.Value value) {
        RexNode rex = value.rex();
        return switch (value.type()) {
            case BOOL -> {
                RelDataType text = maker.nullable(
                        maker.rel(SqlType.TEXT), value.rex().getType().isNullable());
                yield maker.builder()
                        .makeCall(
                                text,
                                SqlStdOperatorTable.CASE,
                                List.of(
                                        maker.notNull(SqlStdOperatorTable.IS_TRUE, maker.bool(), rex),
                                        maker.string("t", maker.rel(SqlType.TEXT)),
                                        maker.notNull(SqlStdOperatorTable.IS_FALSE, maker.bool(), rex),
                                        maker.string("f", maker.rel(SqlType.TEXT)),
                                        maker.nullOf(maker.rel(SqlType.TEXT))));
            }
            case BPCHAR -> maker.call(PostgresFunctions.PADDED_TEXT, maker.rel(SqlType.TEXT), rex);
            default ->
                convert(value, SqlType.TEXT, -1, SqlType.Context.ASSIGNMENT).rex();
        };
    }

    Expr.Value parameter(Expr.Parameter parameter, SqlType type) {
        RelDataType rel = maker.nullable(maker.rel(type), true);
        return new Expr.Value(maker.builder().makeDynamicParam(rel, parameter.index()), type, parameter.at());
    }

    private Expr.Value convert(Expr.Value value, SqlType type, int typmod, SqlType.Context context) {
        if (value.type() == type && (typmod < 0 || typmod == value.typmod())) {
            return value;
        }
        if (typmod >= 0) {
            Expr.Value plain = value.type() == type ? value : convert(value, type, -1, context);
            return modified(plain, type, typmod, context);
        }
        SqlType from = value.type();
        RexNode rex = value.rex();
        boolean heldAlike = from.isText()
                && type.isText()
                && from != SqlType.BPCHAR
                && type != SqlType.BPCHAR
                && !(type == SqlType.CHAR || type == SqlType.NAME && from != SqlType.NAME);
        if (heldAlike) {
            return new Expr.Value(rex, type, value.at());
        }
        if (type == SqlType.CHAR || from == SqlType.CHAR && type == SqlType.INT4) {
            return new Expr.Value(
                    character(from, type, from == SqlType.BPCHAR ? output(value) : rex), type, value.at());
        }
        if (from == SqlType.BPCHAR && type == SqlType.BYTEA) {
            RexNode padded = output(value);
            return new Expr.Value(maker.cast(maker.rel(type), padded), type, value.at());
        }
        RexNode named = byFunction(from, type, rex);
        if (named != null) {
            return new Expr.Value(named, type, value.at());
        }
        return new Expr.Value(maker.cast(castTarget(from, type, rex), rex), type, value.at());
    }

    /// To or from `"char"`, which is held as its text.
    private RexNode character(SqlType from, SqlType type, RexNode rex) {
        if (type == SqlType.INT4) {
            return maker.builder().makeCall(CharacterFunctions.CODE, List.of(rex));
        }
        if (!from.isText()) {
            return maker.builder().makeCall(CharacterFunctions.OF_CODE, List.of(rex));
        }
        return rex instanceof RexLiteral literal && !literal.isNull()
                ? maker.string(PgParse.character(literal.getValueAs(String.class)), maker.rel(type))
                : maker.builder()
                        .makeCall(CharacterFunctions.OF_TEXT, List.of(maker.cast(maker.rel(SqlType.TEXT), rex)));
    }

    /// An object identifier's name, or the identifier of a name: functions know, if the engine was given them.
    ///
    /// - Errors: 0A000 without the function.
    private RexNode byFunction(SqlType from, SqlType type, RexNode rex) {
        boolean out = type.isText() && from.isObjectId() && from != SqlType.OID;
        boolean in = from.isText() && type.isObjectId() && type != SqlType.OID;
        if (!out && !in) {
            return null;
        }
        String name =
                out ? from.pgType().typeName() + "out" : "to_" + type.pgType().typeName();
        for (Signature signature : analysis.functions().named(name)) {
            if (signature.arguments().size() == 1) {
                return signature.build().apply(maker, List.of(rex));
            }
        }
        throw new QueryException(
                SqlState.FEATURE_NOT_SUPPORTED,
                "conversion of " + from.displayName() + " to " + type.displayName() + " is not supported");
    }

    /// numeric from an integer has scale 0 and enough digits; other sources bring their own scale.
    private RelDataType castTarget(SqlType from, SqlType type, RexNode rex) {
        if (type != SqlType.NUMERIC || !from.isInteger()) {
            return maker.rel(type);
        }
        if (rex instanceof org.apache.calcite.rex.RexLiteral literal && !literal.isNull()) {
            BigDecimal number = literal.getValueAs(BigDecimal.class);
            return maker.decimal(number.precision(), 0);
        }
        int digits =
                switch (from) {
                    case INT2 -> 5;
                    case INT4 -> 10;
                    default -> 19;
                };
        return maker.decimal(digits, 0);
    }

    private Expr.Value modified(Expr.Value value, SqlType type, int typmod, SqlType.Context context) {
        if (type == SqlType.INTERVAL) {
            return new Expr.Value(withModifier(Opcode.ADJUST_INTERVAL, value, typmod), type, typmod, value.at());
        }
        if (type == SqlType.TIME || type == SqlType.TIMESTAMP || type == SqlType.TIMESTAMPTZ) {
            RexNode rounded = typmod >= SecondDigits.MAX
                    ? value.rex()
                    : withModifier(type == SqlType.TIME ? Opcode.ROUND_TIME : Opcode.ROUND_TIMESTAMP, value, typmod);
            return new Expr.Value(rounded, type, typmod, value.at());
        }
        RelDataType target = maker.rel(type, typmod);
        return new Expr.Value(maker.cast(target, value.rex()), type, typmod, value.at());
    }

    /// Only the digits, or fields, that a modifier keeps.
    private RexNode withModifier(Opcode op, Expr.Value value, int typmod) {
        List<SqlType> arguments = List.of(value.type(), SqlType.INT4);
        return Operators.opcode(op, arguments, value.type())
                .apply(maker, List.of(value.rex(), maker.integer(typmod, SqlType.INT4)));
    }

    private RexNode literal(String text, SqlType type, int typmod, int at) {
        return switch (type) {
            case BOOL -> maker.literal(PgParse.bool(text));
            case INT2 -> maker.integer(PgParse.int2(text), type);
            case INT4 -> maker.integer(PgParse.int4(text), type);
            case INT8 -> maker.integer(PgParse.int8(text), type);
            case OID -> maker.integer(PgParse.oid(text), type);
            case REGCLASS, REGTYPE, REGPROC -> maker.integer(objectId(text, type, at), type);
            case FLOAT4 -> maker.float4(PgParse.float4(text));
            case FLOAT8 -> maker.float8(PgParse.float8(text));
            case NUMERIC -> {
                RexNode number = decimal(PgParse.numeric(text));
                yield typmod < 0 ? number : maker.cast(maker.rel(type, typmod), number);
            }
            case DATE -> moment(text, type, isFixed(text) ? maker.date(PgParse.date(text)) : null);
            case TIMESTAMP, TIMESTAMPTZ -> timestamp(text, type, typmod, at);
            case UUID -> read(PgParse.uuid(text).toString(), type);
            case BYTEA -> read(Bytes.of(PgParse.bytea(text)).toString(), type);
            case TEXT, NAME, UNKNOWN -> maker.string(text, maker.rel(type));
            case CHAR -> maker.string(PgParse.character(text), maker.rel(type));
            case VARCHAR, BPCHAR -> {
                RexNode plain = maker.string(text, maker.rel(type));
                yield typmod < 0 ? plain : maker.cast(maker.rel(type, typmod), plain);
            }
            case TIME -> {
                long micros = SecondDigits.roundTime(PgParse.time(text), typmod < 0 ? SecondDigits.MAX : typmod);
                yield isFixed(text)
                        ? read(PgText.text(new Literal(DataType.TIME, micros)), type)
                        : whenRun(text, type, typmod, at);
            }
            case INTERVAL ->
                read(
                        PgText.text(
                                new Literal(DataType.INTERVAL, PgParse.interval(text, typmod, moment().intervals()))),
                        type);
            default -> {
                if (!type.isArray()) {
                    throw analysis.unsupported(at, "a literal of type " + type.displayName());
                }
                yield ((Expr.Value) array(new Expr.Array(arrayItems(text, at), at), type)).rex();
            }
        };
    }

    private PgParse.Moment moment() {
        return analysis.context().moment();
    }

    private RexNode timestamp(String text, SqlType type, int typmod, int at) {
        if (!isFixed(text)) {
            return whenRun(text, type, typmod, at);
        }
        long exact = type == SqlType.TIMESTAMP ? PgParse.timestamp(text) : PgParse.timestampTz(text, moment());
        long micros = typmod < 0 ? exact : SecondDigits.roundTimestamp(exact, typmod);
        RexNode literal = maker.timestamp(micros, type);
        return literal != null
                ? literal
                : read(PgText.text(new Literal(type.pgType().dataType(), micros)), type);
    }

    /// A text that means another time whenever it is read.
    private RexNode whenRun(String text, SqlType type, int typmod, int at) {
        Expr.Value value = new Expr.Value(read(text, type), type, at);
        return typmod < 0
                ? value.rex()
                : modified(value, type, typmod, SqlType.Context.EXPLICIT).rex();
    }

    /// An array of constants, of the type that they have in common.
    ///
    /// - Errors: 0A000 as [#array] has it, and for an array without elements.
    Expr.Value array(Expr.Array array) {
        SqlType element = array.element() != null
                ? array.element()
                : array.items().isEmpty() ? null : commonTypeOrNull(array.items());
        PgType type = element == null || element.pgType() == null
                ? null
                : element.pgType().array().orElse(null);
        if (type == null) {
            throw analysis.unsupported(array.at(), "an array here");
        }
        return array(array, SqlType.of(type));
    }

    /// An array of constants as the array type's text.
    ///
    /// - Errors: 0A000 for an element that is no constant, or a type whose arrays are none of ours.
    Expr.Value array(Expr.Array array, SqlType type) {
        PgType element = type.pgType().element();
        List<String> texts = new ArrayList<>();
        for (Expr item : array.items()) {
            String text = constantText(item, array.at());
            // A value's text is the engine's own, whatever the session reads and shows.
            PgParse.Moment how = item instanceof Expr.Text ? moment() : PgParse.Moment.utc();
            boolean isPadded = element == PgType.BPCHAR && item instanceof Expr.Value;
            int typmod = isPadded ? ((Expr.Value) item).typmod() : PgType.NO_TYPMOD;
            texts.add(
                    text == null
                            ? null
                            : PgText.text(PgParse.literal(text, new PgType.Declared(element, typmod), how)));
        }
        return new Expr.Value(maker.string(ArrayText.format(texts), maker.rel(type)), type, array.at());
    }

    /// The text of a constant; null for NULL.
    private String constantText(Expr item, int at) {
        return switch (item) {
            case Expr.Text(String text, int _) -> text;
            case Expr.Null _ -> null;
            case Expr.Value value -> constantText(value.rex(), at);
            case Expr.Parameter _, Expr.Row _, Expr.Array _ ->
                throw analysis.unsupported(at, "an array of what is no constant");
        };
    }

    private String constantText(RexNode rex, int at) {
        if (rex instanceof RexLiteral literal) {
            if (literal.isNull()) {
                return null;
            }
            Comparable<?> value = literal.getValue();
            return switch (value) {
                case BigDecimal number -> number.toPlainString();
                case NlsString text -> text.getValue();
                default -> String.valueOf(value);
            };
        }
        // What Calcite has no literal of is a text under a cast.
        if (rex instanceof RexCall call
                && call.getKind() == SqlKind.CAST
                && call.getOperands().getFirst() instanceof RexLiteral text
                && SqlTypes.dataType(text.getType()) instanceof DataType.Utf8) {
            return constantText(text, at);
        }
        throw analysis.unsupported(at, "an array of what is no constant");
    }

    RexNode decimal(BigDecimal value) {
        if (value.precision() > 38 || value.scale() > 38) {
            throw new QueryException(SqlState.NUMERIC_VALUE_OUT_OF_RANGE, "value overflows numeric format")
                    .withDetail("Quarrel holds numeric values of at most 38 digits.");
        }
        return maker.decimal(value);
    }

    /// Whether a date's text means the same day whenever it is read.
    private static boolean isFixed(String text) {
        return !TIME_DEPENDENT.contains(text.trim().toLowerCase(Locale.ROOT));
    }

    /// The literal, or the text converted when the statement runs, if Calcite has no such literal.
    private RexNode moment(String text, SqlType type, RexNode literal) {
        return literal != null ? literal : maker.cast(maker.rel(type), maker.string(text, maker.rel(SqlType.TEXT)));
    }

    /// Calcite has no such literals: a constant is the text, read when the plan is made.
    private RexNode read(String text, SqlType type) {
        return maker.cast(maker.rel(type), maker.string(text, maker.rel(SqlType.TEXT)));
    }

    private long objectId(String text, SqlType type, int at) {
        if (text.matches("\\d+")) {
            return PgParse.oid(text);
        }
        long id = analysis.context().objectIds().find(type.pgType(), text);
        if (id >= 0) {
            return id;
        }
        SqlState state = type == SqlType.REGCLASS
                ? SqlState.UNDEFINED_TABLE
                : type == SqlType.REGPROC ? SqlState.UNDEFINED_FUNCTION : SqlState.UNDEFINED_OBJECT;
        String what = type == SqlType.REGCLASS ? "relation" : type == SqlType.REGPROC ? "function" : "type";
        throw analysis.error(state, at, what + " \"" + text + "\" does not exist");
    }

    /// The type that CASE, UNION, VALUES, … give their branches.
    ///
    /// - Errors: 42804 `what types a and b cannot be matched`.
    ///
    /// @param what the construct as the message names it
    SqlType commonType(List<? extends Expr> exprs, String what) {
        SqlType common = commonTypeOrNull(exprs);
        if (common != null) {
            return common;
        }
        SqlType first = null;
        for (Expr expr : exprs) {
            SqlType type = expr.type();
            if (type == SqlType.UNKNOWN) {
                continue;
            }
            if (first == null) {
                first = type;
            } else if (type.category() != first.category()) {
                throw analysis.error(
                        SqlState.DATATYPE_MISMATCH,
                        expr.at(),
                        what + " types " + first.displayName() + " and " + type.displayName() + " cannot be matched");
            }
        }
        throw new IllegalStateException("no common type, and no two that differ");
    }

    /// As [#commonType], but null where there is none.
    SqlType commonTypeOrNull(List<? extends Expr> exprs) {
        SqlType common = null;
        for (Expr expr : exprs) {
            SqlType type = expr.type();
            if (type == SqlType.UNKNOWN || type == common) {
                continue;
            }
            if (common == null) {
                common = type;
            } else if (type.category() != common.category()) {
                return null;
            } else if (!common.isPreferred()
                    && common.convertsTo(type, SqlType.Context.IMPLICIT)
                    && !type.convertsTo(common, SqlType.Context.IMPLICIT)) {
                common = type;
            }
        }
        return common == null ? SqlType.TEXT : common;
    }

    /// Converts all to `type` and to one RelDataType, so that any of them may stand for the result.
    ///
    /// - Errors: 42846 `what could not convert type a to b`.
    List<Expr.Value> unified(List<? extends Expr> exprs, SqlType type, String what) {
        List<Expr.Value> values = new ArrayList<>();
        for (Expr expr : exprs) {
            if (type == SqlType.RECORD) {
                throw analysis.unsupported(expr.at(), "a row value here");
            }
            if (!expr.type().convertsTo(type, SqlType.Context.IMPLICIT)) {
                throw analysis.error(
                        SqlState.CANNOT_COERCE,
                        expr.at(),
                        what + " could not convert type " + expr.type().displayName() + " to " + type.displayName());
            }
            values.add(implicit(expr, type));
        }
        return alike(values, type);
    }

    /// Gives values of one SqlType one RelDataType (but for nullability).
    List<Expr.Value> alike(List<Expr.Value> values, SqlType type) {
        int typmod = values.get(0).typmod();
        for (Expr.Value value : values) {
            if (value.typmod() != typmod) {
                typmod = -1;
            }
        }
        RelDataType target =
                switch (type) {
                    case NUMERIC -> commonNumeric(values);
                    case OTHER -> commonOther(values);
                    default -> maker.rel(type, typmod);
                };
        List<Expr.Value> result = new ArrayList<>();
        for (Expr.Value value : values) {
            RexNode rex = value.rex();
            if (rex.isA(org.apache.calcite.sql.SqlKind.LITERAL) && ((org.apache.calcite.rex.RexLiteral) rex).isNull()) {
                rex = maker.nullOf(target);
            } else {
                rex = retyped(rex, target, type);
            }
            result.add(new Expr.Value(rex, type, typmod, value.at()));
        }
        return result;
    }

    /// - Errors: 42804 where two types have only in common that their texts are held.
    private RelDataType commonOther(List<Expr.Value> values) {
        RelDataType common = null;
        for (Expr.Value value : values) {
            if (value.rex() instanceof RexLiteral literal && literal.isNull()) {
                continue;
            }
            RelDataType type = maker.nullable(value.rex().getType(), false);
            if (common != null && !common.equals(type)) {
                throw analysis.error(
                        SqlState.DATATYPE_MISMATCH,
                        value.at(),
                        "types " + SqlTypes.other(common) + " and " + SqlTypes.other(type) + " cannot be matched");
            }
            common = type;
        }
        return common == null ? maker.rel(SqlType.OTHER) : common;
    }

    private RexNode retyped(RexNode rex, RelDataType target, SqlType type) {
        if (type.isText() && rex instanceof org.apache.calcite.rex.RexLiteral literal) {
            String text = literal.getValueAs(String.class);
            return type == SqlType.BPCHAR
                            && target.getSqlTypeName() == SqlTypeName.CHAR
                            && !(target instanceof PostgresRelType)
                    ? maker.cast(target, rex)
                    : maker.string(text, target);
        }
        return maker.cast(target, rex);
    }

    /// A value's scale can be known only if it is the same in all branches.
    private RelDataType commonNumeric(List<Expr.Value> values) {
        int precision = 0;
        int scale = -1;
        for (Expr.Value value : values) {
            RelDataType type = value.rex().getType();
            boolean isNull = value.rex() instanceof org.apache.calcite.rex.RexLiteral literal && literal.isNull();
            if (isNull) {
                continue;
            }
            if (SqlTypes.isNumeric(type) || scale >= 0 && type.getScale() != scale) {
                return SqlTypes.numeric(maker.factory());
            }
            scale = type.getScale();
            precision = Math.max(precision, type.getPrecision());
        }
        return scale < 0 ? SqlTypes.numeric(maker.factory()) : maker.decimal(precision, scale);
    }

    /// A column of the result: what is still unknown becomes text.
    Expr.Value resolved(Expr expr) {
        if (expr.type() == SqlType.UNKNOWN) {
            return implicit(expr, SqlType.TEXT);
        }
        return switch (expr) {
            case Expr.Value value -> value;
            case Expr.Row(List<Expr> _, int at) -> throw analysis.unsupported(at, "a row value in the result");
            case Expr.Array array -> array(array);
            case Expr.Text _, Expr.Null _, Expr.Parameter _ -> throw new IllegalStateException("unknown has a type");
        };
    }

    /// A condition of WHERE, ON, HAVING, WHEN, AND, OR, NOT.
    ///
    /// - Errors: 42804 `argument of what must be type boolean, not type x`.
    RexNode condition(Expr expr, String what) {
        if (expr.type() != SqlType.BOOL && expr.type() != SqlType.UNKNOWN) {
            throw analysis.error(
                    SqlState.DATATYPE_MISMATCH,
                    expr.at(),
                    "argument of " + what + " must be type boolean, not type "
                            + expr.type().displayName());
        }
        return implicit(expr, SqlType.BOOL).rex();
    }

    static int start(SqlNode node) {
        return Positions.start(node);
    }
}
