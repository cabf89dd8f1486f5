package dev.quarrel.calcite.rules;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.apache.calcite.plan.RelOptUtil;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.core.Aggregate;
import org.apache.calcite.rel.core.AggregateCall;
import org.apache.calcite.rel.core.Filter;
import org.apache.calcite.rel.core.Join;
import org.apache.calcite.rel.core.JoinRelType;
import org.apache.calcite.rel.core.Project;
import org.apache.calcite.rel.logical.LogicalProject;
import org.apache.calcite.rel.type.RelDataTypeField;
import org.apache.calcite.rex.RexBuilder;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.util.ImmutableBitSet;

/// Leaves out LEFT JOINs of whose right side nobody reads a column, where a row finds one partner at most: a LEFT JOIN
/// keeps each row of its left side, so it changes nothing then. Where rows are not counted, [Repeats] does so.
///
/// NULL takes the place of the columns, so that the others keep theirs.
final class UnreadJoins {
    private UnreadJoins() {}

    /// What a node may be instead, or null.
    static RelNode leftOut(Project project) {
        if (!project.getVariablesSet().isEmpty()) {
            return null;
        }
        RelNode input = Rewrite.input(project, 0);
        RelNode without = without(input, RelOptUtil.InputFinder.bits(project.getProjects(), null));
        return without == input ? null : project.copy(project.getTraitSet(), List.of(without));
    }

    /// What a node may be instead, or null.
    static RelNode leftOut(Aggregate aggregate) {
        RelNode input = Rewrite.input(aggregate, 0);
        RelNode without = without(input, read(aggregate));
        return without == input ? null : aggregate.copy(aggregate.getTraitSet(), List.of(without));
    }

    private static ImmutableBitSet read(Aggregate aggregate) {
        ImmutableBitSet.Builder read = ImmutableBitSet.builder();
        read.addAll(aggregate.getGroupSet());
        for (AggregateCall call : aggregate.getAggCallList()) {
            call.getArgList().forEach(read::set);
            call.getCollation().getKeys().forEach(read::set);
            if (call.filterArg >= 0) {
                read.set(call.filterArg);
            }
        }
        return read.build();
    }

    /// @param read columns that have to have their values
    private static RelNode without(RelNode rel, ImmutableBitSet read) {
        return switch (rel) {
            case Join join when join.getVariablesSet().isEmpty() -> ofJoin(join, read);
            case Filter filter
            when filter.getVariablesSet().isEmpty() -> {
                RelNode input = Rewrite.input(filter, 0);
                RelNode without = without(input, read.union(RelOptUtil.InputFinder.bits(filter.getCondition())));
                yield without == input ? filter : filter.copy(filter.getTraitSet(), List.of(without));
            }
            default -> rel;
        };
    }

    private static RelNode ofJoin(Join join, ImmutableBitSet read) {
        int width = join.getLeft().getRowType().getFieldCount();
        RelNode left = Rewrite.input(join, 0);
        RelNode right = Rewrite.input(join, 1);
        if (join.getJoinType() == JoinRelType.LEFT && read.length() <= width && Uniqueness.hasOneMatch(join)) {
            return withNulls(join, without(left, read));
        }
        ImmutableBitSet all = read.union(RelOptUtil.InputFinder.bits(join.getCondition()));
        RelNode newLeft = without(left, all.intersect(ImmutableBitSet.range(width)));
        RelNode newRight =
                without(right, all.except(ImmutableBitSet.range(width)).shift(-width));
        return newLeft == left && newRight == right ? join : join.copy(join.getTraitSet(), List.of(newLeft, newRight));
    }

    private static RelNode withNulls(Join join, RelNode left) {
        RexBuilder rexBuilder = join.getCluster().getRexBuilder();
        int width = join.getLeft().getRowType().getFieldCount();
        List<RexNode> columns = new ArrayList<>();
        for (RelDataTypeField field : join.getRowType().getFieldList()) {
            columns.add(
                    field.getIndex() < width
                            ? rexBuilder.makeInputRef(field.getType(), field.getIndex())
                            : rexBuilder.makeNullLiteral(field.getType()));
        }
        return LogicalProject.create(left, List.of(), columns, join.getRowType().getFieldNames(), Set.of());
    }
}
