package dev.quarrel.calcite.rules;

import dev.quarrel.calcite.lower.Failing;
import dev.quarrel.calcite.rel.SharedRows;
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
import org.apache.calcite.rel.core.TableScan;
import org.apache.calcite.rel.logical.LogicalProject;
import org.apache.calcite.rel.type.RelDataType;
import org.apache.calcite.rel.type.RelDataTypeField;
import org.apache.calcite.rex.RexBuilder;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.rex.RexUtil;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.util.ImmutableBitSet;

/// Leaves out LEFT JOINs of whose right side nobody reads a column. A LEFT JOIN keeps each row of its left side, so it
/// changes nothing then where a row finds one partner at most, or where repeated rows do not count.
///
/// NULL takes the place of the columns, so that the others keep theirs.
final class UnreadJoins {
    private final RexBuilder rexBuilder;

    private UnreadJoins(RexBuilder rexBuilder) {
        this.rexBuilder = rexBuilder;
    }

    /// What a node may be instead, or null.
    static RelNode leftOut(Project project) {
        if (!project.getVariablesSet().isEmpty()) {
            return null;
        }
        UnreadJoins joins = new UnreadJoins(project.getCluster().getRexBuilder());
        RelNode input = Rewrite.input(project, 0);
        RelNode without = joins.without(input, RelOptUtil.InputFinder.bits(project.getProjects(), null), false);
        return without == input ? null : project.copy(project.getTraitSet(), List.of(without));
    }

    /// What a node may be instead, or null.
    static RelNode leftOut(Aggregate aggregate) {
        UnreadJoins joins = new UnreadJoins(aggregate.getCluster().getRexBuilder());
        RelNode input = Rewrite.input(aggregate, 0);
        boolean isOnce = aggregate.getAggCallList().stream().allMatch(UnreadJoins::ignoresRepeats);
        RelNode without = joins.without(input, read(aggregate), isOnce);
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

    private static boolean ignoresRepeats(AggregateCall call) {
        SqlKind kind = call.getAggregation().getKind();
        return kind == SqlKind.MIN
                || kind == SqlKind.MAX
                || call.isDistinct() && (kind == SqlKind.COUNT || kind == SqlKind.SUM || kind == SqlKind.AVG);
    }

    /// @param read columns that have to have their values
    /// @param isOnce whether it does not matter how often a row is there
    private RelNode without(RelNode rel, ImmutableBitSet read, boolean isOnce) {
        return switch (rel) {
            case Join join when join.getVariablesSet().isEmpty() -> ofJoin(join, read, isOnce);
            case Filter filter
            when filter.getVariablesSet().isEmpty() -> {
                ImmutableBitSet below = read.union(RelOptUtil.InputFinder.bits(filter.getCondition()));
                RelNode input = Rewrite.input(filter, 0);
                RelNode without = without(input, below, isOnce && RexUtil.isDeterministic(filter.getCondition()));
                yield without == input ? filter : filter.copy(filter.getTraitSet(), List.of(without));
            }
            // What it reads is another question; how often its rows come is this one.
            case Project project
            when isOnce
                    && project.getVariablesSet().isEmpty()
                    && !project.containsOver()
                    && project.getProjects().stream().allMatch(RexUtil::isDeterministic) -> {
                RelNode input = Rewrite.input(project, 0);
                RelNode without = without(input, RelOptUtil.InputFinder.bits(project.getProjects(), null), true);
                yield without == input ? project : project.copy(project.getTraitSet(), List.of(without));
            }
            default -> rel;
        };
    }

    private RelNode ofJoin(Join join, ImmutableBitSet read, boolean isOnce) {
        int width = join.getLeft().getRowType().getFieldCount();
        RelNode left = Rewrite.input(join, 0);
        RelNode right = Rewrite.input(join, 1);
        boolean isUnread = join.getJoinType() == JoinRelType.LEFT && read.length() <= width;
        boolean isPlain = RexUtil.isDeterministic(join.getCondition());
        if (isUnread && (Uniqueness.hasOneMatch(join) || isOnce && isSafe(join))) {
            return withNulls(join, without(left, read, isOnce));
        }
        ImmutableBitSet all = read.union(RelOptUtil.InputFinder.bits(join.getCondition()));
        boolean isSemi = !join.getJoinType().projectsRight();
        RelNode newLeft = without(left, all.intersect(ImmutableBitSet.range(width)), isPlain && isOnce);
        RelNode newRight = without(
                right,
                all.except(ImmutableBitSet.range(width)).shift(-width),
                isPlain && (isOnce || isSemi && join.getJoinType() != JoinRelType.LEFT_MARK));
        return newLeft == left && newRight == right ? join : join.copy(join.getTraitSet(), List.of(newLeft, newRight));
    }

    private RelNode withNulls(Join join, RelNode left) {
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

    /// Whether nothing fails, and nothing is random, that would not be evaluated.
    private boolean isSafe(Join join) {
        // A semi join's own row is that of its left side.
        RelDataType pair = rexBuilder
                .getTypeFactory()
                .builder()
                .addAll(join.getLeft().getRowType().getFieldList())
                .addAll(join.getRight().getRowType().getFieldList())
                .uniquify()
                .build();
        return isSafe(List.of(join.getCondition()), pair) && isSafe(Rewrite.input(join, 1));
    }

    private boolean isSafe(RelNode rel) {
        return switch (rel) {
            case TableScan _ -> true;
            case SharedRows rows -> isSafe(rows.query().rel());
            case Filter filter -> isSafeOver(filter, List.of(filter.getCondition()));
            case Project project -> isSafeOver(project, project.getProjects());
            case Join join -> isSafe(join) && isSafe(Rewrite.input(join, 0));
            default -> false;
        };
    }

    private boolean isSafeOver(RelNode rel, List<RexNode> expressions) {
        RelNode input = Rewrite.input(rel, 0);
        return isSafe(expressions, input.getRowType()) && isSafe(input);
    }

    private boolean isSafe(List<RexNode> expressions, RelDataType rowType) {
        Failing failing = Failing.over(rowType, rexBuilder);
        return expressions.stream().allMatch(each -> RexUtil.isDeterministic(each) && !failing.canFail(each));
    }
}
