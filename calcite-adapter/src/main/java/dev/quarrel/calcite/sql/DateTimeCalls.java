package dev.quarrel.calcite.sql;

import dev.quarrel.calcite.parse.Positions;
import dev.quarrel.calcite.parse.PostgresOperators;
import dev.quarrel.calcite.sql.convert.Collating;
import dev.quarrel.calcite.sql.convert.Conversions;
import dev.quarrel.calcite.sql.convert.Expr;
import dev.quarrel.calcite.sql.function.CatalogFunction;
import dev.quarrel.calcite.sql.function.PostgresFunctions;
import dev.quarrel.calcite.sql.type.RexMaker;
import dev.quarrel.calcite.sql.type.SqlType;
import dev.quarrel.calcite.sql.type.SqlTypes;
import dev.quarrel.core.function.TimeRows;
import dev.quarrel.core.pg.DateUnit;
import dev.quarrel.core.type.SqlState;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.apache.calcite.avatica.util.TimeUnitRange;
import org.apache.calcite.rex.RexLiteral;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.sql.SqlCall;
import org.apache.calcite.sql.SqlIntervalQualifier;
import org.apache.calcite.sql.SqlLiteral;
import org.apache.calcite.sql.fun.SqlStdOperatorTable;

/// Analyses the date and time calls that need more than a look at their arguments' types: EXTRACT and date_trunc
/// with their units, AT TIME ZONE, and OVERLAPS.
///
/// - Source: PostgreSQL's `gram.y`, and its `timestamp.c` and `datetime.c` for the names of units.
final class DateTimeCalls {
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
        String name = constant(unit);
        if (name == null) {
            return expressions.calls().function("date_part", List.of(unit, value), at, "date_part");
        }
        if (value.type() == SqlType.TIMETZ) {
            return ofRow(name, value, "date_part", at);
        }
        boolean isTime = Set.of(SqlType.DATE, SqlType.TIME, SqlType.TIMESTAMP, SqlType.TIMESTAMPTZ, SqlType.INTERVAL)
                .contains(value.type());
        if (isTime) {
            DateUnit found = DateUnit.of(name, value.type().displayName());
            // A float8 made of a numeric is not always the one that PostgreSQL's sum of two floats is.
            boolean isSum = found == DateUnit.SECOND || found == DateUnit.MILLISECONDS || range(found) == null;
            if (value.type() == SqlType.DATE
                    && (found.field() == null || !found.field().isOfDate())) {
                value = conversions.implicit(value, SqlType.TIMESTAMP);
            }
            if (value.type() == SqlType.INTERVAL && found == DateUnit.EPOCH || isSum && value.type() != SqlType.DATE) {
                return ofRow(name, value, "date_part", at);
            }
        }
        Expr.Value part = (Expr.Value) extract(name.toLowerCase(Locale.ROOT), value, "date_part", at);
        return new Expr.Value(maker.cast(maker.rel(SqlType.FLOAT8), part.rex()), SqlType.FLOAT8, at);
    }

    /// The text of a constant; null for any other expression.
    private static String constant(Expr unit) {
        if (unit instanceof Expr.Text(String text, int _, Collating _)) {
            return text;
        }
        return unit instanceof Expr.Value value
                        && value.type().isText()
                        && value.rex() instanceof RexLiteral literal
                        && !literal.isNull()
                ? literal.getValueAs(String.class)
                : null;
    }

    /// Null for a unit that no opcode has.
    private static TimeUnitRange range(DateUnit unit) {
        return switch (unit) {
            case MILLISECONDS -> TimeUnitRange.MILLISECOND;
            case MICROSECONDS -> TimeUnitRange.MICROSECOND;
            default -> unit.field() == null ? null : TimeUnitRange.valueOf(unit.name());
        };
    }

    private Expr extract(String unitName, Expr source, String function, int at) {
        SqlType type = source.type();
        if (type == SqlType.TIMETZ) {
            return ofRow(unitName, source, "extract", at);
        }
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
        DateUnit named = DateUnit.of(unitName, type.displayName());
        TimeUnitRange unit = range(named);
        // A statement is planned with wide numerics once it has met a part of an infinite time, among others.
        if (unit == null || conversions.numericType() != SqlType.NUMERIC) {
            return ofRow(unitName, source, "extract", at);
        }
        RexNode value = ((Expr.Value) source).rex();
        if (isSpan
                && !(type == SqlType.TIME
                        ? named.field().isOfTime()
                        : named.field().isOfInterval())) {
            throw DateUnit.notSupported(unitName, type.displayName());
        }
        if (type != SqlType.DATE) {
            RexNode extracted =
                    maker.call(SqlStdOperatorTable.EXTRACT, SqlTypes.numeric(maker.factory()), maker.flag(unit), value);
            return new Expr.Value(extracted, SqlType.NUMERIC, at);
        }
        if (unit != TimeUnitRange.EPOCH && !named.field().isOfDate()) {
            throw DateUnit.notSupported(unitName, type.displayName());
        }
        return new Expr.Value(ofDate(unit, value), SqlType.NUMERIC, at);
    }

    /// A unit that the function of a row reads.
    private Expr ofRow(String unit, Expr source, String function, int at) {
        Expr name = new Expr.Value(maker.string(unit, maker.rel(SqlType.TEXT)), SqlType.TEXT, at);
        return expressions.calls().function(function, List.of(name, source), at, function);
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
        String name = constant(unitExpr);
        if (name == null) {
            return expressions.calls().function("date_trunc", List.of(unitExpr, value), at, "date_trunc");
        }
        TimeUnitRange unit = range(
                DateUnit.valueOf(DateUnit.ofTruncation(name, type.displayName()).name()));
        RexNode moment = conversions.implicit(value, type).rex();
        return new Expr.Value(
                maker.call(PostgresFunctions.DATE_TRUNC, maker.rel(type), maker.flag(unit), moment), type, at);
    }

    private Expr truncatedSpan(Expr unitExpr, Expr value, int at) {
        String name = constant(unitExpr);
        if (name == null) {
            return expressions.calls().function("date_trunc", List.of(unitExpr, value), at, "date_trunc");
        }
        TimeUnitRange unit =
                range(DateUnit.valueOf(DateUnit.ofIntervalTruncation(name).name()));
        RexNode span = conversions.implicit(value, SqlType.INTERVAL).rex();
        return new Expr.Value(
                maker.call(PostgresFunctions.DATE_TRUNC, maker.rel(SqlType.INTERVAL), maker.flag(unit), span),
                SqlType.INTERVAL,
                at);
    }

    /// `x AT TIME ZONE zone` is `timezone(zone, x)`, and `x AT LOCAL` is `timezone(x)`.
    Expr atTimeZone(SqlCall call, int at) {
        Expr value = expressions.analyze(call.operand(0));
        boolean isLocal = call.operand(1) instanceof SqlLiteral literal
                && literal.getValue() == PostgresOperators.SessionZone.LOCAL;
        List<Expr> arguments = isLocal ? List.of(value) : List.of(expressions.analyze(call.operand(1)), value);
        // PostgreSQL points nowhere in the call that it makes of AT LOCAL.
        int operatorAt = isLocal ? -1 : analysis.operatorAfter(call.operand(0));
        Expr found = expressions.calls().function("timezone", arguments, operatorAt, "pg_catalog.timezone");
        return ((Expr.Value) found).at(at);
    }

    /// As AT TIME ZONE, which it is of a zone that is an interval: such clocks skip nothing.
    Expr shownAtTimeZone(SqlCall call, int at) {
        Expr zone = expressions.analyze(call.operand(1));
        if (zone.type() != SqlType.TEXT && zone.type() != SqlType.UNKNOWN) {
            return atTimeZone(call, at);
        }
        RexNode name = conversions.implicit(zone, SqlType.TEXT).rex();
        RexNode local = conversions
                .implicit(expressions.analyze(call.operand(0)), SqlType.TIMESTAMP)
                .rex();
        RexNode shown = CatalogFunction.call(maker, TimeRows.SHOWN_AT_ZONE, List.of(name, local));
        return new Expr.Value(shown, SqlType.TIMESTAMPTZ, at);
    }

    /// `(start, end) OVERLAPS (start, end)`; an end may be an interval.
    Expr overlaps(SqlCall call, int at) {
        List<Expr> ends = new ArrayList<>();
        for (int side = 0; side < 2; side++) {
            Expr period = expressions.analyze(call.operand(side));
            if (!(period instanceof Expr.Row(List<Expr> items, var _, var _, var _, var _, var _, int _))
                    || items.size() != 2) {
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
