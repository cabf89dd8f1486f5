package dev.quarrel.calcite.rules;

import dev.quarrel.calcite.rel.QuarrelProject;
import dev.quarrel.calcite.rel.QuarrelWindow;
import dev.quarrel.core.ir.Sink;
import dev.quarrel.core.ir.WindowCall;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rex.RexCall;
import org.apache.calcite.rex.RexInputRef;
import org.apache.calcite.rex.RexLiteral;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.type.SqlTypeUtil;

/// Finds the first rows of each partition: `row_number() <= 3` or `rank() = 1` over a window. The window may forget
/// others before it computes anything; the condition stays.
///
/// Nothing that is evaluated for fewer rows then may fail.
final class FirstRows {
    private FirstRows() {}

    /// A filter's input, which says what the conditions ask of it.
    static RelNode asked(RelNode input, List<RexNode> conditions) {
        if (!(input instanceof QuarrelProject project)
                || !(project.getInput() instanceof QuarrelWindow window)
                || !window.first().isAll()
                || !window.calls().stream().allMatch(WindowCall::looksBack)) {
            return input;
        }
        Sink.Window.First asked = null;
        List<RexNode> others = new ArrayList<>();
        for (RexNode condition : conditions) {
            Sink.Window.First first = asked == null ? first(condition, project, window) : null;
            if (first == null) {
                others.add(condition);
            } else {
                asked = first;
            }
        }
        Evaluations evaluations = new Evaluations(input.getCluster().getRexBuilder());
        if (asked == null
                || !evaluations.isSilent(others, project.getRowType())
                || !evaluations.isSilent(project.getProjects(), window.getRowType())) {
            return input;
        }
        return project.copy(project.getTraitSet(), List.of(window.withFirst(asked)));
    }

    /// What a comparison of a position with a constant asks for; null for other conditions.
    private static Sink.Window.First first(RexNode condition, QuarrelProject project, QuarrelWindow window) {
        if (!(condition instanceof RexCall call) || call.getOperands().size() != 2) {
            return null;
        }
        RexNode one = call.getOperands().get(0);
        RexNode other = call.getOperands().get(1);
        SqlKind kind =
                one instanceof RexInputRef ? call.getKind() : call.getKind().reverse();
        RexNode position = one instanceof RexInputRef ? one : other;
        RexNode bound = one instanceof RexInputRef ? other : one;
        if (!(position instanceof RexInputRef shown)
                || !(bound instanceof RexLiteral literal)
                || literal.isNull()
                || !(project.getProjects().get(shown.getIndex()) instanceof RexInputRef column)) {
            return null;
        }
        int number = column.getIndex() - window.getInput().getRowType().getFieldCount();
        if (number < 0 || !(window.calls().get(number) instanceof WindowCall.Position(WindowCall.PositionKind made))) {
            return null;
        }
        boolean isBound = kind == SqlKind.LESS_THAN_OR_EQUAL || kind == SqlKind.LESS_THAN || kind == SqlKind.EQUALS;
        if (!isBound || !SqlTypeUtil.isExactNumeric(literal.getType())) {
            return null;
        }
        BigDecimal last = literal.getValueAs(BigDecimal.class);
        BigDecimal rows = kind == SqlKind.LESS_THAN ? last.subtract(BigDecimal.ONE) : last;
        boolean isRows = rows.signum() >= 0 && rows.stripTrailingZeros().scale() <= 0;
        if (!isRows || rows.compareTo(BigDecimal.valueOf(Integer.MAX_VALUE)) > 0) {
            return null;
        }
        return switch (made) {
            case ROW_NUMBER -> new Sink.Window.First(rows.longValueExact(), Sink.Window.Ties.CUT);
            case RANK -> new Sink.Window.First(rows.longValueExact(), Sink.Window.Ties.KEPT);
            case DENSE_RANK -> new Sink.Window.First(rows.longValueExact(), Sink.Window.Ties.COUNTED_ONCE);
            case PERCENT_RANK, CUME_DIST -> null;
        };
    }
}
