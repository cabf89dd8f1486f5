package dev.quarrel.calcite.sql;

import dev.quarrel.calcite.sql.OperatorCalls.Place;
import dev.quarrel.calcite.sql.convert.Conversions;
import dev.quarrel.calcite.sql.convert.Expr;
import dev.quarrel.calcite.sql.convert.RecordFields;
import dev.quarrel.calcite.sql.function.Operators;
import dev.quarrel.calcite.sql.type.RexMaker;
import dev.quarrel.calcite.sql.type.SqlType;
import dev.quarrel.calcite.sql.type.SqlTypes;
import dev.quarrel.core.pg.PgType;
import dev.quarrel.core.type.SqlState;
import java.util.ArrayList;
import java.util.List;
import org.apache.calcite.rex.RexCall;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.sql.SqlCall;
import org.apache.calcite.sql.SqlNode;
import org.apache.calcite.sql.SqlOperator;
import org.apache.calcite.sql.fun.SqlBetweenOperator;
import org.apache.calcite.sql.fun.SqlLikeOperator;
import org.apache.calcite.sql.fun.SqlStdOperatorTable;

/// Analyses predicates with a syntax of their own: IS NULL, IS TRUE, IS DISTINCT FROM, BETWEEN and LIKE.
///
/// - Source: PostgreSQL's `parse_expr.c` (transformAExprDistinct, transformAExprBetween, transformBooleanTest)
///   and `gram.y`.
final class Predicates {
    private final Analysis analysis;
    private final ExpressionAnalyzer expressions;
    private final OperatorCalls operators;
    private final RexMaker maker;
    private final Conversions conversions;

    Predicates(Analysis analysis, ExpressionAnalyzer expressions, OperatorCalls operators) {
        this.analysis = analysis;
        this.expressions = expressions;
        this.operators = operators;
        this.maker = analysis.maker();
        this.conversions = analysis.conversions();
    }

    Expr isNull(SqlNode operand, SqlOperator operator, int at) {
        boolean isUnion = expressions.composites().tag(operand) != null; // NULL where its value is
        Expr.Row composite = isUnion ? null : expressions.composites().row(operand);
        Expr own = composite == null ? expressions.analyze(operand) : composite;
        Expr.Row known = isUnion ? null : analysis.recordFields().row(own);
        Expr expr = known == null ? own : known;
        if (expr instanceof Expr.Parameter(int index, int parameterAt)) {
            throw analysis.error(
                    SqlState.INDETERMINATE_DATATYPE,
                    parameterAt,
                    "could not determine data type of parameter $" + (index + 1));
        }
        if (expr instanceof Expr.Row(List<Expr> items, var _, var _, var _, var _, var _, int _)) {
            List<RexNode> parts = new ArrayList<>();
            for (Expr item : items) {
                if (item instanceof Expr.Row inner && !inner.mayBeMissing()) {
                    // A row is there, whatever is in it.
                    parts.add(maker.literal(operator == SqlStdOperatorTable.IS_NOT_NULL));
                    continue;
                }
                RexNode part = conversions.resolved(item).rex();
                parts.add(maker.notNull(operator, maker.bool(), RecordFields.itself(maker, part)));
            }
            return Expr.Value.bool(parts.isEmpty() ? maker.literal(true) : maker.and(parts), at);
        }
        return Expr.Value.bool(
                maker.notNull(operator, maker.bool(), conversions.resolved(expr).rex()), at);
    }

    /// IS [NOT] TRUE, FALSE or UNKNOWN.
    Expr truth(SqlCall call, int at) {
        RexNode condition =
                expressions.condition(call.operand(0), call.getOperator().getName());
        // IS UNKNOWN is IS NULL of a boolean.
        SqlOperator operator =
                switch (call.getOperator().getName()) {
                    case "IS TRUE" -> SqlStdOperatorTable.IS_TRUE;
                    case "IS NOT TRUE" -> SqlStdOperatorTable.IS_NOT_TRUE;
                    case "IS FALSE" -> SqlStdOperatorTable.IS_FALSE;
                    case "IS NOT FALSE" -> SqlStdOperatorTable.IS_NOT_FALSE;
                    case "IS UNKNOWN" -> SqlStdOperatorTable.IS_NULL;
                    default -> SqlStdOperatorTable.IS_NOT_NULL;
                };
        return Expr.Value.bool(maker.notNull(operator, maker.bool(), condition), at);
    }

    Expr distinct(SqlCall call, SqlOperator operator, int at) {
        SqlNode leftNode = call.operand(0);
        SqlNode rightNode = call.operand(1);
        Place place = () -> analysis.operatorAfter(leftNode);
        RowComparisons composites = new RowComparisons(analysis, operators, expressions);
        boolean isWritten = RowComparisons.isWritten(leftNode) || RowComparisons.isWritten(rightNode);
        RexNode same = isWritten ? composites.same(leftNode, rightNode, place) : null;
        if (same == null) {
            Expr left = expressions.analyze(leftNode);
            Expr right = expressions.analyze(rightNode);
            same = RowComparisons.maybe(left, right) ? composites.same(leftNode, rightNode, place) : null;
            if (same == null) {
                return Expr.Value.bool(distinct(left, right, operator, place), at);
            }
        }
        return Expr.Value.bool(operator == SqlStdOperatorTable.IS_DISTINCT_FROM ? maker.not(same) : same, at);
    }

    /// Rows are distinct where any pair of their items is.
    private RexNode distinct(Expr left, Expr right, SqlOperator operator, Place place) {
        if (!(left instanceof Expr.Row(List<Expr> ones, var _, var _, var _, var _, var _, int _))
                || !(right instanceof Expr.Row(List<Expr> others, var _, var _, var _, var _, var _, int _))) {
            RexNode equal = operators.call("=", left, right, place).rex();
            List<RexNode> operands = ((RexCall) equal).getOperands();
            return SqlTypes.pgType(operands.get(0).getType()) == PgType.JSONB
                    ? distinct(equal, operands, operator)
                    : maker.notNull(operator, maker.bool(), operands.get(0), operands.get(1));
        }
        if (((Expr.Row) left).mayBeMissing() || ((Expr.Row) right).mayBeMissing()) {
            throw analysis.unsupported(place.find(), "comparing a row that an outer join may not have");
        }
        if (ones.size() != others.size()) {
            throw analysis.error(SqlState.SYNTAX_ERROR, place.find(), "unequal number of entries in row expressions");
        }
        boolean isDistinct = operator == SqlStdOperatorTable.IS_DISTINCT_FROM;
        if (ones.isEmpty()) {
            return maker.literal(!isDistinct);
        }
        List<RexNode> parts = new ArrayList<>();
        for (int index = 0; index < ones.size(); index++) {
            parts.add(distinct(ones.get(index), others.get(index), operator, place));
        }
        return isDistinct ? maker.or(parts) : maker.and(parts);
    }

    /// The same by a function that says whether two values are equal, and nothing of NULL.
    private RexNode distinct(RexNode equal, List<RexNode> operands, SqlOperator operator) {
        List<RexNode> absent = operands.stream()
                .map(operand -> maker.notNull(SqlStdOperatorTable.IS_NULL, maker.bool(), operand))
                .toList();
        RexNode isEqual = maker.notNull(SqlStdOperatorTable.IS_TRUE, maker.bool(), equal);
        RexNode same = maker.or(List.of(isEqual, maker.and(absent)));
        return operator == SqlStdOperatorTable.IS_DISTINCT_FROM ? maker.not(same) : same;
    }

    Expr between(SqlCall call, int at) {
        SqlBetweenOperator operator = (SqlBetweenOperator) call.getOperator();
        SqlNode node = call.operand(0);
        Expr value = expressions.analyze(node);
        Expr low = expressions.analyze(call.operand(1));
        Expr high = expressions.analyze(call.operand(2));
        RexNode inside = range(value, low, high, operator.isNegated(), node);
        if (operator.flag == SqlBetweenOperator.Flag.SYMMETRIC) {
            RexNode swapped = range(value, high, low, operator.isNegated(), node);
            return Expr.Value.bool(
                    operator.isNegated() ? maker.and(List.of(inside, swapped)) : maker.or(List.of(inside, swapped)),
                    at);
        }
        return Expr.Value.bool(inside, at);
    }

    private RexNode range(Expr value, Expr low, Expr high, boolean negated, SqlNode node) {
        RexNode first = operators.infix(negated ? "<" : ">=", value, low, node).rex();
        RexNode second =
                operators.infix(negated ? ">" : "<=", value, high, node).rex();
        return negated ? maker.or(List.of(first, second)) : maker.and(List.of(first, second));
    }

    /// LIKE and ILIKE, with ESCAPE or without.
    Expr like(SqlCall call, int at) {
        SqlLikeOperator operator = (SqlLikeOperator) call.getOperator();
        String name = operator.getName();
        if (name.contains("SIMILAR")) {
            return similar(call, operator.isNegated(), at);
        }
        boolean ilike = name.contains("ILIKE");
        String symbol = (operator.isNegated() ? "!" : "") + "~~" + (ilike ? "*" : "");
        SqlNode node = call.operand(0);
        Expr value = expressions.analyze(node);
        Expr pattern = expressions.analyze(call.operand(1));
        Expr.Value matched = operators.call(symbol, value, pattern, () -> analysis.operatorAfter(node));
        if (call.operandCount() == 2) {
            return matched;
        }
        Expr escapeExpr = expressions.analyze(call.operand(2));
        if (OperatorCalls.isBytes(pattern) || OperatorCalls.isBytes(escapeExpr)) {
            return escapedBytes(matched, operator.isNegated(), escapeExpr, at);
        }
        if (OperatorCalls.isBytes(value)) {
            throw operators.noOperator(
                    symbol, List.of(SqlType.BYTEA, SqlType.TEXT), false, analysis.operatorAfter(node));
        }
        if (!escapeExpr.type().convertsTo(SqlType.TEXT, SqlType.Context.IMPLICIT)) {
            throw expressions
                    .calls()
                    .noFunction("like_escape", List.of(pattern.type(), escapeExpr.type()), false, escapeExpr.at());
        }
        RexNode escape = conversions.implicit(escapeExpr, SqlType.TEXT).rex();
        RexCall outer = (RexCall) matched.rex();
        RexCall inner = operator.isNegated() ? (RexCall) outer.getOperands().get(0) : outer;
        RexNode escaped = maker.call(
                inner.getOperator(),
                maker.bool(),
                inner.getOperands().get(0),
                inner.getOperands().get(1),
                escape);
        return Expr.Value.bool(operator.isNegated() ? maker.not(escaped) : escaped, at);
    }

    /// SIMILAR TO is the operator `~` with its pattern written as a regular expression.
    private Expr similar(SqlCall call, boolean isNegated, int at) {
        SqlNode node = call.operand(0);
        Expr value = expressions.analyze(node);
        List<Expr> pattern = expressions.analyzeAll(call.getOperandList().subList(1, call.operandCount()));
        Expr expression = expressions
                .calls()
                .function("similar_to_escape", pattern, pattern.getFirst().at(), "pg_catalog.similar_to_escape");
        return operators
                .call(isNegated ? "!~" : "~", value, expression, () -> analysis.operatorAfter(node))
                .at(at);
    }

    private Expr escapedBytes(Expr.Value matched, boolean isNegated, Expr escape, int at) {
        if (!escape.type().convertsTo(SqlType.BYTEA, SqlType.Context.IMPLICIT)) {
            throw expressions
                    .calls()
                    .noFunction("like_escape", List.of(SqlType.BYTEA, escape.type()), false, escape.at());
        }
        RexCall outer = (RexCall) matched.rex();
        RexCall inner = isNegated ? (RexCall) outer.getOperands().getFirst() : outer;
        RexNode escaped = Operators.like(
                maker,
                inner.getOperands().get(0),
                inner.getOperands().get(1),
                conversions.implicit(escape, SqlType.BYTEA).rex());
        return Expr.Value.bool(isNegated ? maker.not(escaped) : escaped, at);
    }
}
