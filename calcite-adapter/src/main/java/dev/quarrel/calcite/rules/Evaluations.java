package dev.quarrel.calcite.rules;

import dev.quarrel.calcite.lower.Failing;
import dev.quarrel.calcite.rel.SharedRows;
import java.util.List;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.core.Filter;
import org.apache.calcite.rel.core.Join;
import org.apache.calcite.rel.core.Project;
import org.apache.calcite.rel.core.TableScan;
import org.apache.calcite.rel.type.RelDataType;
import org.apache.calcite.rex.RexBuilder;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.rex.RexUtil;

/// Tells whether anybody would notice that something is not evaluated, or for fewer rows: expressions that can fail,
/// and random ones.
final class Evaluations {
    private final RexBuilder rexBuilder;

    Evaluations(RexBuilder rexBuilder) {
        this.rexBuilder = rexBuilder;
    }

    /// @param rowType of the columns that they are over
    boolean isSilent(List<RexNode> expressions, RelDataType rowType) {
        Failing failing = Failing.over(rowType, rexBuilder);
        return expressions.stream().allMatch(each -> RexUtil.isDeterministic(each) && !failing.canFail(each));
    }

    boolean hasSilentCondition(Join join) {
        // A semi join's own row is that of its left side.
        RelDataType pair = rexBuilder
                .getTypeFactory()
                .builder()
                .addAll(join.getLeft().getRowType().getFieldList())
                .addAll(join.getRight().getRowType().getFieldList())
                .uniquify()
                .build();
        return isSilent(List.of(join.getCondition()), pair);
    }

    /// Whether nobody would notice that the node's rows are not made; `false` for nodes that nothing is known of.
    boolean isSilent(RelNode rel) {
        return switch (rel) {
            case TableScan _ -> true;
            case SharedRows rows -> isSilent(rows.query().rel());
            case Filter filter -> isSilentOver(filter, List.of(filter.getCondition()));
            case Project project -> isSilentOver(project, project.getProjects());
            case Join join ->
                hasSilentCondition(join) && isSilent(Rewrite.input(join, 0)) && isSilent(Rewrite.input(join, 1));
            default -> false;
        };
    }

    private boolean isSilentOver(RelNode rel, List<RexNode> expressions) {
        RelNode input = Rewrite.input(rel, 0);
        return isSilent(expressions, input.getRowType()) && isSilent(input);
    }
}
