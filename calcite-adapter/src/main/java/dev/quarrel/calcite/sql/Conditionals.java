package dev.quarrel.calcite.sql;

import dev.quarrel.calcite.parse.Positions;
import dev.quarrel.calcite.sql.convert.Collations;
import dev.quarrel.calcite.sql.convert.Conversions;
import dev.quarrel.calcite.sql.convert.Expr;
import dev.quarrel.calcite.sql.convert.OtherTypes;
import dev.quarrel.calcite.sql.convert.RecordFields;
import dev.quarrel.calcite.sql.function.FunctionTable;
import dev.quarrel.calcite.sql.function.Operators;
import dev.quarrel.calcite.sql.function.Overloads;
import dev.quarrel.calcite.sql.type.RexMaker;
import dev.quarrel.calcite.sql.type.SqlType;
import dev.quarrel.calcite.sql.type.SqlTypes;
import dev.quarrel.core.type.Collation;
import dev.quarrel.core.type.OtherType;
import dev.quarrel.core.type.SqlState;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import org.apache.calcite.rel.type.RelDataType;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.sql.SqlCall;
import org.apache.calcite.sql.SqlNode;
import org.apache.calcite.sql.SqlOperator;
import org.apache.calcite.sql.fun.SqlCase;
import org.apache.calcite.sql.fun.SqlLibraryOperators;
import org.apache.calcite.sql.fun.SqlStdOperatorTable;

/// Analyses CASE and its short forms: COALESCE, NULLIF, GREATEST and LEAST.
///
/// - Source: PostgreSQL's `parse_expr.c` (transformCaseExpr, transformCoalesceExpr, transformMinMaxExpr).
final class Conditionals {
    private final Analysis analysis;
    private final ExpressionAnalyzer expressions;
    private final OperatorCalls operators;
    private final RexMaker maker;
    private final Conversions conversions;

    Conditionals(Analysis analysis, ExpressionAnalyzer expressions, OperatorCalls operators) {
        this.analysis = analysis;
        this.expressions = expressions;
        this.operators = operators;
        this.maker = analysis.maker();
        this.conversions = analysis.conversions();
    }

    Expr choice(SqlCase choice) {
        int at = Positions.start(choice);
        List<RexNode> conditions = new ArrayList<>();
        for (SqlNode when : choice.getWhenOperands()) {
            conditions.add(expressions.condition(when, "CASE/WHEN"));
        }
        // PostgreSQL looks at ELSE first when it decides the type.
        List<Expr> results = new ArrayList<>();
        SqlNode otherwise = choice.getElseOperand();
        results.add(otherwise == null ? new Expr.Null(at) : expressions.analyze(otherwise));
        results.addAll(expressions.analyzeAll(choice.getThenOperands().getList()));
        SqlType type = analysis.commonTypes().of(results, "CASE");
        List<Expr.Value> values = analysis.commonTypes().unified(results, type, "CASE");
        values.forEach(value -> requireValue(value.rex(), "CASE", value.at()));
        List<RexNode> operands = new ArrayList<>();
        for (int index = 0; index < conditions.size(); index++) {
            operands.add(conditions.get(index));
            operands.add(values.get(index + 1).rex());
        }
        operands.add(values.get(0).rex());
        boolean nullable = values.stream().anyMatch(each -> each.rex().getType().isNullable());
        return oneOf(values, nullable, SqlStdOperatorTable.CASE, operands, at);
    }

    private void requireValue(RexNode operand, String what, int at) {
        if (RowsInSelect.in(operand)) {
            throw analysis.error(
                            SqlState.FEATURE_NOT_SUPPORTED, at, "set-returning functions are not allowed in " + what)
                    .withHint("You might be able to move the set-returning function into a LATERAL FROM item.");
        }
    }

    /// A call whose answer is one of the values, which have one type.
    private Expr.Value oneOf(
            List<Expr.Value> values, boolean nullable, SqlOperator operator, List<RexNode> operands, int at) {
        Expr.Value first = values.getFirst();
        RelDataType result = maker.nullable(first.rex().getType(), nullable);
        Expr.Value value =
                new Expr.Value(maker.builder().makeCall(result, operator, operands), first.type(), first.typmod(), at);
        return analysis.collations().collated(value, values);
    }

    Expr coalesce(SqlCall call, int at) {
        List<Expr> exprs = expressions.analyzeAll(call.getOperandList());
        if (exprs.isEmpty()) {
            int end = call.getParserPosition().getEndColumnNum() - 1;
            throw analysis.error(SqlState.SYNTAX_ERROR, end, "syntax error at or near \")\"");
        }
        SqlType type = analysis.commonTypes().of(exprs, "COALESCE");
        List<Expr.Value> values = analysis.commonTypes().unified(exprs, type, "COALESCE");
        values.forEach(value -> requireValue(value.rex(), "COALESCE", value.at()));
        if (values.size() == 1) {
            return values.get(0).at(at);
        }
        List<RexNode> operands = new ArrayList<>();
        for (int index = 0; index < values.size() - 1; index++) {
            RexNode value = values.get(index).rex();
            operands.add(RecordFields.presence(maker, value));
            operands.add(value);
        }
        operands.add(values.get(values.size() - 1).rex());
        boolean nullable = values.stream().allMatch(each -> each.rex().getType().isNullable());
        return oneOf(values, nullable, SqlStdOperatorTable.CASE, operands, at);
    }

    Expr nullIf(SqlCall call, int at) {
        if (call.operandCount() != 2) {
            throw analysis.error(SqlState.SYNTAX_ERROR, at, "NULLIF requires two arguments");
        }
        Expr left = expressions.analyze(call.operand(0));
        Expr right = expressions.analyze(call.operand(1));
        boolean isItself = OtherTypes.enumOf(left) != null || isRow(left);
        Expr.Value value = isItself ? (Expr.Value) left : compared(left, right, at);
        RexNode equal = operators.call("=", value, right, () -> at).rex();
        List<RexNode> operands = List.of(equal, maker.nullOf(value.rex().getType()), value.rex());
        Expr.Value result = oneOf(List.of(value), true, SqlStdOperatorTable.CASE, operands, at);
        return analysis.collations().collated(result, List.of(left, right));
    }

    private static boolean isRow(Expr expr) {
        return expr instanceof Expr.Value value
                && SqlTypes.isKeyedRow(value.rex().getType());
    }

    /// The left operand of `=` as it is compared.
    private Expr.Value compared(Expr left, Expr right, int at) {
        Overloads.Choice choice = Overloads.operator(Operators.binary("="), List.of(left.type(), right.type()));
        if (choice.signature() == null) {
            throw operators.noOperator("=", List.of(left.type(), right.type()), choice.ambiguous(), at);
        }
        return conversions.implicit(left, choice.signature().arguments().getFirst());
    }

    /// @param name GREATEST or LEAST
    Expr extreme(String name, SqlCall call, int at) {
        List<Expr> exprs = expressions.analyzeAll(call.getOperandList());
        SqlType type = analysis.commonTypes().of(exprs, name);
        OtherType ordered = exprs.stream()
                .map(OtherTypes::enumOf)
                .filter(Objects::nonNull)
                .findFirst()
                .orElse(null);
        if (type == SqlType.OTHER && ordered == null && !exprs.stream().anyMatch(Conditionals::isRow)) {
            throw expressions.calls().noFunction(name, FunctionCalls.types(exprs), false, at);
        }
        List<Expr.Value> values = analysis.commonTypes().unified(exprs, type, name);
        if (type == SqlType.OTHER && ordered == null) {
            return extremeRow(name, values, at);
        }
        if (type == SqlType.OTHER) {
            List<Expr.Value> places = new ArrayList<>();
            values.forEach(
                    each -> places.add(new Expr.Value(OtherTypes.place(maker, each.rex()), SqlType.INT4, each.at())));
            RexNode place = extreme(name, places, at).rex();
            return new Expr.Value(OtherTypes.label(maker, place, ordered), SqlType.OTHER, at);
        }
        return extreme(name, values, at);
    }

    /// Of composites, or arrays of them, by keys with the values behind them.
    private Expr.Value extremeRow(String name, List<Expr.Value> values, int at) {
        RelDataType type = maker.nullable(values.getFirst().rex().getType(), false);
        if (!SqlTypes.isKeyedRow(type)) {
            throw expressions
                    .calls()
                    .noFunction(name, values.stream().map(Expr.Value::type).toList(), false, at);
        }
        List<Expr.Value> ranked = values.stream()
                .map(each -> new Expr.Value(Operators.ranked(maker, each.rex()), SqlType.BYTEA, each.at()))
                .toList();
        RexNode found = Operators.unrankedRow(maker, extreme(name, ranked, at).rex(), type);
        return new Expr.Value(found, SqlType.OTHER, at);
    }

    private Expr.Value extreme(String name, List<Expr.Value> values, int at) {
        boolean nullable = values.stream().allMatch(each -> each.rex().getType().isNullable());
        Collations collations = analysis.collations();
        Collation collation = collations.comparing(values, at);
        SqlType type = values.getFirst().type();
        if (collation != null && type.isArray()) {
            throw collations.noOrderOfArrays(collation, at);
        }
        if (collation != null) {
            RexNode like = values.getFirst().rex();
            List<Expr.Value> keys = values.stream()
                    .map(each -> new Expr.Value(collations.key(each.rex(), collation), SqlType.BYTEA, each.at()))
                    .toList();
            RexNode key = extreme(name, keys, nullable, at).rex();
            Expr.Value text = new Expr.Value(
                    collations.text(key, like.getType()),
                    type,
                    values.getFirst().typmod(),
                    at);
            return collations.collated(text, values);
        }
        return extreme(name, values, nullable, at);
    }

    private Expr.Value extreme(String name, List<Expr.Value> values, boolean nullable, int at) {
        SqlOperator operator = name.equals("GREATEST") ? SqlLibraryOperators.GREATEST_PG : SqlLibraryOperators.LEAST_PG;
        SqlType type = values.getFirst().type();
        if (type == SqlType.WIDE_NUMERIC) {
            String step = "wide_" + name.toLowerCase(Locale.ROOT);
            RexNode found = values.getFirst().rex();
            for (Expr.Value value : values.subList(1, values.size())) {
                found = FunctionTable.internal(maker, step, List.of(type, type), found, value.rex());
            }
            return new Expr.Value(found, type, at);
        }
        if (type.isKeyed() && !type.isEqualAsText()) {
            throw analysis.unsupported(at, name + " of type " + type.displayName());
        }
        if (type.isKeyed()) {
            List<RexNode> ranked = values.stream()
                    .map(each -> Operators.ranked(maker, each.rex()))
                    .toList();
            RelDataType bytes = maker.nullable(maker.rel(SqlType.BYTEA), nullable);
            RexNode found = maker.builder().makeCall(bytes, operator, ranked);
            return new Expr.Value(Operators.unranked(maker, found, type), type, at);
        }
        return oneOf(
                values, nullable, operator, values.stream().map(Expr.Value::rex).toList(), at);
    }
}
