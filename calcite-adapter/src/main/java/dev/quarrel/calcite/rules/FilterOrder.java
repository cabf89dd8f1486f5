package dev.quarrel.calcite.rules;

import dev.quarrel.calcite.lower.Failing;
import dev.quarrel.calcite.metadata.QuarrelMetadata;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.calcite.plan.RelOptUtil;
import org.apache.calcite.rel.RelHomogeneousShuttle;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.core.Filter;
import org.apache.calcite.rex.RexCall;
import org.apache.calcite.rex.RexInputRef;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.rex.RexUtil;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.type.SqlTypeUtil;

/// Orders the conditions of each filter so that cheap ones that few rows meet are asked first: a condition is asked of
/// the rows alone that the ones before it have left.
///
/// A condition that can fail stays where it is, behind all that were before it: they decide which rows it sees.
final class FilterOrder extends RelHomogeneousShuttle {
    /// What conditions cost a row, in comparisons of two integers.
    private static final double COMPARISON = 1;

    private static final double TEXT_COMPARISON = 3;
    private static final double PATTERN = 20;
    private static final double CALL = 8;

    /// A condition that nearly all rows meet is worth little, but the division needs a bound.
    private static final double LEAST_REMOVED = 0.001;

    private FilterOrder() {}

    static RelNode apply(RelNode root) {
        return new FilterOrder().visit(root);
    }

    @Override
    public RelNode visit(RelNode node) {
        RelNode rel = super.visit(node);
        if (!(rel instanceof Filter filter)) {
            return rel;
        }
        List<RexNode> conditions = RelOptUtil.conjunctions(filter.getCondition());
        if (conditions.size() < 2) {
            return rel;
        }
        List<RexNode> ordered = ordered(filter.getInput(), conditions);
        if (ordered.equals(conditions)) {
            return rel;
        }
        RexNode condition = RexUtil.composeConjunction(rel.getCluster().getRexBuilder(), ordered);
        return filter.copy(filter.getTraitSet(), filter.getInput(), condition);
    }

    private static List<RexNode> ordered(RelNode input, List<RexNode> conditions) {
        Failing failing = Failing.over(input.getRowType(), input.getCluster().getRexBuilder());
        List<RexNode> ordered = new ArrayList<>();
        Map<RexNode, List<RexNode>> free = new LinkedHashMap<>();
        for (RexNode condition : conditions) {
            if (failing.canFail(condition) || !RexUtil.isDeterministic(condition)) {
                move(input, free, ordered);
                ordered.add(condition);
            } else {
                free.computeIfAbsent(bounded(condition), _ -> new ArrayList<>()).add(condition);
            }
        }
        move(input, free, ordered);
        return ordered;
    }

    /// The expression that a condition bounds by a constant, else the condition: devices test both bounds of a value at
    /// once where they follow each other.
    private static RexNode bounded(RexNode condition) {
        if (condition instanceof RexCall call
                && SqlKind.COMPARISON.contains(call.getKind())
                && call.getKind() != SqlKind.NOT_EQUALS) {
            if (RexUtil.isConstant(call.getOperands().getLast())) {
                return call.getOperands().getFirst();
            }
            if (RexUtil.isConstant(call.getOperands().getFirst())) {
                return call.getOperands().getLast();
            }
        }
        return condition;
    }

    private record Ranked(List<RexNode> conditions, int rank) {}

    private static void move(RelNode input, Map<RexNode, List<RexNode>> free, List<RexNode> ordered) {
        free.values().stream()
                .map(each -> new Ranked(each, rank(input, each)))
                .sorted(Comparator.comparingInt(Ranked::rank))
                .forEach(each -> ordered.addAll(each.conditions()));
        free.clear();
    }

    /// The cost of removing a row, as a power of two: shares are of samples, and what differs by chance alone stays in
    /// the statement's order.
    ///
    /// - Source: Hellerstein and Stonebraker, "Predicate Migration" (1993), rank by cost over 1 - selectivity.
    private static int rank(RelNode input, List<RexNode> conditions) {
        RexNode all = RexUtil.composeConjunction(input.getCluster().getRexBuilder(), conditions);
        double removed = 1 - QuarrelMetadata.of(input).rowCounts().share(input, all);
        double cost = cost(conditions.getFirst()) + (conditions.size() - 1) * COMPARISON / 2;
        return (int) Math.round(Math.log(cost / Math.max(LEAST_REMOVED, removed)) / Math.log(2));
    }

    private static double cost(RexNode node) {
        if (!(node instanceof RexCall call)) {
            return 0;
        }
        double operands =
                call.getOperands().stream().mapToDouble(FilterOrder::cost).sum();
        if (SqlKind.COMPARISON.contains(call.getKind())) {
            return operands
                    + comparison(
                            call.getOperands().getFirst(), call.getOperands().getLast());
        }
        return switch (call.getKind()) {
            case AND, OR, NOT, IS_NULL, IS_NOT_NULL, IS_TRUE, IS_FALSE, IS_NOT_TRUE, IS_NOT_FALSE, CASE, COALESCE ->
                operands + COMPARISON / 2;
            case LIKE, SIMILAR, POSIX_REGEX_CASE_SENSITIVE, POSIX_REGEX_CASE_INSENSITIVE, RLIKE -> operands + PATTERN;
            case PLUS, MINUS, TIMES, CAST -> operands + COMPARISON;
            case SEARCH -> operands + 2 * COMPARISON;
            default -> operands + CALL;
        };
    }

    /// A column of texts and a constant are compared code by code where the column has codes; two columns are not.
    private static double comparison(RexNode one, RexNode other) {
        if (!SqlTypeUtil.isCharacter(one.getType())) {
            return COMPARISON;
        }
        boolean isOfTwo = one instanceof RexInputRef && other instanceof RexInputRef;
        return isOfTwo ? 2 * TEXT_COMPARISON : TEXT_COMPARISON;
    }
}
