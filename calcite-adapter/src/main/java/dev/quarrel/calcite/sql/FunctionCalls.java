package dev.quarrel.calcite.sql;

import com.google.common.collect.ImmutableList;
import dev.quarrel.calcite.sql.Select.AggregateUse;
import dev.quarrel.calcite.sql.Select.Clause;
import dev.quarrel.core.ir.Literal;
import dev.quarrel.core.ir.Opcode;
import dev.quarrel.core.pg.ArrayText;
import dev.quarrel.core.pg.PgText;
import dev.quarrel.core.pg.PgType;
import dev.quarrel.core.type.DataType;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Collectors;
import org.apache.calcite.avatica.util.TimeUnitRange;
import org.apache.calcite.rel.type.RelDataType;
import org.apache.calcite.rex.RexFieldCollation;
import org.apache.calcite.rex.RexLiteral;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.rex.RexUtil;
import org.apache.calcite.rex.RexWindowBound;
import org.apache.calcite.rex.RexWindowBounds;
import org.apache.calcite.rex.RexWindowExclusion;
import org.apache.calcite.sql.SqlAggFunction;
import org.apache.calcite.sql.SqlCall;
import org.apache.calcite.sql.SqlIdentifier;
import org.apache.calcite.sql.SqlIntervalQualifier;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.SqlLiteral;
import org.apache.calcite.sql.SqlNode;
import org.apache.calcite.sql.SqlNodeList;
import org.apache.calcite.sql.SqlSelectKeyword;
import org.apache.calcite.sql.SqlUnresolvedFunction;
import org.apache.calcite.sql.SqlWindow;
import org.apache.calcite.sql.fun.SqlLibraryOperators;
import org.apache.calcite.sql.fun.SqlStdOperatorTable;
import org.apache.calcite.sql.fun.SqlTrimFunction;

/// Calls of functions, aggregates and window functions, and what has a syntax of its own: EXTRACT, TRIM,
/// COALESCE, intervals.
///
/// - Source: PostgreSQL's `parse_func.c` and `parse_agg.c`.
final class FunctionCalls {
    private static final Set<TimeUnitRange> DATE_UNITS = EnumSet.of(
            TimeUnitRange.YEAR,
            TimeUnitRange.QUARTER,
            TimeUnitRange.MONTH,
            TimeUnitRange.DAY,
            TimeUnitRange.DOW,
            TimeUnitRange.ISODOW,
            TimeUnitRange.DOY,
            TimeUnitRange.WEEK,
            TimeUnitRange.ISOYEAR,
            TimeUnitRange.DECADE,
            TimeUnitRange.CENTURY,
            TimeUnitRange.MILLENNIUM);

    private static final Set<TimeUnitRange> TRUNCATIONS = EnumSet.of(
            TimeUnitRange.YEAR,
            TimeUnitRange.QUARTER,
            TimeUnitRange.MONTH,
            TimeUnitRange.DAY,
            TimeUnitRange.HOUR,
            TimeUnitRange.MINUTE,
            TimeUnitRange.SECOND,
            TimeUnitRange.MILLISECOND,
            TimeUnitRange.MICROSECOND,
            TimeUnitRange.WEEK,
            TimeUnitRange.DECADE,
            TimeUnitRange.CENTURY,
            TimeUnitRange.MILLENNIUM);

    private static final Set<TimeUnitRange> TIME_UNITS = EnumSet.of(
            TimeUnitRange.HOUR,
            TimeUnitRange.MINUTE,
            TimeUnitRange.SECOND,
            TimeUnitRange.MILLISECOND,
            TimeUnitRange.MICROSECOND,
            TimeUnitRange.EPOCH);

    private static final Set<TimeUnitRange> SPAN_UNITS = spanUnits();

    private static Set<TimeUnitRange> spanUnits() {
        Set<TimeUnitRange> units = EnumSet.copyOf(TRUNCATIONS);
        units.add(TimeUnitRange.EPOCH);
        return units;
    }

    /// Functions of bytes that PostgreSQL has of bit strings too.
    private static final Set<String> BIT_FUNCTIONS = Set.of("get_bit", "set_bit", "bit_count");

    private final Analysis analysis;
    private final Scope scope;
    private final ExpressionAnalyzer expressions;
    private final RexMaker maker;
    private final Conversions conversions;
    private final ArrayCalls arrays;

    FunctionCalls(Analysis analysis, Scope scope, ExpressionAnalyzer expressions, ArrayCalls arrays) {
        this.arrays = arrays;
        this.analysis = analysis;
        this.scope = scope;
        this.expressions = expressions;
        this.maker = analysis.maker();
        this.conversions = analysis.conversions();
    }

    Expr call(SqlCall call) {
        int at = Conversions.start(call);
        return switch (call.getKind()) {
            case EXTRACT -> extract(call, at);
            case TRIM -> trim(call, at);
            case POSITION -> function("position", swapped(call), at, "pg_catalog.position");
            case OVER -> over(call, at);
            case FILTER, WITHIN_GROUP -> qualified(call, at);
            default -> {
                if (call.getOperator() instanceof SqlUnresolvedFunction function) {
                    yield named(call, function);
                }
                String name = call.getOperator().getName();
                if (name.equals("SUBSTRING")) {
                    // Written with FROM it is the grammar's own, with commas any function.
                    boolean plain = analysis.text().startsWith(",", analysis.operatorAfter(call.operand(0)));
                    yield function(
                            "substring",
                            expressions.analyzeAll(call.getOperandList()),
                            at,
                            plain ? "substring" : "pg_catalog.substring");
                }
                if (name.equals("OVERLAY")) {
                    yield function("overlay", expressions.analyzeAll(call.getOperandList()), at, "pg_catalog.overlay");
                }
                throw analysis.unsupported(at, name);
            }
        };
    }

    /// POSITION(a IN b) is position(b, a).
    private List<Expr> swapped(SqlCall call) {
        Expr wanted = expressions.analyze(call.operand(0));
        Expr text = expressions.analyze(call.operand(1));
        return List.of(text, wanted);
    }

    private Expr named(SqlCall call, SqlUnresolvedFunction function) {
        SqlIdentifier identifier = function.getSqlIdentifier();
        int at = Conversions.start(identifier);
        List<String> names = identifier.names;
        String name = names.get(names.size() - 1);
        String written = String.join(".", names);
        if (names.size() > 1 && !names.get(names.size() - 2).equals("pg_catalog")) {
            List<SqlType> types = types(expressions.analyzeAll(call.getOperandList()));
            throw analysis.context().root().getSubSchema(names.get(names.size() - 2), true) == null
                    ? analysis.error(
                            SqlState.INVALID_SCHEMA_NAME,
                            at,
                            "schema \"" + names.get(names.size() - 2) + "\" does not exist")
                    : noFunction(written, types, false, at);
        }
        if (names.size() == 1 && !identifier.isComponentQuoted(0)) {
            Expr special = special(name, call, at);
            if (special != null) {
                return special;
            }
        }
        if (FunctionTable.windowOnly(name) != null) {
            throw analysis.error(
                    SqlState.WRONG_OBJECT_TYPE, at, "window function " + name + " requires an OVER clause");
        }
        SqlAggFunction aggregate = FunctionTable.aggregate(name);
        if (aggregate != null) {
            return aggregate(name, aggregate, new Written(call, null, false, null), call, at);
        }
        if (call.getFunctionQuantifier() != null && !FunctionTable.isUnsupported(name)) {
            throw analysis.error(
                    SqlState.WRONG_OBJECT_TYPE,
                    at,
                    "DISTINCT specified, but " + name + " is not an aggregate function");
        }
        if (isStar(call)) {
            throw FunctionTable.isUnsupported(name)
                    ? analysis.unsupported(at, "function " + name)
                    : analysis.error(SqlState.UNDEFINED_FUNCTION, at, "function " + written + "() does not exist");
        }
        return function(name, expressions.analyzeAll(call.getOperandList()), at, written);
    }

    private static boolean isStar(SqlCall call) {
        return call.operandCount() == 1
                && call.operand(0) instanceof SqlIdentifier identifier
                && identifier.isStar()
                && identifier.names.size() == 1;
    }

    /// What PostgreSQL's grammar or analyzer treats apart from functions; null for anything else.
    private Expr special(String name, SqlCall call, int at) {
        return switch (name) {
            case "coalesce" -> coalesce(call, at);
            case "nullif" -> nullIf(call, at);
            case "greatest" -> extreme("GREATEST", call, at);
            case "least" -> extreme("LEAST", call, at);
            case "grouping" -> grouping(call, at);
            case "concat" -> analysis.functions().named(name).isEmpty() ? concat(call, at) : null;
            case "current_catalog" ->
                call.operandCount() == 0
                        ? new Expr.Value(
                                maker.string(analysis.context().database(), maker.rel(SqlType.NAME)), SqlType.NAME, at)
                        : null;
            case "pg_typeof" -> typeOf(call, at);
            case "date_part" -> datePart(call, at);
            case "date_trunc" -> dateTrunc(call, at);
            case "make_interval" -> makeInterval(call, at);
            case "row" -> new Expr.Row(expressions.analyzeAll(call.getOperandList()), at);
            default -> null;
        };
    }

    private static List<SqlType> types(List<Expr> exprs) {
        return exprs.stream().map(Expr::type).toList();
    }

    /// @param written the name as it stands in the statement, for messages
    Expr function(String name, List<Expr> arguments, int at, String written) {
        Expr ofArray = arrays.call(name, arguments, at);
        if (ofArray != null) {
            return ofArray;
        }
        List<SqlType> types = types(arguments);
        if (BIT_FUNCTIONS.contains(name) && !types.isEmpty() && types.getFirst() == SqlType.UNKNOWN) {
            // A literal would be a bit string, which we lack.
            throw analysis.unsupported(at, "function " + description(written, types));
        }
        Overloads.Choice choice = Overloads.function(analysis.functions().named(name), types);
        Signature signature = choice.signature();
        if (signature == null) {
            Expr cast = arguments.size() == 1 ? castByName(name, arguments.get(0), at) : null;
            if (cast != null) {
                return cast;
            }
            throw FunctionTable.isUnsupported(name)
                    ? analysis.unsupported(at, "function " + description(written, types))
                    : noFunction(written, types, choice.ambiguous(), at);
        }
        List<RexNode> converted = new ArrayList<>();
        for (int index = 0; index < arguments.size(); index++) {
            converted.add(conversions
                    .implicit(arguments.get(index), signature.arguments().get(index))
                    .rex());
        }
        return new Expr.Value(signature.build().apply(maker, converted), signature.result(), at);
    }

    /// `int4(x)`: a type's name called like a function is a cast.
    private Expr castByName(String name, Expr argument, int at) {
        SqlType type = SqlType.byName(name);
        boolean castable = type != null
                && type.pgType() != null
                && type.pgType().typeName().equals(name)
                && (argument.type() == SqlType.UNKNOWN
                        || argument.type().pgType() != null
                                && argument.type().convertsTo(type, SqlType.Context.EXPLICIT));
        return castable
                ? conversions
                        .convert(argument, type, -1, SqlType.Context.EXPLICIT)
                        .at(at)
                : null;
    }

    QueryException noFunction(String name, List<SqlType> types, boolean ambiguous, int at) {
        if (types.stream().anyMatch(type -> type.isArray() || type == SqlType.OTHER || type == SqlType.RECORD)) {
            return analysis.unsupported(at, "function " + description(name, types));
        }
        return ambiguous
                ? analysis.error(
                                SqlState.AMBIGUOUS_FUNCTION,
                                at,
                                "function " + description(name, types) + " is not unique")
                        .withHint(
                                "Could not choose a best candidate function. You might need to add explicit type casts.")
                : analysis.error(
                                SqlState.UNDEFINED_FUNCTION,
                                at,
                                "function " + description(name, types) + " does not exist")
                        .withHint(
                                "No function matches the given name and argument types. You might need to add explicit type"
                                        + " casts.");
    }

    private static String description(String name, List<SqlType> types) {
        return types.stream().map(SqlType::displayName).collect(Collectors.joining(", ", name + "(", ")"));
    }

    private Expr coalesce(SqlCall call, int at) {
        List<Expr> exprs = expressions.analyzeAll(call.getOperandList());
        if (exprs.isEmpty()) {
            int end = call.getParserPosition().getEndColumnNum() - 1;
            throw analysis.error(SqlState.SYNTAX_ERROR, end, "syntax error at or near \")\"");
        }
        SqlType type = conversions.commonType(exprs, "COALESCE");
        List<Expr.Value> values = conversions.unified(exprs, type, "COALESCE");
        if (values.size() == 1) {
            return values.get(0).at(at);
        }
        List<RexNode> operands = new ArrayList<>();
        for (int index = 0; index < values.size() - 1; index++) {
            RexNode value = values.get(index).rex();
            operands.add(maker.notNull(SqlStdOperatorTable.IS_NOT_NULL, maker.bool(), value));
            operands.add(value);
        }
        operands.add(values.get(values.size() - 1).rex());
        boolean nullable = values.stream().allMatch(each -> each.rex().getType().isNullable());
        RelDataType result = maker.nullable(values.get(0).rex().getType(), nullable);
        return new Expr.Value(
                maker.builder().makeCall(result, SqlStdOperatorTable.CASE, operands),
                type,
                values.get(0).typmod(),
                at);
    }

    private Expr nullIf(SqlCall call, int at) {
        if (call.operandCount() != 2) {
            throw analysis.error(SqlState.SYNTAX_ERROR, at, "NULLIF requires two arguments");
        }
        Expr left = expressions.analyze(call.operand(0));
        Expr right = expressions.analyze(call.operand(1));
        Overloads.Choice choice = Overloads.operator(Operators.binary("="), List.of(left.type(), right.type()));
        if (choice.signature() == null) {
            throw expressions.noOperator("=", List.of(left.type(), right.type()), choice.ambiguous(), at);
        }
        SqlType type = choice.signature().arguments().get(0);
        Expr.Value value = conversions.implicit(left, type);
        RexNode equal = expressions.operator("=", value, right, () -> at).rex();
        RelDataType result = maker.nullable(value.rex().getType(), true);
        return new Expr.Value(
                maker.builder()
                        .makeCall(
                                result,
                                SqlStdOperatorTable.CASE,
                                List.of(equal, maker.nullOf(value.rex().getType()), value.rex())),
                type,
                value.typmod(),
                at);
    }

    private Expr extreme(String name, SqlCall call, int at) {
        List<Expr> exprs = expressions.analyzeAll(call.getOperandList());
        SqlType type = conversions.commonType(exprs, name);
        if (type == SqlType.OTHER) {
            throw noFunction(name, types(exprs), false, at);
        }
        List<Expr.Value> values = conversions.unified(exprs, type, name);
        boolean nullable = values.stream().allMatch(each -> each.rex().getType().isNullable());
        return new Expr.Value(
                maker.builder()
                        .makeCall(
                                maker.nullable(values.get(0).rex().getType(), nullable),
                                name.equals("GREATEST")
                                        ? SqlLibraryOperators.GREATEST_PG
                                        : SqlLibraryOperators.LEAST_PG,
                                values.stream().map(Expr.Value::rex).toList()),
                type,
                values.get(0).typmod(),
                at);
    }

    /// Joins the texts of all that is not NULL.
    private Expr concat(SqlCall call, int at) {
        RexNode joined = null;
        for (Expr expr : expressions.analyzeAll(call.getOperandList())) {
            RexNode text = conversions.output(conversions.resolved(expr));
            if (text.getType().isNullable()) {
                text = maker.builder()
                        .makeCall(
                                maker.rel(SqlType.TEXT),
                                SqlStdOperatorTable.CASE,
                                List.of(
                                        maker.notNull(SqlStdOperatorTable.IS_NOT_NULL, maker.bool(), text),
                                        text,
                                        maker.string("", maker.rel(SqlType.TEXT))));
            }
            joined = joined == null
                    ? text
                    : maker.call(SqlStdOperatorTable.CONCAT, maker.rel(SqlType.TEXT), joined, text);
        }
        if (joined == null) {
            throw noFunction("concat", List.of(), false, at);
        }
        return new Expr.Value(joined, SqlType.TEXT, at);
    }

    private Expr typeOf(SqlCall call, int at) {
        if (call.operandCount() != 1) {
            throw noFunction("pg_typeof", types(expressions.analyzeAll(call.getOperandList())), false, at);
        }
        Expr expr = expressions.analyze(call.operand(0));
        return new Expr.Value(maker.string(OtherTypes.displayName(expr), maker.rel(SqlType.TEXT)), SqlType.TEXT, at);
    }

    private Expr trim(SqlCall call, int at) {
        String name =
                switch (((SqlLiteral) call.operand(0)).getValueAs(SqlTrimFunction.Flag.class)) {
                    case BOTH -> "btrim";
                    case LEADING -> "ltrim";
                    case TRAILING -> "rtrim";
                };
        List<Expr> arguments = new ArrayList<>();
        arguments.add(expressions.analyze(call.operand(2)));
        SqlNode characters = call.operand(1);
        // Calcite writes a blank where nothing is written, at the place of the whole call.
        if (characters != null && !characters.getParserPosition().equals(call.getParserPosition())) {
            arguments.add(expressions.analyze(call.operand(1)));
        }
        return function(name, arguments, at, "pg_catalog." + name);
    }

    // Dates and times

    private Expr extract(SqlCall call, int at) {
        SqlIntervalQualifier unit = call.operand(0);
        String name = unit.timeFrameName == null ? unit.getUnit().name() : unit.timeFrameName;
        return extract(name.toLowerCase(Locale.ROOT), expressions.analyze(call.operand(1)), "extract", at);
    }

    private Expr datePart(SqlCall call, int at) {
        if (call.operandCount() != 2) {
            return null;
        }
        Expr unit = expressions.analyze(call.operand(0));
        Expr value = expressions.analyze(call.operand(1));
        String name = constant(unit, at, "date_part");
        if (value.type() == SqlType.INTERVAL && unit(name.toLowerCase(Locale.ROOT)) == TimeUnitRange.EPOCH) {
            RexNode seconds = Operators.opcode(Opcode.EPOCH_INTERVAL, List.of(SqlType.INTERVAL), SqlType.FLOAT8)
                    .apply(maker, List.of(((Expr.Value) value).rex()));
            return new Expr.Value(seconds, SqlType.FLOAT8, at);
        }
        Expr.Value part = (Expr.Value) extract(name.toLowerCase(Locale.ROOT), value, "date_part", at);
        return new Expr.Value(maker.cast(maker.rel(SqlType.FLOAT8), part.rex()), SqlType.FLOAT8, at);
    }

    private String constant(Expr unit, int at, String function) {
        if (unit instanceof Expr.Text(String text, int _)) {
            return text;
        }
        if (unit instanceof Expr.Value value && value.type().isText() && value.rex() instanceof RexLiteral literal) {
            return literal.getValueAs(String.class);
        }
        throw analysis.unsupported(at, function + " with a unit that is not a constant");
    }

    private static TimeUnitRange unit(String name) {
        return switch (name) {
            case "year", "years", "y", "yr", "yrs" -> TimeUnitRange.YEAR;
            case "quarter" -> TimeUnitRange.QUARTER;
            case "month", "months", "mon", "mons" -> TimeUnitRange.MONTH;
            case "day", "days", "d" -> TimeUnitRange.DAY;
            case "hour", "hours", "h", "hr", "hrs" -> TimeUnitRange.HOUR;
            case "minute", "minutes", "min", "mins", "m" -> TimeUnitRange.MINUTE;
            case "second", "seconds", "sec", "secs", "s" -> TimeUnitRange.SECOND;
            case "millisecond", "milliseconds", "ms", "msec", "msecs" -> TimeUnitRange.MILLISECOND;
            case "microsecond", "microseconds", "us", "usec", "usecs" -> TimeUnitRange.MICROSECOND;
            case "dow" -> TimeUnitRange.DOW;
            case "isodow" -> TimeUnitRange.ISODOW;
            case "doy" -> TimeUnitRange.DOY;
            case "week", "weeks", "w" -> TimeUnitRange.WEEK;
            case "isoyear" -> TimeUnitRange.ISOYEAR;
            case "decade", "decades", "decs", "dec" -> TimeUnitRange.DECADE;
            case "century", "centuries", "cent", "c" -> TimeUnitRange.CENTURY;
            case "millennium", "millennia", "mil", "mils" -> TimeUnitRange.MILLENNIUM;
            case "epoch" -> TimeUnitRange.EPOCH;
            default -> null;
        };
    }

    private Expr extract(String unitName, Expr source, String function, int at) {
        SqlType type = source.type();
        boolean isSpan = type == SqlType.INTERVAL || type == SqlType.TIME;
        if (!isSpan && type != SqlType.DATE && type != SqlType.TIMESTAMP && type != SqlType.TIMESTAMPTZ) {
            throw noFunction(
                    function.equals("extract") ? "pg_catalog.extract" : function,
                    List.of(SqlType.UNKNOWN, type),
                    type == SqlType.UNKNOWN,
                    at);
        }
        TimeUnitRange unit = unit(unitName);
        if (unit == null) {
            throw new QueryException(
                    SqlState.INVALID_PARAMETER_VALUE,
                    "unit \"" + unitName + "\" not recognized for type " + type.displayName());
        }
        RexNode value = ((Expr.Value) source).rex();
        if (isSpan && !(type == SqlType.TIME ? TIME_UNITS : SPAN_UNITS).contains(unit)) {
            throw new QueryException(
                    SqlState.FEATURE_NOT_SUPPORTED,
                    "unit \"" + unitName + "\" not supported for type " + type.displayName());
        }
        if (type != SqlType.DATE) {
            RexNode extracted =
                    maker.call(SqlStdOperatorTable.EXTRACT, SqlTypes.numeric(maker.factory()), maker.flag(unit), value);
            return new Expr.Value(extracted, SqlType.NUMERIC, at);
        }
        if (unit == TimeUnitRange.EPOCH) {
            RexNode days = maker.call(SqlStdOperatorTable.MINUS, maker.rel(SqlType.INT4), value, maker.date(0));
            RexNode seconds = maker.call(
                    SqlStdOperatorTable.MULTIPLY,
                    maker.rel(SqlType.INT8),
                    maker.cast(maker.rel(SqlType.INT8), days),
                    maker.integer(86_400, SqlType.INT8));
            return new Expr.Value(maker.cast(maker.decimal(19, 0), seconds), SqlType.NUMERIC, at);
        }
        if (!DATE_UNITS.contains(unit)) {
            throw new QueryException(
                    SqlState.FEATURE_NOT_SUPPORTED,
                    "unit \"" + unitName + "\" not supported for type " + type.displayName());
        }
        RexNode field = maker.call(SqlStdOperatorTable.EXTRACT, maker.rel(SqlType.INT4), maker.flag(unit), value);
        return new Expr.Value(maker.cast(maker.decimal(10, 0), field), SqlType.NUMERIC, at);
    }

    private Expr dateTrunc(SqlCall call, int at) {
        if (call.operandCount() != 2) {
            return null;
        }
        Expr unitExpr = expressions.analyze(call.operand(0));
        Expr value = expressions.analyze(call.operand(1));
        if (value.type() == SqlType.INTERVAL || value.type() == SqlType.TIME) {
            return truncatedSpan(unitExpr, value, at);
        }
        // A date goes to timestamptz, the preferred type of the two that take one.
        SqlType type = value.type() == SqlType.TIMESTAMP ? SqlType.TIMESTAMP : SqlType.TIMESTAMPTZ;
        if (!value.type().convertsTo(type, SqlType.Context.IMPLICIT) || value.type() == SqlType.UNKNOWN) {
            throw noFunction("date_trunc", List.of(unitExpr.type(), value.type()), value.type() == SqlType.UNKNOWN, at);
        }
        String name = constant(unitExpr, at, "date_trunc");
        TimeUnitRange unit = unit(name.toLowerCase(Locale.ROOT));
        if (unit == null || !TRUNCATIONS.contains(unit)) {
            throw new QueryException(
                    unit == null ? SqlState.INVALID_PARAMETER_VALUE : SqlState.FEATURE_NOT_SUPPORTED,
                    "unit \"" + name + "\" not " + (unit == null ? "recognized" : "supported") + " for type "
                            + type.displayName());
        }
        RexNode moment = conversions.implicit(value, type).rex();
        return new Expr.Value(
                maker.call(PostgresFunctions.DATE_TRUNC, maker.rel(type), maker.flag(unit), moment), type, at);
    }

    private static final List<String> INTERVAL_FIELDS =
            List.of("years", "months", "weeks", "days", "hours", "mins", "secs");

    /// `make_interval(days => 10, …)`; null without names. Fields that are not given are zero.
    private Expr makeInterval(SqlCall call, int at) {
        if (call.getOperandList().stream().noneMatch(each -> each.getKind() == SqlKind.ARGUMENT_ASSIGNMENT)) {
            return null;
        }
        Expr[] fields = new Expr[INTERVAL_FIELDS.size()];
        int count = 0;
        for (int index = 0; index < call.operandCount(); index++) {
            SqlNode operand = call.operand(index);
            int field = index;
            SqlNode value = operand;
            if (operand.getKind() == SqlKind.ARGUMENT_ASSIGNMENT) {
                SqlCall assignment = (SqlCall) operand;
                value = assignment.operand(0);
                field = INTERVAL_FIELDS.indexOf(((SqlIdentifier) assignment.operand(1)).getSimple());
            } else if (count < index) {
                throw analysis.error(
                        SqlState.SYNTAX_ERROR,
                        Conversions.start(operand),
                        "positional argument cannot follow named argument");
            } else {
                count++;
            }
            if (field < 0 || field >= fields.length || fields[field] != null) {
                throw noFunction("make_interval", types(expressions.analyzeAll(call.getOperandList())), false, at);
            }
            fields[field] = expressions.analyze(value);
        }
        List<Expr> all = new ArrayList<>();
        for (Expr field : fields) {
            all.add(field != null ? field : new Expr.Value(maker.integer(0, SqlType.INT4), SqlType.INT4, at));
        }
        return function("make_interval", all, at, "make_interval");
    }

    private Expr truncatedSpan(Expr unitExpr, Expr value, int at) {
        String name = constant(unitExpr, at, "date_trunc");
        TimeUnitRange unit = unit(name.toLowerCase(Locale.ROOT));
        if (unit == TimeUnitRange.WEEK) {
            throw new QueryException(
                            SqlState.FEATURE_NOT_SUPPORTED, "unit \"" + name + "\" not supported for type interval")
                    .withDetail("Months usually have fractional weeks.");
        }
        if (unit == null || !TRUNCATIONS.contains(unit)) {
            throw new QueryException(
                    SqlState.INVALID_PARAMETER_VALUE, "unit \"" + name + "\" not recognized for type interval");
        }
        RexNode span = conversions.implicit(value, SqlType.INTERVAL).rex();
        return new Expr.Value(
                maker.call(PostgresFunctions.DATE_TRUNC, maker.rel(SqlType.INTERVAL), maker.flag(unit), span),
                SqlType.INTERVAL,
                at);
    }

    Expr atTimeZone(SqlCall call, int at) {
        Expr value = expressions.analyze(call.operand(0));
        Expr zone = expressions.analyze(call.operand(1));
        String name = constant(zone, at, "AT TIME ZONE");
        if (!Set.of("utc", "gmt", "z", "etc/utc").contains(name.toLowerCase(Locale.ROOT))) {
            throw analysis.unsupported(at, "time zone \"" + name + "\"");
        }
        return switch (value.type()) {
            case TIMESTAMPTZ ->
                conversions
                        .convert(value, SqlType.TIMESTAMP, -1, SqlType.Context.EXPLICIT)
                        .at(at);
            case TIMESTAMP ->
                conversions
                        .convert(value, SqlType.TIMESTAMPTZ, -1, SqlType.Context.EXPLICIT)
                        .at(at);
            case DATE -> {
                Expr.Value moment = conversions.convert(value, SqlType.TIMESTAMPTZ, -1, SqlType.Context.EXPLICIT);
                yield conversions
                        .convert(moment, SqlType.TIMESTAMP, -1, SqlType.Context.EXPLICIT)
                        .at(at);
            }
            default -> throw noFunction("pg_catalog.timezone", List.of(zone.type(), value.type()), false, at);
        };
    }

    // Aggregates and windows

    /// A function's call with what may follow its arguments.
    ///
    /// @param order the items of ORDER BY, or null
    /// @param within whether they stand in WITHIN GROUP, not among the arguments
    /// @param filter null for none
    private record Written(SqlCall call, SqlNodeList order, boolean within, SqlNode filter) {
        SqlIdentifier identifier() {
            return ((SqlUnresolvedFunction) call.getOperator()).getSqlIdentifier();
        }

        String name() {
            return identifier().names.getLast();
        }
    }

    private Written written(SqlNode node, int at) {
        SqlNode inner = node;
        SqlNode filter = null;
        SqlNodeList order = null;
        boolean within = false;
        if (inner.getKind() == SqlKind.FILTER) {
            filter = ((SqlCall) inner).operand(1);
            inner = ((SqlCall) inner).operand(0);
        }
        if (inner.getKind() == SqlKind.WITHIN_GROUP) {
            order = ((SqlCall) inner).operand(1);
            inner = ((SqlCall) inner).operand(0);
            // Where ORDER BY stands among the arguments, they end where it begins.
            within = inner.getParserPosition().getEndColumnNum()
                    < order.getParserPosition().getColumnNum();
        }
        if (!(inner instanceof SqlCall call) || !(call.getOperator() instanceof SqlUnresolvedFunction)) {
            throw analysis.unsupported(at, "FILTER, WITHIN GROUP or OVER here");
        }
        return new Written(call, order, within, filter);
    }

    private Expr qualified(SqlCall call, int at) {
        Written written = written(call, at);
        String name = written.name();
        int nameAt = Conversions.start(written.identifier());
        SqlAggFunction aggregate = FunctionTable.aggregate(name);
        if (aggregate != null) {
            return aggregate(name, aggregate, written, call, nameAt);
        }
        if (FunctionTable.isUnsupported(name) || written.within() && FunctionTable.windowOnly(name) != null) {
            throw analysis.unsupported(at, "function " + name);
        }
        String what = written.within() ? "WITHIN GROUP" : written.order() != null ? "ORDER BY" : "FILTER";
        throw analysis.error(
                SqlState.WRONG_OBJECT_TYPE, nameAt, what + " specified, but " + name + " is not an aggregate function");
    }

    /// @param node the whole call
    private Expr aggregate(String name, SqlAggFunction function, Written written, SqlNode node, int at) {
        Select select = scope.select();
        List<SqlNode> inputs = new ArrayList<>();
        if (!isStar(written.call())) {
            inputs.addAll(written.call().getOperandList());
        }
        if (written.order() != null) {
            written.order().forEach(item -> inputs.add(SortItem.of(item).node()));
        }
        OuterAggregates outer = new OuterAggregates(analysis, scope);
        Scope owner = outer.owner(node, inputs, written.filter(), expressions);
        if (owner != scope) {
            return outer.reference(owner, node);
        }
        if (select == null || !select.clause().allowsAggregates()) {
            String clause =
                    select == null ? Clause.VALUES.text() : select.clause().text();
            throw analysis.error(SqlState.GROUPING_ERROR, at, "aggregate functions are not allowed in " + clause);
        }
        if (select.isInsideAggregate()) {
            throw analysis.error(SqlState.GROUPING_ERROR, at, "aggregate function calls cannot be nested");
        }
        select.setInsideAggregate(true);
        try {
            boolean isSet =
                    function instanceof AggregateFunction ours && ours.kind().isOrderedSet();
            Arguments arguments = isSet ? orderedSet(name, written, at) : arguments(name, written, at);
            RexNode condition = written.filter() == null ? null : filter(select, written.filter());
            boolean distinct = isDistinct(written.call());
            boolean pointless = name.equals("min")
                    || name.equals("max")
                    || function.getName().startsWith("BOOL_")
                    || function instanceof AggregateFunction ours && ours.kind().ignoresRepeats();
            SqlAggFunction chosen = arguments.type().isArray() && isSet ? ofFractions(name) : function;
            Ordered ordered = ordered(chosen, arguments.values(), written, isSet, distinct);
            int index = select.add(
                    new AggregateUse(ordered.function(), distinct && !pointless, ordered.arguments(), condition), at);
            RexNode reference = maker.builder().makeInputRef(maker.nullable(arguments.result(), !isCount(name)), index);
            return new Expr.Value(reference, arguments.type(), at);
        } finally {
            select.setInsideAggregate(false);
        }
    }

    private static AggregateFunction ofFractions(String name) {
        return name.equals("percentile_cont") ? AggregateFunction.PERCENTILES_CONT : AggregateFunction.PERCENTILES_DISC;
    }

    /// An aggregate with the keys of its order behind its arguments.
    private record Ordered(SqlAggFunction function, List<RexNode> arguments) {}

    private Ordered ordered(
            SqlAggFunction function, List<RexNode> arguments, Written written, boolean isSet, boolean distinct) {
        List<RexNode> all = new ArrayList<>(arguments);
        List<AggregateFunction.Direction> directions = new ArrayList<>();
        for (SqlNode node : written.order() == null ? List.<SqlNode>of() : written.order()) {
            SortItem item = SortItem.of(node);
            directions.add(new AggregateFunction.Direction(item.descending(), item.nullsFirst()));
            RexNode key = isSet
                    ? arguments.getFirst()
                    : conversions.resolved(expressions.analyze(item.node())).rex();
            if (SqlTypes.isArray(key.getType())) {
                throw analysis.unsupported(Conversions.start(item.node()), "ORDER BY of an array");
            }
            if (distinct && !arguments.contains(key)) {
                throw analysis.error(
                        SqlState.INVALID_COLUMN_REFERENCE,
                        Conversions.start(item.node()),
                        "in an aggregate with DISTINCT, ORDER BY expressions must appear in argument list");
            }
            all.add(key);
        }
        if (!(function instanceof AggregateFunction ours) || !ours.kind().isOrdered()) {
            return new Ordered(function, arguments);
        }
        // PostgreSQL finds what is distinct by sorting, and the rest of the arguments completes the order.
        for (RexNode argument : distinct ? arguments : List.<RexNode>of()) {
            if (!all.subList(arguments.size(), all.size()).contains(argument)) {
                all.add(argument);
                directions.add(AggregateFunction.Direction.ASCENDING);
            }
        }
        return new Ordered(ours.ordered(directions), all);
    }

    /// The value that an ordered-set aggregate orders, and behind it its direct argument.
    private Arguments orderedSet(String name, Written written, int at) {
        if (written.within() && isDistinct(written.call())) {
            throw analysis.error(
                    SqlState.SYNTAX_ERROR, Conversions.start(written.order()), "cannot use DISTINCT with WITHIN GROUP");
        }
        List<Expr> exprs = new ArrayList<>(expressions.analyzeAll(written.call().getOperandList()));
        if (written.within()) {
            written.order()
                    .forEach(item ->
                            exprs.add(expressions.analyze(SortItem.of(item).node())));
        }
        List<SqlType> types = types(exprs);
        boolean isMode = name.equals("mode");
        if (exprs.size() != (isMode ? 1 : 2)) {
            throw noFunction(name, types, false, at);
        }
        // What is unknown is taken for what is known, and that may be neither a fraction nor several.
        if (name.equals("percentile_disc")
                && types.getFirst() == SqlType.UNKNOWN
                && !types.getLast().convertsTo(SqlType.FLOAT8, SqlType.Context.IMPLICIT)) {
            throw noFunction(name, types, true, at);
        }
        if (!written.within() || written.order().size() != 1) {
            throw analysis.error(
                    SqlState.WRONG_OBJECT_TYPE, at, "WITHIN GROUP is required for ordered-set aggregate " + name);
        }
        Expr value = exprs.getLast();
        boolean isContinuous = name.equals("percentile_cont");
        boolean isFractions =
                types.getFirst() == SqlType.ARRAY || types.getFirst().isArray();
        Expr.Value converted;
        if (isContinuous) {
            boolean isSpan = value.type() != SqlType.UNKNOWN
                    && value.type().convertsTo(SqlType.INTERVAL, SqlType.Context.IMPLICIT);
            SqlType wanted = isSpan ? SqlType.INTERVAL : SqlType.FLOAT8;
            if (!value.type().convertsTo(wanted, SqlType.Context.IMPLICIT)) {
                throw noFunction(name, types, false, at);
            }
            converted = conversions.implicit(value, wanted);
        } else {
            converted = conversions.resolved(value);
        }
        RelDataType type = maker.nullable(converted.rex().getType(), false);
        if (isMode) {
            return new Arguments(List.of(converted.rex()), converted.type(), type);
        }
        if (isFractions) {
            SqlType array = arrayOf(converted.type(), name, types, at);
            return new Arguments(List.of(converted.rex(), fractions(exprs.getFirst(), name)), array, maker.rel(array));
        }
        if (types.getFirst() != SqlType.UNKNOWN
                && !types.getFirst().convertsTo(SqlType.FLOAT8, SqlType.Context.IMPLICIT)) {
            throw noFunction(name, types, false, at);
        }
        RexNode fraction =
                conversions.implicit(exprs.getFirst(), SqlType.FLOAT8).rex();
        if (RexUtil.containsInputRef(fraction)) {
            throw analysis.unsupported(at, "a direct argument of " + name + " that depends on columns");
        }
        return new Arguments(List.of(converted.rex(), fraction), converted.type(), type);
    }

    /// The array of fractions as the text of a float8[].
    ///
    /// - Errors: 0A000 where it is not written out in constants.
    private RexNode fractions(Expr array, String name) {
        if (array instanceof Expr.Array(List<Expr> items, SqlType _, int at)) {
            List<String> texts = new ArrayList<>();
            for (Expr item : items) {
                RexNode fraction = conversions.implicit(item, SqlType.FLOAT8).rex();
                if (!(fraction instanceof RexLiteral literal)) {
                    throw analysis.unsupported(at, "fractions of " + name + " that are no constants");
                }
                texts.add(
                        literal.isNull()
                                ? null
                                : PgText.text(new Literal(DataType.FLOAT64, literal.getValueAs(Double.class))));
            }
            return maker.string(ArrayText.format(texts), maker.rel(SqlType.FLOAT8_ARRAY));
        }
        throw analysis.unsupported(array.at(), "fractions of " + name + " that are not written out");
    }

    private SqlType arrayOf(SqlType element, String function, List<SqlType> types, int at) {
        PgType array =
                element.pgType() == null ? null : element.pgType().array().orElse(null);
        if (array == null) {
            throw analysis.unsupported(at, "function " + description(function, types));
        }
        return SqlType.of(array);
    }

    private static boolean isCount(String name) {
        return name.equals("count")
                || FunctionTable.aggregate(name) instanceof AggregateFunction function && function.isCount();
    }

    private RexNode filter(Select select, SqlNode filter) {
        Clause outer = select.clause();
        select.enter(Clause.FILTER);
        try {
            return maker.notNull(SqlStdOperatorTable.IS_TRUE, maker.bool(), expressions.condition(filter, "FILTER"));
        } finally {
            select.enter(outer);
        }
    }

    private static boolean isDistinct(SqlCall call) {
        SqlLiteral quantifier = call.getFunctionQuantifier();
        return quantifier != null && quantifier.getValue() == SqlSelectKeyword.DISTINCT;
    }

    /// @param result the NOT NULL RelDataType of the aggregate's value
    private record Arguments(List<RexNode> values, SqlType type, RelDataType result) {}

    private Arguments arguments(String name, Written written, int at) {
        if (written.within()) {
            List<Expr> exprs =
                    new ArrayList<>(expressions.analyzeAll(written.call().getOperandList()));
            written.order()
                    .forEach(item ->
                            exprs.add(expressions.analyze(SortItem.of(item).node())));
            throw Overloads.function(FunctionTable.aggregateSignatures(name), types(exprs))
                                    .signature()
                            == null
                    ? noFunction(name, types(exprs), false, at)
                    : analysis.error(
                            SqlState.WRONG_OBJECT_TYPE,
                            at,
                            name + " is not an ordered-set aggregate, so it cannot have WITHIN GROUP");
        }
        return arguments(name, written.call(), at);
    }

    private Arguments arguments(String name, SqlCall call, int at) {
        boolean star = isStar(call);
        if (name.equals("count")) {
            RelDataType result = maker.rel(SqlType.INT8);
            if (star) {
                return new Arguments(List.of(), SqlType.INT8, result);
            }
            if (call.operandCount() == 1) {
                RexNode value = conversions
                        .resolved(expressions.analyze(call.operand(0)))
                        .rex();
                return new Arguments(List.of(value), SqlType.INT8, result);
            }
            if (call.operandCount() == 0) {
                throw analysis.error(
                        SqlState.WRONG_OBJECT_TYPE,
                        at,
                        "count(*) must be used to call a parameterless aggregate function");
            }
        }
        if (star) {
            throw noFunction(name, List.of(), false, at);
        }
        if (name.equals("array_agg") && call.operandCount() == 1) {
            return arrayArguments(expressions.analyze(call.operand(0)), at);
        }
        List<Expr> exprs = expressions.analyzeAll(call.getOperandList());
        List<SqlType> types = types(exprs);
        Overloads.Choice choice = Overloads.function(FunctionTable.aggregateSignatures(name), types);
        Signature signature = choice.signature();
        if (signature == null) {
            throw noFunction(name, types, choice.ambiguous(), at);
        }
        RexNode value =
                conversions.implicit(exprs.get(0), signature.arguments().get(0)).rex();
        if (exprs.size() > 1) {
            RexNode other = conversions
                    .implicit(exprs.get(1), signature.arguments().get(1))
                    .rex();
            return new Arguments(List.of(value, other), signature.result(), maker.rel(signature.result()));
        }
        RelDataType argument = maker.nullable(value.getType(), false);
        if (FunctionTable.aggregate(name) instanceof AggregateFunction ours && ours.argumentCount() > 1) {
            RexNode registers = maker.integer(FunctionTable.SKETCH_REGISTER_BITS, SqlType.INT4);
            return new Arguments(List.of(value, registers), signature.result(), maker.rel(signature.result()));
        }
        RelDataType result =
                switch (name) {
                    case "sum" -> PostgresTypeSystem.INSTANCE.deriveSumType(maker.factory(), argument);
                    case "avg" -> PostgresTypeSystem.INSTANCE.deriveAvgAggType(maker.factory(), argument);
                    default ->
                        FunctionTable.aggregate(name) instanceof AggregateFunction ours
                                ? ours.resultType(maker.factory(), argument)
                                : argument;
                };
        return new Arguments(List.of(value), signature.result(), result);
    }

    private Arguments arrayArguments(Expr element, int at) {
        if (element.type() == SqlType.UNKNOWN) {
            throw noFunction("array_agg", List.of(SqlType.UNKNOWN), true, at);
        }
        Expr.Value value = conversions.resolved(element);
        SqlType type = arrayOf(value.type(), "array_agg", List.of(value.type()), at);
        return new Arguments(List.of(value.rex()), type, maker.rel(type));
    }

    private Expr grouping(SqlCall call, int at) {
        Select select = scope.select();
        OuterAggregates outer = new OuterAggregates(analysis, scope);
        Scope owner = outer.owner(call, call.getOperandList(), null, expressions);
        if (owner != scope) {
            return outer.reference(owner, call);
        }
        if (select == null || !select.clause().allowsAggregates()) {
            throw analysis.error(
                    SqlState.GROUPING_ERROR,
                    at,
                    "grouping operations are not allowed in "
                            + (select == null
                                    ? Clause.VALUES.text()
                                    : select.clause().text()));
        }
        List<RexNode> keys = new ArrayList<>();
        select.setInsideAggregate(true);
        try {
            for (Expr expr : expressions.analyzeAll(call.getOperandList())) {
                keys.add(conversions.resolved(expr).rex());
            }
        } finally {
            select.setInsideAggregate(false);
        }
        int index = select.add(new AggregateUse(SqlStdOperatorTable.GROUPING, false, keys, null), at);
        RexNode reference = maker.builder().makeInputRef(maker.rel(SqlType.INT8), index);
        return new Expr.Value(maker.cast(maker.rel(SqlType.INT4), reference), SqlType.INT4, at);
    }

    private Expr over(SqlCall call, int at) {
        Written written = written(call.operand(0), at);
        String name = written.name();
        int nameAt = Conversions.start(written.identifier());
        Select select = scope.select();
        if (select == null || !select.clause().allowsWindows()) {
            String clause =
                    select == null ? Clause.VALUES.text() : select.clause().text();
            throw analysis.error(SqlState.WINDOWING_ERROR, nameAt, "window functions are not allowed in " + clause);
        }
        if (select.isInsideAggregate()) {
            throw analysis.error(
                    SqlState.GROUPING_ERROR, nameAt, "aggregate function calls cannot contain window function calls");
        }
        if (select.isInsideWindow()) {
            throw analysis.error(
                    SqlState.WINDOWING_ERROR,
                    nameAt,
                    select.isInWindowDefinition()
                            ? "window functions are not allowed in window definitions"
                            : "window function calls cannot be nested");
        }
        select.setInsideWindow(true);
        try {
            return window(name, written, call.operand(1), nameAt);
        } finally {
            select.setInsideWindow(false);
        }
    }

    private Expr window(String name, Written written, SqlNode over, int at) {
        SqlCall call = written.call();
        SqlNode filter = written.filter();
        SqlAggFunction ranking = FunctionTable.windowOnly(name);
        SqlAggFunction function = ranking != null ? ranking : FunctionTable.aggregate(name);
        if (function == null) {
            if (FunctionTable.isUnsupported(name)) {
                throw analysis.unsupported(at, "function " + name);
            }
            List<SqlType> types = types(expressions.analyzeAll(call.getOperandList()));
            throw analysis.functions().named(name).isEmpty()
                    ? noFunction(name, types, false, at)
                    : analysis.error(
                            SqlState.WRONG_OBJECT_TYPE,
                            at,
                            "OVER specified, but " + name + " is not a window function nor an aggregate function");
        }
        if (function instanceof AggregateFunction ours && ours.kind().isOrderedSet()) {
            throw analysis.error(
                    SqlState.FEATURE_NOT_SUPPORTED, at, "OVER is not supported for ordered-set aggregate " + name);
        }
        if (written.order() != null) {
            throw analysis.error(
                    SqlState.FEATURE_NOT_SUPPORTED, at, "aggregate ORDER BY is not implemented for window functions");
        }
        if (isDistinct(call)) {
            throw analysis.error(
                    SqlState.FEATURE_NOT_SUPPORTED, at, "DISTINCT is not implemented for window functions");
        }
        if (ranking != null && filter != null) {
            throw analysis.error(
                    SqlState.FEATURE_NOT_SUPPORTED, at, "FILTER is not implemented for non-aggregate window functions");
        }
        Arguments arguments = ranking != null ? windowArguments(name, call, at) : arguments(name, call, at);
        if (filter != null) {
            RexNode condition = filter(scope.select(), filter);
            arguments = name.equals("array_agg")
                    ? new Arguments(
                            List.of(arguments.values().getFirst(), condition), arguments.type(), arguments.result())
                    : filtered(arguments, condition);
        }
        scope.select().setInWindowDefinition(true);
        try {
            return over(name, ranking, function, arguments, window(over), at);
        } finally {
            scope.select().setInWindowDefinition(false);
        }
    }

    /// Aggregates over frames skip NULLs, all but array_agg: that takes the condition itself.
    private Arguments filtered(Arguments arguments, RexNode condition) {
        RexNode counted = arguments.values().isEmpty()
                ? maker.integer(1, SqlType.INT4)
                : arguments.values().getFirst();
        RexNode chosen = maker.builder()
                .makeCall(
                        maker.nullable(counted.getType(), true),
                        SqlStdOperatorTable.CASE,
                        List.of(condition, counted, maker.nullOf(counted.getType())));
        List<RexNode> values = new ArrayList<>(arguments.values());
        if (values.isEmpty()) {
            values.add(chosen);
        } else {
            values.set(0, chosen);
        }
        return new Arguments(values, arguments.type(), arguments.result());
    }

    private Expr over(
            String name,
            SqlAggFunction ranking,
            SqlAggFunction function,
            Arguments arguments,
            SqlWindow window,
            int at) {
        List<RexNode> partition = new ArrayList<>();
        for (SqlNode key : window.getPartitionList()) {
            partition.add(conversions.resolved(expressions.analyze(key)).rex());
        }
        boolean usesFrame = ranking == null || name.endsWith("_value");
        WindowEdges edges = new WindowEdges(analysis, conversions, maker, expressions::analyze, window);
        ImmutableList.Builder<RexFieldCollation> order = ImmutableList.builder();
        for (SqlNode item : window.getOrderList()) {
            SortItem sort = SortItem.of(item);
            RexNode key = usesFrame && edges.hasRangeOffset()
                    ? edges.orderKey()
                    : conversions.resolved(expressions.analyze(sort.node())).rex();
            order.add(new RexFieldCollation(key, sort.flags()));
        }
        List<RexNode> operands = new ArrayList<>(arguments.values());
        RexWindowBound lower = RexWindowBounds.UNBOUNDED_PRECEDING;
        RexWindowBound upper = RexWindowBounds.CURRENT_ROW;
        if (usesFrame) {
            edges.check();
            lower = edges.bound(window.getLowerBound(), true, lower, operands);
            upper = edges.bound(window.getUpperBound(), false, upper, operands);
        }
        RexNode rex = maker.builder()
                .makeOver(
                        maker.nullable(arguments.result(), !FunctionTable.isNeverNull(name)),
                        function,
                        operands,
                        partition,
                        order.build(),
                        lower,
                        upper,
                        usesFrame ? edges.exclusion() : RexWindowExclusion.EXCLUDE_NO_OTHER,
                        edges.isRows() || !usesFrame,
                        true,
                        false,
                        false,
                        false);
        return new Expr.Value(rex, arguments.type(), at);
    }

    /// The arguments of a function that is a window function alone.
    private Arguments windowArguments(String name, SqlCall call, int at) {
        List<Expr> exprs = isStar(call) ? List.of() : expressions.analyzeAll(call.getOperandList());
        List<SqlType> types = types(exprs);
        int count = exprs.size();
        boolean fits =
                switch (name) {
                    case "ntile" -> count == 1 && isInteger(types.getFirst());
                    case "lag", "lead" -> count >= 1 && count <= 3 && (count == 1 || isInteger(types.get(1)));
                    case "first_value", "last_value" -> count == 1;
                    case "nth_value" -> count == 2 && isInteger(types.get(1));
                    default -> count == 0;
                };
        if (!fits) {
            throw noFunction(name, types, false, at);
        }
        return switch (name) {
            case "row_number", "rank", "dense_rank" -> new Arguments(List.of(), SqlType.INT8, maker.rel(SqlType.INT8));
            case "percent_rank", "cume_dist" -> new Arguments(List.of(), SqlType.FLOAT8, maker.rel(SqlType.FLOAT8));
            case "ntile" ->
                new Arguments(
                        List.of(conversions
                                .implicit(exprs.getFirst(), SqlType.INT4)
                                .rex()),
                        SqlType.INT4,
                        maker.rel(SqlType.INT4));
            default -> {
                Expr.Value value = conversions.resolved(exprs.getFirst());
                List<RexNode> values = new ArrayList<>();
                if (count == 3) {
                    List<Expr> both = List.of(exprs.getFirst(), exprs.get(2));
                    SqlType type = conversions.commonTypeOrNull(both);
                    if (type == null) {
                        throw noFunction(name, types, false, at);
                    }
                    List<Expr.Value> unified = conversions.unified(both, type, name);
                    value = unified.getFirst();
                    values.add(value.rex());
                    values.add(conversions.implicit(exprs.get(1), SqlType.INT4).rex());
                    values.add(unified.get(1).rex());
                } else {
                    values.add(value.rex());
                    if (count == 2) {
                        values.add(
                                conversions.implicit(exprs.get(1), SqlType.INT4).rex());
                    }
                }
                yield new Arguments(
                        values, value.type(), maker.nullable(value.rex().getType(), false));
            }
        };
    }

    private static boolean isInteger(SqlType type) {
        return type == SqlType.UNKNOWN || type.convertsTo(SqlType.INT4, SqlType.Context.IMPLICIT);
    }

    private SqlWindow window(SqlNode over) {
        if (over instanceof SqlWindow window) {
            if (window.getRefName() == null) {
                return window;
            }
            SqlWindow base = declared(window.getRefName());
            if (base.getLowerBound() != null || base.getUpperBound() != null) {
                throw analysis.error(
                        SqlState.WINDOWING_ERROR,
                        Conversions.start(window),
                        "cannot copy window \"" + window.getRefName().getSimple() + "\" because it has a frame clause");
            }
            if (!window.getPartitionList().isEmpty()) {
                throw analysis.error(
                        SqlState.WINDOWING_ERROR,
                        Conversions.start(window),
                        "cannot override PARTITION BY clause of window \""
                                + window.getRefName().getSimple() + "\"");
            }
            if (!base.getOrderList().isEmpty() && !window.getOrderList().isEmpty()) {
                throw analysis.error(
                        SqlState.WINDOWING_ERROR,
                        Conversions.start(window),
                        "cannot override ORDER BY clause of window \""
                                + window.getRefName().getSimple() + "\"");
            }
            return SqlWindow.create(
                    null,
                    null,
                    base.getPartitionList(),
                    base.getOrderList().isEmpty() ? window.getOrderList() : base.getOrderList(),
                    WindowEdges.rowsOf(window),
                    window.getLowerBound(),
                    window.getUpperBound(),
                    null,
                    (SqlLiteral) window.getExclude(),
                    window.getParserPosition());
        }
        return declared((SqlIdentifier) over);
    }

    private SqlWindow declared(SqlIdentifier name) {
        SqlNodeList windows = scope.select().windows();
        if (windows != null) {
            for (SqlNode node : windows) {
                SqlWindow window = (SqlWindow) node;
                if (window.getDeclName() != null
                        && window.getDeclName().getSimple().equals(name.getSimple())) {
                    return window(window);
                }
            }
        }
        throw analysis.error(
                SqlState.UNDEFINED_OBJECT,
                Conversions.start(name),
                "window \"" + name.getSimple() + "\" does not exist");
    }
}
