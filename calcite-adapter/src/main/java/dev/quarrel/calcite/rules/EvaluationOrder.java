package dev.quarrel.calcite.rules;

import java.util.Comparator;
import java.util.List;
import org.apache.calcite.rex.RexCall;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.rex.RexOver;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.type.SqlTypeUtil;

/// The order in which PostgreSQL asks the conditions of one place: those of fewer calls first, and as they are written
/// where they are equal. It decides which rows a condition sees that can fail.
///
/// Source: PostgreSQL's order_qual_clauses and cost_qual_eval (createplan.c, costsize.c), where most functions cost
/// one unit, and AND, OR, NOT, CASE, COALESCE and tests for NULL cost nothing themselves.
final class EvaluationOrder {
    /// What one of a list's items costs: PostgreSQL expects to find a match after half of them.
    private static final double LIST_ITEM = 0.5;

    /// What a look into a hashed list costs.
    private static final double HASHED_LIST = 2;

    private EvaluationOrder() {}

    static List<RexNode> of(List<RexNode> conditions) {
        return conditions.stream()
                .sorted(Comparator.comparingDouble(EvaluationOrder::cost))
                .toList();
    }

    private static double cost(RexNode node) {
        if (!(node instanceof RexCall call) || node instanceof RexOver) {
            return 0;
        }
        double operands =
                call.getOperands().stream().mapToDouble(EvaluationOrder::cost).sum();
        return switch (call.getKind()) {
            case OR -> isList(call) ? listCost(call) : operands;
            case AND,
                    NOT,
                    CASE,
                    COALESCE,
                    IS_NULL,
                    IS_NOT_NULL,
                    IS_TRUE,
                    IS_NOT_TRUE,
                    IS_FALSE,
                    IS_NOT_FALSE,
                    IS_UNKNOWN -> operands;
            case SEARCH -> operands + HASHED_LIST;
            case CAST -> operands + (isFree(call) ? 0 : 1);
            default -> operands + 1;
        };
    }

    /// PostgreSQL compares integers of different widths, and texts, without a conversion.
    private static boolean isFree(RexCall cast) {
        RexNode operand = cast.getOperands().getFirst();
        return SqlTypeUtil.isIntType(cast.getType()) && SqlTypeUtil.isIntType(operand.getType())
                || SqlTypeUtil.isCharacter(cast.getType()) && SqlTypeUtil.isCharacter(operand.getType());
    }

    /// Whether an OR is what `IN (…)` became.
    private static boolean isList(RexCall or) {
        RexNode first = or.getOperands().getFirst();
        return first instanceof RexCall compared
                && or.getOperands().stream()
                        .allMatch(item -> item instanceof RexCall comparison
                                && comparison.isA(SqlKind.EQUALS)
                                && comparison
                                        .getOperands()
                                        .getFirst()
                                        .equals(compared.getOperands().getFirst()));
    }

    private static double listCost(RexCall or) {
        RexCall first = (RexCall) or.getOperands().getFirst();
        return cost(first.getOperands().getFirst())
                + LIST_ITEM * or.getOperands().size();
    }
}
