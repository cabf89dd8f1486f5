package dev.quarrel.calcite.sql;

import dev.quarrel.calcite.parse.Positions;
import dev.quarrel.calcite.sql.convert.Conversions;
import dev.quarrel.calcite.sql.convert.Expr;
import dev.quarrel.calcite.sql.function.Operators;
import dev.quarrel.calcite.sql.function.PostgresFunctions;
import dev.quarrel.calcite.sql.type.RexMaker;
import dev.quarrel.calcite.sql.type.SqlType;
import dev.quarrel.calcite.sql.type.SqlTypes;
import dev.quarrel.core.ir.Opcode;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.apache.calcite.avatica.util.TimeUnitRange;
import org.apache.calcite.rex.RexLiteral;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.sql.SqlCall;
import org.apache.calcite.sql.SqlIdentifier;
import org.apache.calcite.sql.SqlIntervalQualifier;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.SqlNode;
import org.apache.calcite.sql.fun.SqlStdOperatorTable;

/// Analyses the date and time calls that need more than a look at their arguments' types: EXTRACT and date_trunc
/// with their units, AT TIME ZONE, OVERLAPS, and make_interval with named arguments.
///
/// - Source: PostgreSQL's `gram.y`, and its `timestamp.c` and `datetime.c` for the names of units.
final class DateTimeCalls {
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

    private static final List<String> INTERVAL_FIELDS =
            List.of("years", "months", "weeks", "days", "hours", "mins", "secs");

    private final Analysis analysis;
    private final ExpressionAnalyzer expressions;
    private final RexMaker maker;
    private final Conversions conversions;

    DateTimeCalls(Analysis analysis, ExpressionAnalyzer expressions) {
        this.analysis = analysis;
        this.expressions = expressions;
        this.maker = analysis.maker();
        this.conversions = analysis.conversions();
    }

    Expr extract(SqlCall call, int at) {
        SqlIntervalQualifier unit = call.operand(0);
        String name = unit.timeFrameName == null ? unit.getUnit().name() : unit.timeFrameName;
        return extract(name.toLowerCase(Locale.ROOT), expressions.analyze(call.operand(1)), "extract", at);
    }

    /// `date_part(unit, source)`; null with another number of arguments.
    Expr datePart(SqlCall call, int at) {
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
            throw expressions
                    .calls()
                    .noFunction(
                            function.equals("extract") ? "pg_catalog.extract" : function,
                            List.of(SqlType.UNKNOWN, type),
                            type == SqlType.UNKNOWN,
                            at);
        }
        TimeUnitRange unit = unit(unitName);
        if (unit == null) {
            throw notRecognized(unitName, type);
        }
        RexNode value = ((Expr.Value) source).rex();
        if (isSpan && !(type == SqlType.TIME ? TIME_UNITS : SPAN_UNITS).contains(unit)) {
            throw notSupported(unitName, type);
        }
        if (type != SqlType.DATE) {
            RexNode extracted =
                    maker.call(SqlStdOperatorTable.EXTRACT, SqlTypes.numeric(maker.factory()), maker.flag(unit), value);
            return new Expr.Value(extracted, SqlType.NUMERIC, at);
        }
        if (unit != TimeUnitRange.EPOCH && !DATE_UNITS.contains(unit)) {
            throw notSupported(unitName, type);
        }
        return new Expr.Value(ofDate(unit, value), SqlType.NUMERIC, at);
    }

    private static QueryException notRecognized(String unit, SqlType type) {
        return new QueryException(
                SqlState.INVALID_PARAMETER_VALUE,
                "unit \"" + unit + "\" not recognized for type " + type.displayName());
    }

    private static QueryException notSupported(String unit, SqlType type) {
        return new QueryException(
                SqlState.FEATURE_NOT_SUPPORTED, "unit \"" + unit + "\" not supported for type " + type.displayName());
    }

    private RexNode ofDate(TimeUnitRange unit, RexNode value) {
        if (unit == TimeUnitRange.EPOCH) {
            RexNode days = maker.call(SqlStdOperatorTable.MINUS, maker.rel(SqlType.INT4), value, maker.date(0));
            RexNode seconds = maker.call(
                    SqlStdOperatorTable.MULTIPLY,
                    maker.rel(SqlType.INT8),
                    maker.cast(maker.rel(SqlType.INT8), days),
                    maker.integer(86_400, SqlType.INT8));
            return maker.cast(maker.decimal(19, 0), seconds);
        }
        RexNode field = maker.call(SqlStdOperatorTable.EXTRACT, maker.rel(SqlType.INT4), maker.flag(unit), value);
        return maker.cast(maker.decimal(10, 0), field);
    }

    /// `date_trunc(unit, source)`; null with another number of arguments.
    Expr dateTrunc(SqlCall call, int at) {
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
            throw expressions
                    .calls()
                    .noFunction(
                            "date_trunc", List.of(unitExpr.type(), value.type()), value.type() == SqlType.UNKNOWN, at);
        }
        String name = constant(unitExpr, at, "date_trunc");
        TimeUnitRange unit = unit(name.toLowerCase(Locale.ROOT));
        if (unit == null || !TRUNCATIONS.contains(unit)) {
            throw unit == null ? notRecognized(name, type) : notSupported(name, type);
        }
        RexNode moment = conversions.implicit(value, type).rex();
        return new Expr.Value(
                maker.call(PostgresFunctions.DATE_TRUNC, maker.rel(type), maker.flag(unit), moment), type, at);
    }

    private Expr truncatedSpan(Expr unitExpr, Expr value, int at) {
        String name = constant(unitExpr, at, "date_trunc");
        TimeUnitRange unit = unit(name.toLowerCase(Locale.ROOT));
        if (unit == TimeUnitRange.WEEK) {
            throw notSupported(name, SqlType.INTERVAL).withDetail("Months usually have fractional weeks.");
        }
        if (unit == null || !TRUNCATIONS.contains(unit)) {
            throw notRecognized(name, SqlType.INTERVAL);
        }
        RexNode span = conversions.implicit(value, SqlType.INTERVAL).rex();
        return new Expr.Value(
                maker.call(PostgresFunctions.DATE_TRUNC, maker.rel(SqlType.INTERVAL), maker.flag(unit), span),
                SqlType.INTERVAL,
                at);
    }

    /// `make_interval(days => 10, …)`; null without names. Fields that are not given are zero.
    Expr makeInterval(SqlCall call, int at) {
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
                        Positions.start(operand),
                        "positional argument cannot follow named argument");
            } else {
                count++;
            }
            if (field < 0 || field >= fields.length || fields[field] != null) {
                throw expressions
                        .calls()
                        .noFunction(
                                "make_interval",
                                FunctionCalls.types(expressions.analyzeAll(call.getOperandList())),
                                false,
                                at);
            }
            fields[field] = expressions.analyze(value);
        }
        List<Expr> all = new ArrayList<>();
        for (Expr field : fields) {
            all.add(field != null ? field : new Expr.Value(maker.integer(0, SqlType.INT4), SqlType.INT4, at));
        }
        return expressions.calls().function("make_interval", all, at, "make_interval");
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
                conversions.convert(value, SqlType.TIMESTAMP, -1).at(at);
            case TIMESTAMP ->
                conversions.convert(value, SqlType.TIMESTAMPTZ, -1).at(at);
            case DATE -> {
                Expr.Value moment = conversions.convert(value, SqlType.TIMESTAMPTZ, -1);
                yield conversions.convert(moment, SqlType.TIMESTAMP, -1).at(at);
            }
            default ->
                throw expressions
                        .calls()
                        .noFunction("pg_catalog.timezone", List.of(zone.type(), value.type()), false, at);
        };
    }

    /// `(start, end) OVERLAPS (start, end)`; an end may be an interval.
    Expr overlaps(SqlCall call, int at) {
        List<Expr> ends = new ArrayList<>();
        for (int side = 0; side < 2; side++) {
            Expr period = expressions.analyze(call.operand(side));
            if (!(period instanceof Expr.Row(List<Expr> items, int _)) || items.size() != 2) {
                throw analysis.error(
                        SqlState.SYNTAX_ERROR,
                        Positions.start(call.operand(side)),
                        "wrong number of parameters on " + (side == 0 ? "left" : "right")
                                + " side of OVERLAPS expression");
            }
            ends.addAll(items);
        }
        int operatorAt = analysis.operatorAfter(call.operand(0));
        Expr found = expressions.calls().function("overlaps", ends, operatorAt, "pg_catalog.overlaps");
        return ((Expr.Value) found).at(at);
    }
}
