package dev.quarrel.calcite.sql;

import dev.quarrel.calcite.parse.Quantified;
import dev.quarrel.calcite.sql.convert.Collating;
import dev.quarrel.calcite.sql.convert.CommonTypes;
import dev.quarrel.calcite.sql.convert.Conversions;
import dev.quarrel.calcite.sql.convert.Expr;
import dev.quarrel.calcite.sql.type.RexMaker;
import dev.quarrel.calcite.sql.type.SqlType;
import dev.quarrel.core.function.ArrayOperation;
import dev.quarrel.core.type.SqlState;
import java.util.ArrayList;
import java.util.List;
import org.apache.calcite.rex.RexCall;
import org.apache.calcite.rex.RexLiteral;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.rex.RexUtil;
import org.apache.calcite.sql.SqlCall;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.SqlNode;
import org.apache.calcite.sql.SqlNodeList;
import org.apache.calcite.sql.fun.SqlQuantifyOperator;

/// Analyses comparisons with each of several values: `x IN (…)`, `x op ANY (array)`, `x op ALL (array)`.
///
/// - Source: PostgreSQL's `parse_expr.c` (transformAExprIn, transformAExprOpAny).
final class ListComparisons {
    /// From this many items on an IN list is a SEARCH.
    private static final int SEARCH_ITEMS = 20;

    private final Analysis analysis;
    private final ExpressionAnalyzer expressions;
    private final OperatorCalls operators;
    private final ArrayCalls arrays;
    private final SubQueries subQueries;
    private final RexMaker maker;
    private final Conversions conversions;

    ListComparisons(
            Analysis analysis,
            ExpressionAnalyzer expressions,
            OperatorCalls operators,
            ArrayCalls arrays,
            SubQueries subQueries) {
        this.analysis = analysis;
        this.expressions = expressions;
        this.operators = operators;
        this.arrays = arrays;
        this.subQueries = subQueries;
        this.maker = analysis.maker();
        this.conversions = analysis.conversions();
    }

    /// Whether `x symbol ANY (…)`, or ALL, is `x IN (…)` or `x NOT IN (…)`.
    static boolean isMembership(String symbol, boolean all) {
        return symbol.equals(all ? "<>" : "=");
    }

    Expr in(SqlCall call, boolean negated, int at) {
        SqlNode right = call.operand(1);
        if (!(right instanceof SqlNodeList list)) {
            return subQueries.in(call.operand(0), right, negated, at);
        }
        SqlNode node = call.operand(0);
        Expr left = expressions.analyze(node);
        Expr inRows = left.type() == SqlType.OTHER && list.getList().stream().anyMatch(RowComparisons::isWritten)
                ? inRows(node, list, negated, at)
                : null;
        if (inRows != null) {
            return inRows;
        }
        return inList(left, expressions.analyzeAll(list.getList()), negated ? "<>" : "=", negated, node, at);
    }

    /// A composite among rows that are written out; null where it is none, or one of them is none.
    private Expr inRows(SqlNode node, SqlNodeList list, boolean negated, int at) {
        RowComparisons composites = new RowComparisons(analysis, operators, expressions);
        List<RexNode> parts = new ArrayList<>();
        for (SqlNode item : list) {
            Expr.Value part = composites.of(negated ? "<>" : "=", node, item, () -> analysis.operatorAfter(node));
            if (part == null) {
                return null;
            }
            parts.add(part.rex());
        }
        return Expr.Value.bool(negated ? maker.and(parts) : maker.or(parts), at);
    }

    /// `left op ANY (items)`, or ALL.
    private Expr inList(Expr left, List<Expr> items, String symbol, boolean all, SqlNode node, int at) {
        if (items.isEmpty()) {
            return Expr.Value.bool(maker.literal(all), at);
        }
        List<Expr> converted = left instanceof Expr.Row ? items : withCommonType(left, items);
        List<RexNode> parts = new ArrayList<>();
        boolean isMembership = isMembership(symbol, all);
        if (isMembership && !(left instanceof Expr.Row)) {
            List<Expr> compared = new ArrayList<>(converted);
            compared.addFirst(left);
            analysis.collations().requireEquality(compared, left.at());
        }
        ConstantLists.Found found = isMembership ? new ConstantLists(maker, conversions).in(left, converted) : null;
        if (found != null) {
            parts.add(all ? maker.not(found.rex()) : found.rex());
        }
        for (Expr item : found == null ? converted : found.rest()) {
            Expr.Value part = operators.infix(symbol, left, item, node);
            if (part.type() != SqlType.BOOL) {
                throw analysis.error(
                        SqlState.WRONG_OBJECT_TYPE,
                        analysis.operatorAfter(node),
                        "op ANY/ALL (array) requires operator to yield boolean");
            }
            parts.add(part.rex());
        }
        RexNode search = isMembership ? search(parts, all) : null;
        return Expr.Value.bool(search != null ? search : all ? maker.and(parts) : maker.or(parts), at);
    }

    /// The items, with constants among them as the type that they and the left side have in common.
    private List<Expr> withCommonType(Expr left, List<Expr> items) {
        List<Expr> constants = new ArrayList<>();
        constants.add(left);
        for (Expr item : items) {
            if (isConstant(item)) {
                constants.add(item);
            }
        }
        // PostgreSQL makes an array of two constants or more; a single one is compared as by the operator.
        SqlType common = constants.size() > 2 ? CommonTypes.find(constants) : null;
        if (common == null
                || common == SqlType.OTHER
                || common.category() == SqlType.Category.PSEUDO
                || common.pgType() == null) {
            return items;
        }
        List<Expr> converted = new ArrayList<>();
        for (Expr item : items) {
            converted.add(isConstant(item) ? conversions.implicit(item, common) : item);
        }
        return converted;
    }

    /// Whether it has no column of this query.
    private static boolean isConstant(Expr expr) {
        return !(expr instanceof Expr.Value value) || !RexUtil.containsInputRef(value.rex());
    }

    /// Many comparisons of one expression with literals as one SEARCH; null where they are not that.
    private RexNode search(List<RexNode> comparisons, boolean negated) {
        if (comparisons.size() < SEARCH_ITEMS) {
            return null;
        }
        RexNode value = null;
        List<RexNode> literals = new ArrayList<>();
        for (RexNode comparison : comparisons) {
            if (!(comparison instanceof RexCall call)
                    || !(call.getOperands().get(1) instanceof RexLiteral literal)
                    || literal.isNull()
                    || value != null && !value.equals(call.getOperands().get(0))) {
                return null;
            }
            value = call.getOperands().get(0);
            literals.add(literal);
        }
        RexNode in = maker.builder().makeIn(value, literals);
        return negated ? maker.not(in) : in;
    }

    /// The items of an array that is written out in one dimension; null for any other.
    private List<Expr> items(Expr array) {
        return switch (array) {
            case Expr.Text(String text, int at, Collating _) ->
                conversions.arrays().items(text, at);
            case Expr.Array(List<Expr> items, SqlType _, int _) ->
                items.stream()
                                .anyMatch(item -> item instanceof Expr.Array
                                        || item.type().isArray())
                        ? null
                        : items;
            case Expr.Value value
            when value.type().isArray() -> conversions.arrays().items(value);
            default -> null;
        };
    }

    Expr quantified(SqlCall call, int at) {
        boolean all = call.getKind() == SqlKind.ALL;
        String symbol = call.getOperator() instanceof Quantified quantified
                ? quantified.symbol()
                : ((SqlQuantifyOperator) call.getOperator()).comparisonKind.sql;
        SqlNode right = call.operand(1);
        if (!(right instanceof SqlNodeList list)) {
            if (ArrayOperation.Comparison.of(symbol) == null) {
                throw analysis.unsupported(
                        analysis.operatorAfter(call.operand(0)), "ANY and ALL of a query with the operator " + symbol);
            }
            return subQueries.quantified(call.operand(0), symbol, right, all, at);
        }
        SqlNode node = call.operand(0);
        Expr left = expressions.analyze(node);
        Expr array = expressions.open(list.get(0));
        List<Expr> items = items(array);
        if (items != null) {
            return inList(left, items, symbol, all, node, at);
        }
        if (array.type() == SqlType.UNKNOWN && left.type().array() != null) {
            array = conversions.implicit(array, left.type().array());
        }
        boolean isMembership = isMembership(symbol, all);
        if (isMembership && arrays.isArrayText(array)) {
            RexNode contains = arrays.textContains(array, left);
            return Expr.Value.bool(all ? maker.not(contains) : contains, at);
        }
        if (array instanceof Expr.Value value && value.type().isArray()) {
            return arrays.test(left, symbol, all, value, () -> analysis.operatorAfter(node));
        }
        if (array.type() == SqlType.UNKNOWN || array.type() == SqlType.OTHER) {
            throw analysis.unsupported(array.at(), "ANY and ALL over an array that is not written out");
        }
        throw analysis.error(
                SqlState.WRONG_OBJECT_TYPE,
                analysis.operatorAfter(node),
                "op ANY/ALL (array) requires array on right side");
    }
}
