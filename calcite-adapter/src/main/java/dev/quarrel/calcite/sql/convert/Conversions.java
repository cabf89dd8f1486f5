package dev.quarrel.calcite.sql.convert;

import dev.quarrel.calcite.sql.function.CatalogFunction;
import dev.quarrel.calcite.sql.function.CharacterFunctions;
import dev.quarrel.calcite.sql.function.FunctionTable;
import dev.quarrel.calcite.sql.function.Operators;
import dev.quarrel.calcite.sql.function.PostgresFunctions;
import dev.quarrel.calcite.sql.function.Signature;
import dev.quarrel.calcite.sql.type.RexMaker;
import dev.quarrel.calcite.sql.type.SqlType;
import dev.quarrel.calcite.sql.type.SqlTypes;
import dev.quarrel.core.function.FunctionCatalog;
import dev.quarrel.core.function.FunctionRow;
import dev.quarrel.core.function.HalfFloatRows;
import dev.quarrel.core.function.RecordRows;
import dev.quarrel.core.function.ValueOperation;
import dev.quarrel.core.ir.Opcode;
import dev.quarrel.core.pg.NumericForm;
import dev.quarrel.core.pg.PgParse;
import dev.quarrel.core.pg.SecondDigits;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;
import org.apache.calcite.rel.type.RelDataType;
import org.apache.calcite.rex.RexLiteral;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.sql.fun.SqlStdOperatorTable;

/// Converts expressions to other types: implicitly where PostgreSQL does so, explicitly for casts.
///
/// - Source: PostgreSQL's `parse_coerce.c`.
public final class Conversions {
    private final StatementText statement;
    private final RexMaker maker;
    private final FunctionTable functions;
    private final ParameterTypes parameters;
    private final TypeNames typeNames;
    private final ArrayLiterals arrays;
    private final TypedLiterals literals;
    private final boolean wideNumerics;

    /// @param objectIds finds what literals such as `'lineorder'::regclass` name
    /// @param enums that the statement may name
    /// @param moment how literals of times and intervals are read
    /// @param wideNumerics whether all numerics may have any number of digits
    public Conversions(
            StatementText statement,
            RexMaker maker,
            FunctionTable functions,
            ParameterTypes parameters,
            ObjectIds objectIds,
            EnumTypes enums,
            PgParse.Moment moment,
            boolean wideNumerics) {
        this.statement = statement;
        this.maker = maker;
        this.functions = functions;
        this.parameters = parameters;
        this.wideNumerics = wideNumerics;
        this.typeNames = new TypeNames(statement, enums, wideNumerics);
        this.arrays = new ArrayLiterals(statement, this, maker, moment);
        this.literals = new TypedLiterals(statement, this, arrays, maker, objectIds, moment);
    }

    public StatementText statement() {
        return statement;
    }

    public TypeNames typeNames() {
        return typeNames;
    }

    public ArrayLiterals arrays() {
        return arrays;
    }

    /// A number that a statement writes.
    ///
    /// - Errors: 22003 for more digits than Quarrel holds.
    public Expr.Value decimal(BigDecimal value, int at) {
        if (!wideNumerics) {
            return new Expr.Value(literals.decimal(value), SqlType.NUMERIC, at);
        }

        RexNode text = maker.string(NumericForm.written(value), maker.rel(SqlType.WIDE_NUMERIC));
        return new Expr.Value(text, SqlType.WIDE_NUMERIC, at);
    }

    /// The type of numerics whose digits nothing bounds.
    public SqlType numericType() {
        return wideNumerics ? SqlType.WIDE_NUMERIC : SqlType.NUMERIC;
    }

    /// The value as one of any number of digits, if it is a numeric and all are to be so.
    public Expr widened(Expr expr) {
        if (!wideNumerics || !(expr instanceof Expr.Value value) || value.type() != SqlType.NUMERIC) {
            return expr;
        }
        RexNode wide = implicit(value, SqlType.WIDE_NUMERIC).rex();
        return new Expr.Value(wide, SqlType.WIDE_NUMERIC, value.typmod(), value.at());
    }

    /// A cast that the statement asks for.
    ///
    /// @param at where PostgreSQL points: at `::` or CAST
    public Expr cast(Expr expr, TypeNames.Target target, int at) {
        SqlType type = target.type();
        if (type == null && expr.type() == SqlType.UNKNOWN) {
            throw statement.unsupported(at, "type " + target.written().name());
        }
        if (type == null) {
            RexNode name = maker.call(
                    PostgresFunctions.OBJECT_NAME,
                    maker.rel(SqlType.TEXT),
                    resolved(expr).rex());
            return new Expr.Value(name, SqlType.TEXT, at);
        }
        if (type == SqlType.NUMERIC && expr.type() == SqlType.WIDE_NUMERIC) {
            return convert(expr, SqlType.WIDE_NUMERIC, target.typmod()).at(at);
        }
        if (type == SqlType.ARRAY || type.isArray()) {
            return arrays.cast(expr, target, at);
        }
        if (type == SqlType.OTHER) {
            Expr.Value value = OtherTypes.cast(maker, this, expr, target.other());
            if (value == null) {
                throw statement.error(
                        SqlState.CANNOT_COERCE,
                        at,
                        "cannot cast type " + OtherTypes.displayName(expr) + " to "
                                + target.other().name());
            }
            return value.at(at);
        }
        if (target.isHalf()) {
            return half(expr, at);
        }
        boolean isRowsText = expr instanceof Expr.Row && type.isString();
        if (!isRowsText && !expr.type().convertsTo(type, SqlType.Context.EXPLICIT)) {
            throw cannotCast(expr.type(), type, at);
        }
        return convert(expr, type, target.typmod()).at(at);
    }

    /// A number rounded to the nearest of 16 bits.
    private Expr.Value half(Expr expr, int at) {
        if (!expr.type().convertsTo(SqlType.FLOAT8, SqlType.Context.EXPLICIT)) {
            throw cannotCast(expr.type(), SqlType.FLOAT4, at);
        }
        RexNode number = convert(expr, SqlType.FLOAT8, -1).rex();
        return new Expr.Value(CatalogFunction.call(maker, HalfFloatRows.ROUND, List.of(number)), SqlType.FLOAT4, at);
    }

    QueryException cannotCast(SqlType from, SqlType to, int at) {
        if (from == SqlType.RECORD) {
            return statement.unsupported(at, "a cast of a row value");
        }
        return statement.error(
                SqlState.CANNOT_COERCE, at, "cannot cast type " + from.displayName() + " to " + to.displayName());
    }

    /// Converts as an operator's or function's argument is; the caller has checked that it may be.
    public Expr.Value implicit(Expr expr, SqlType type) {
        return convert(expr, type, -1);
    }

    public Expr.Value convert(Expr expr, SqlType type, int typmod) {
        return switch (expr) {
            case Expr.Text(String text, int at, Collating collating) -> {
                try {
                    RexNode read = literals.read(text, type, typmod, at);
                    maker.origins().written(read, at, false);
                    Expr.Value value = new Expr.Value(read, type, typmod, at);
                    yield Collating.of(type) == Collating.STANDARD ? value.with(collating) : value;
                } catch (QueryException e) {
                    throw statement.located(e, at);
                }
            }
            case Expr.Null(int at) -> new Expr.Value(maker.nullOf(maker.rel(type, typmod)), type, typmod, at);
            case Expr.Parameter parameter -> {
                if (type == SqlType.OTHER) {
                    throw statement.unsupported(parameter.at(), "a parameter here, of a type held as text");
                }
                if (type == SqlType.WIDE_NUMERIC) {
                    yield convert(convert(parameter, SqlType.NUMERIC, -1), type, typmod);
                }
                parameters.decide(parameter, type);
                Expr.Value value = parameter(parameter, type);
                yield typmod < 0 ? value : modified(value, type, typmod);
            }
            case Expr.Value value -> convert(value, type, typmod);
            case Expr.Row row when type.isString() -> convert(text(row), type, typmod);
            case Expr.Row row -> throw statement.unsupported(row.at(), "a row value here");
            case Expr.Array array -> {
                yield convert(arrays.value(array), type, typmod);
            }
        };
    }

    /// The text that PostgreSQL's output function gives: other than the cast's for booleans, and for char(n),
    /// which keeps its blanks.
    public RexNode output(Expr.Value value) {
        RexNode rex = value.rex();
        return switch (value.type()) {
            case BOOL -> {
                RelDataType text = maker.rel(SqlType.TEXT);
                yield maker.cases(
                        maker.nullable(text, rex.getType().isNullable()),
                        maker.notNull(SqlStdOperatorTable.IS_TRUE, maker.bool(), rex),
                        maker.string("t", text),
                        maker.notNull(SqlStdOperatorTable.IS_FALSE, maker.bool(), rex),
                        maker.string("f", text),
                        maker.nullOf(text));
            }
            case BPCHAR -> maker.call(PostgresFunctions.PADDED_TEXT, maker.rel(SqlType.TEXT), rex);
            // A cast shows the length of an address, too.
            case INET, CIDR -> maker.cast(maker.rel(SqlType.TEXT), rex);
            default -> text(value);
        };
    }

    /// A row's text, as PostgreSQL shows it.
    ///
    /// - Errors: 0A000 for one that an outer join may not have.
    private Expr.Value text(Expr.Row row) {
        if (row.isNull()) {
            return new Expr.Value(maker.nullOf(maker.rel(SqlType.TEXT)), SqlType.TEXT, row.at());
        }
        if (row.mayBeMissing()) {
            throw statement.unsupported(row.at(), "a row that an outer join may not have as a value");
        }
        List<RexNode> fields = new ArrayList<>();
        for (Expr item : row.items()) {
            fields.add(item instanceof Expr.Row inner ? text(inner).rex() : output(resolved(item)));
        }
        FunctionRow function = RecordRows.TO_TEXT.of(fields.size());
        return new Expr.Value(CatalogFunction.call(maker, function, fields), SqlType.TEXT, row.at());
    }

    /// The text that an assignment to a column of type text would store.
    public RexNode text(Expr expr) {
        return convert(expr, SqlType.TEXT, -1).rex();
    }

    public Expr.Value parameter(Expr.Parameter parameter, SqlType type) {
        RelDataType rel = maker.nullable(maker.rel(type), true);
        return new Expr.Value(maker.builder().makeDynamicParam(rel, parameter.index()), type, parameter.at());
    }

    /// A cast keeps the collation, if both types have one.
    private Expr.Value convert(Expr.Value value, SqlType type, int typmod) {
        Expr.Value converted = converted(value, type, typmod);
        return Collating.of(type) == Collating.NONE || value.collating() instanceof Collating.None
                ? converted
                : converted.with(value.collating());
    }

    private Expr.Value converted(Expr.Value value, SqlType type, int typmod) {
        if (value.type() == type && (typmod < 0 || typmod == value.typmod())) {
            return value;
        }
        if (typmod >= 0 && type.isArray()) {
            throw statement.unsupported(
                    value.at(), "a cast of arrays that are no constants to " + type.displayName() + " with a modifier");
        }
        if (typmod >= 0 && type == SqlType.BIT && value.type().isInteger()) {
            return new Expr.Value(formed(value.type(), type, typmod, value.rex()), type, typmod, value.at());
        }
        if (typmod >= 0) {
            Expr.Value plain = value.type() == type ? value : convert(value, type, -1);
            return modified(plain, type, typmod);
        }
        SqlType from = value.type();
        RexNode rex = value.rex();
        if (from.isArray() && from.pgType().element().isObjectName() && (type.isText() || isTextArray(type))) {
            RexNode names = called("_" + from.element().pgType().typeName() + "out", List.of(from), rex);
            return new Expr.Value(
                    type == SqlType.TEXT_ARRAY ? names : maker.cast(maker.rel(type), names), type, value.at());
        }
        if (type.isArray()) {
            return new Expr.Value(arrays.converted(value, type), type, value.at());
        }
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
        RexNode narrowed = narrowed(from, type, rex);
        if (narrowed != null) {
            return new Expr.Value(narrowed, type, value.at());
        }
        if (from.isArray() && from.pgType().isVector()) {
            return new Expr.Value(vectorText(value, type), type, value.at());
        }
        if (from.form() != null || type.form() != null) {
            return new Expr.Value(formed(from, type, typmod, rex), type, value.at());
        }
        RexNode named = isDocument(from) || isDocument(type) ? document(from, type, rex) : byFunction(from, type, rex);
        if (named != null) {
            return new Expr.Value(named, type, value.at());
        }
        return new Expr.Value(maker.cast(castTarget(from, type, rex), rex), type, value.at());
    }

    private static boolean isTextArray(SqlType type) {
        return type == SqlType.TEXT_ARRAY || type == SqlType.VARCHAR_ARRAY;
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

    /// Casts to and from values that are held as texts of a form of their own: by the function that PostgreSQL names
    /// after the type, or by the text; between types that differ in name alone, not at all.
    private RexNode formed(SqlType from, SqlType type, int typmod, RexNode rex) {
        if (from.isInteger() && type == SqlType.BIT) {
            RexNode length = maker.integer(Math.max(typmod, 1), SqlType.INT4);
            SqlType wide = from == SqlType.INT2 ? SqlType.INT4 : from;
            RexNode number = from == wide ? rex : maker.cast(maker.rel(wide), rex);
            return called("bit", List.of(wide, SqlType.INT4), number, length);
        }
        if (type.isText()) {
            boolean isNetwork = from == SqlType.INET || from == SqlType.CIDR;
            RexNode text = isNetwork
                    ? called("text", List.of(SqlType.INET), from == SqlType.INET ? rex : inet(rex))
                    : from.form().isShownInZone()
                            ? FunctionTable.internal(maker, "range_out", List.of(from), rex)
                            : maker.cast(maker.rel(SqlType.TEXT), rex);
            return type == SqlType.TEXT ? text : maker.cast(maker.rel(type), text);
        }
        if (from.isText()) {
            return CatalogFunction.call(maker, ValueOperation.read(type.pgType()), List.of(rex));
        }
        if (from == SqlType.CIDR && type == SqlType.INET) {
            return inet(rex);
        }
        if (from == SqlType.WIDE_NUMERIC && type == SqlType.NUMERIC) {
            return FunctionTable.internal(maker, "wide_to_numeric", List.of(from), rex);
        }
        if (from == SqlType.WIDE_NUMERIC && type == SqlType.MONEY) {
            return formed(SqlType.NUMERIC, type, typmod, formed(from, SqlType.NUMERIC, typmod, rex));
        }
        if (type == SqlType.WIDE_NUMERIC && from.isFloat()) {
            return FunctionTable.internal(maker, type.pgType().typeName(), List.of(from), rex);
        }
        if (type == SqlType.WIDE_NUMERIC && (from == SqlType.MONEY || isDocument(from))) {
            RexNode narrow =
                    converted(new Expr.Value(rex, from, 0), SqlType.NUMERIC, -1).rex();
            return maker.cast(maker.rel(type), narrow);
        }
        for (Signature signature : functions.named(type.pgType().typeName())) {
            if (signature.arguments().equals(List.of(from))) {
                return signature.build().apply(maker, List.of(rex));
            }
        }
        return maker.cast(maker.rel(type), rex);
    }

    /// A vector as it is shown: its elements with blanks between them.
    private RexNode vectorText(Expr.Value vector, SqlType type) {
        FunctionRow row = FunctionCatalog.polymorphic("array_to_text")
                .getFirst()
                .of(vector.type().pgType().element());
        RexNode blank = maker.string(" ", maker.rel(SqlType.TEXT));
        RexNode text = CatalogFunction.call(maker, row, List.of(vector.rex(), blank));
        return type == SqlType.TEXT ? text : maker.cast(maker.rel(type), text);
    }

    /// A network as an address, which does not show the length of a single host's.
    private RexNode inet(RexNode cidr) {
        return FunctionTable.internal(maker, "inet_of_cidr", List.of(SqlType.CIDR), cidr);
    }

    private static boolean isDocument(SqlType type) {
        return type == SqlType.JSON || type == SqlType.JSONB || type == SqlType.JSONPATH;
    }

    /// Casts of json and jsonb: texts are checked, or written anew; scalars are read by functions.
    private RexNode document(SqlType from, SqlType type, RexNode rex) {
        if (from == SqlType.JSONPATH && type.isText()) {
            RexNode shown = CatalogFunction.call(maker, FunctionCatalog.internal("jsonpath_shown"), List.of(rex));
            return type == SqlType.TEXT ? shown : maker.cast(maker.rel(type), shown);
        }
        if (!isDocument(type)) {
            return type.isText() ? null : called(type.pgType().typeName(), List.of(from), rex);
        }
        if (from == SqlType.JSONB && type == SqlType.JSON) {
            return null; // Its text is one.
        }
        RexNode text = from.isText() ? rex : maker.cast(maker.rel(SqlType.TEXT), rex);
        return called(type.pgType().typeName() + "_in", List.of(SqlType.TEXT), text);
    }

    /// A name, which cuts what is too long, or an object identifier, which has 32 bits without a sign; null for others.
    private RexNode narrowed(SqlType from, SqlType type, RexNode rex) {
        if (type == SqlType.NAME && from.isText()) {
            return called("name", List.of(from == SqlType.BPCHAR ? from : SqlType.TEXT), rex);
        }
        if (type == SqlType.OID && from == SqlType.INT8) {
            return called("oid", List.of(from), rex);
        }
        List<SqlType> pair = List.of(SqlType.INT8, SqlType.INT8);
        if (type == SqlType.OID && (from == SqlType.INT4 || from == SqlType.INT2)) {
            RexNode wide = maker.cast(maker.rel(SqlType.INT8), rex);
            RexNode bits = called("int8and", pair, wide, maker.integer(0xFFFF_FFFFL, SqlType.INT8));
            return maker.cast(maker.rel(type), bits);
        }
        if (type == SqlType.INT4 && from == SqlType.OID) {
            List<SqlType> shift = List.of(SqlType.INT8, SqlType.INT4);
            RexNode distance = maker.integer(Integer.SIZE, SqlType.INT4);
            RexNode wide = maker.cast(maker.rel(SqlType.INT8), rex);
            RexNode signed = called("int8shr", shift, called("int8shl", shift, wide, distance), distance);
            return maker.cast(maker.rel(type), signed);
        }
        return null;
    }

    private RexNode called(String name, List<SqlType> types, RexNode... arguments) {
        for (Signature signature : functions.named(name)) {
            if (signature.arguments().equals(types)) {
                return signature.build().apply(maker, List.of(arguments));
            }
        }
        throw new IllegalStateException("no function " + name + types);
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
        String name = out
                ? from.pgType().typeName() + "out"
                : "cast_to_" + type.pgType().typeName();
        for (Signature signature : functions.named(name)) {
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
        if (rex instanceof RexLiteral literal && !literal.isNull()) {
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

    /// A value as a column of the type takes it: numbers are rounded, and bits must be as many as it has.
    public Expr.Value assigned(Expr.Value value, SqlType type, int typmod) {
        boolean isOfBits = type == SqlType.BIT || type == SqlType.VARBIT;
        if (isOfBits && typmod >= 0 && !(value.type() == type && value.typmod() == typmod)) {
            return sizedBits(convert(value, type, -1), type, typmod, false);
        }
        boolean isWide = value.type() == SqlType.WIDE_NUMERIC || SqlTypes.isWideTypmod(typmod);
        if (type == SqlType.NUMERIC && typmod >= 0 && isWide) {
            return convert(convert(value, SqlType.WIDE_NUMERIC, typmod), type, typmod);
        }
        return convert(value, type, typmod);
    }

    private Expr.Value sizedBits(Expr.Value value, SqlType type, int typmod, boolean isExplicit) {
        RexNode sized = called(
                type.pgType().typeName(),
                List.of(type, SqlType.INT4, SqlType.BOOL),
                value.rex(),
                maker.integer(typmod, SqlType.INT4),
                maker.literal(isExplicit));
        return new Expr.Value(sized, type, typmod, value.at());
    }

    /// A value with its type's modifier: cut or rounded to what that keeps.
    Expr.Value modified(Expr.Value value, SqlType type, int typmod) {
        if (type == SqlType.INTERVAL) {
            return new Expr.Value(withModifier(Opcode.ADJUST_INTERVAL, value, typmod), type, typmod, value.at());
        }
        if (type == SqlType.BIT || type == SqlType.VARBIT) {
            return sizedBits(value, type, typmod, true);
        }
        if (type == SqlType.WIDE_NUMERIC) {
            List<SqlType> types = List.of(type, SqlType.INT4);
            RexNode modifier = maker.integer(typmod, SqlType.INT4);
            RexNode sized = FunctionTable.internal(maker, type.pgType().typeName(), types, value.rex(), modifier);
            return new Expr.Value(sized, type, typmod, value.at());
        }
        if (type == SqlType.TIMETZ) {
            RexNode digits = maker.integer(Math.min(typmod, SecondDigits.MAX), SqlType.INT4);
            RexNode rounded = called("timetz", List.of(type, SqlType.INT4), value.rex(), digits);
            return new Expr.Value(rounded, type, typmod, value.at());
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

    /// A column of the result: what is still unknown becomes text.
    public Expr.Value resolved(Expr expr) {
        if (expr.type() == SqlType.UNKNOWN) {
            return implicit(expr, SqlType.TEXT);
        }
        return switch (expr) {
            case Expr.Value value -> value;
            case Expr.Row row -> {
                RexNode text = text(row).rex();
                yield new Expr.Value(
                        maker.cast(SqlTypes.relType(maker.factory(), row.of()), text), SqlType.OTHER, row.at());
            }
            case Expr.Array array -> arrays.value(array);
            case Expr.Text _, Expr.Null _, Expr.Parameter _ -> throw new IllegalStateException("unknown has a type");
        };
    }

    /// A condition of WHERE, ON, HAVING, WHEN, AND, OR, NOT.
    ///
    /// - Errors: 42804 `argument of what must be type boolean, not type x`.
    public RexNode condition(Expr expr, String what) {
        if (expr.type() != SqlType.BOOL && expr.type() != SqlType.UNKNOWN) {
            throw statement.error(
                    SqlState.DATATYPE_MISMATCH,
                    expr.at(),
                    "argument of " + what + " must be type boolean, not type "
                            + expr.type().displayName());
        }
        return implicit(expr, SqlType.BOOL).rex();
    }
}
