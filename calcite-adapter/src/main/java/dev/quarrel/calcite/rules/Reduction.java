package dev.quarrel.calcite.rules;

import dev.quarrel.calcite.limits.PlanningLimits;
import dev.quarrel.calcite.metadata.QuarrelMetadata;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.core.Aggregate;
import org.apache.calcite.rel.core.Filter;
import org.apache.calcite.rel.core.Join;
import org.apache.calcite.rel.core.JoinInfo;
import org.apache.calcite.rel.core.JoinRelType;
import org.apache.calcite.rel.core.Project;
import org.apache.calcite.rel.core.Sort;
import org.apache.calcite.rel.core.TableScan;
import org.apache.calcite.rel.logical.LogicalAggregate;
import org.apache.calcite.rel.logical.LogicalJoin;
import org.apache.calcite.rel.logical.LogicalProject;
import org.apache.calcite.rex.RexBuilder;
import org.apache.calcite.rex.RexInputRef;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.rex.RexUtil;
import org.apache.calcite.sql.fun.SqlStdOperatorTable;
import org.apache.calcite.util.ImmutableBitSet;

/// Leaves out what is grouped for nobody: where groups are joined by a key, and what they are joined with is filtered,
/// the rows are semi-joined with the filtered keys before they are grouped. A correlated sub-query has become a
/// grouping of all rows; few of its groups are asked for.
///
/// The filtered keys are read twice, so they must be one table's, and much fewer than the groups.
final class Reduction {
    /// The rows of smaller groupings are grouped faster than they are semi-joined.
    private static final double MIN_ROWS = 50_000;

    /// Of the groups at most such a part may be asked for.
    private static final double MAX_SHARE = 0.3;

    /// The keys' table has at most such a part of the rows of the largest table that is read for the groups.
    private static final double MAX_READ = 0.25;

    private final RexBuilder rexBuilder;
    private final QuarrelMetadata cardinality;

    private Reduction(RelNode root) {
        this.rexBuilder = root.getCluster().getRexBuilder();
        this.cardinality = QuarrelMetadata.of(root);
    }

    static RelNode apply(RelNode root) {
        return new Reduction(root).visit(root);
    }

    /// Keys: a column of a relation.
    private record Keys(RelNode rel, int column) {}

    private RelNode visit(RelNode rel) {
        PlanningLimits.tick();
        RelNode here = rel instanceof Join join && join.getVariablesSet().isEmpty() ? reduced(join) : rel;
        List<RelNode> inputs = here.getInputs().stream().map(this::visit).toList();
        return inputs.equals(here.getInputs()) ? here : here.copy(here.getTraitSet(), inputs);
    }

    private RelNode reduced(Join join) {
        RelNode left = join.getLeft();
        RelNode right = join.getRight();
        JoinInfo info = join.analyzeCondition();
        boolean isLeftFree = join.getJoinType() == JoinRelType.INNER || join.getJoinType() == JoinRelType.SEMI;
        boolean isRightFree =
                isLeftFree || join.getJoinType() == JoinRelType.LEFT || join.getJoinType() == JoinRelType.ANTI;
        for (int key = 0; key < info.leftKeys.size(); key++) {
            int leftKey = info.leftKeys.get(key);
            int rightKey = info.rightKeys.get(key);
            if (!typeOf(left, leftKey).equals(typeOf(right, rightKey))) {
                continue;
            }
            RelNode newRight = isRightFree ? reduced(right, rightKey, left, leftKey) : right;
            RelNode newLeft = isLeftFree && newRight == right ? reduced(left, leftKey, right, rightKey) : left;
            if (newLeft != left || newRight != right) {
                return join.copy(join.getTraitSet(), List.of(newLeft, newRight));
            }
        }
        return join;
    }

    private static org.apache.calcite.sql.type.SqlTypeName typeOf(RelNode rel, int column) {
        return rel.getRowType().getFieldList().get(column).getType().getSqlTypeName();
    }

    /// `groups` of those keys alone that `other` may have; itself where that is not worth its while.
    private RelNode reduced(RelNode groups, int column, RelNode other, int otherColumn) {
        Keys grouped = groupedRows(groups, column);
        if (grouped == null || cardinality.rows(grouped.rel()) < MIN_ROWS) {
            return groups;
        }
        double read = read(grouped.rel());
        double all = cardinality.rows(LogicalAggregate.create(
                grouped.rel(), List.of(), ImmutableBitSet.of(grouped.column()), null, List.of()));
        List<Keys> found = new ArrayList<>();
        addFiltered(other, otherColumn, found);
        Keys best = null;
        for (Keys keys : found) {
            boolean isLess = best == null || cardinality.rows(keys.rel()) < cardinality.rows(best.rel());
            if (isLess
                    && cardinality.rows(keys.rel()) < MAX_SHARE * all
                    && cardinality.rows(table(keys.rel())) <= MAX_READ * read) {
                best = keys;
            }
        }
        return best == null ? groups : placed(groups, column, best, false);
    }

    /// Rows of the largest table below.
    private double read(RelNode rel) {
        return rel instanceof TableScan
                ? cardinality.rows(rel)
                : rel.getInputs().stream().mapToDouble(this::read).max().orElse(0);
    }

    /// The rows that a grouping groups by a column, which is one of a node above it; null if it is another one.
    private static Keys groupedRows(RelNode rel, int column) {
        return switch (rel) {
            case Filter filter -> groupedRows(filter.getInput(), column);
            case Project project
            when !project.containsOver() ->
                project.getProjects().get(column) instanceof RexInputRef input
                        ? groupedRows(project.getInput(), input.getIndex())
                        : null;
            case Aggregate aggregate
            when aggregate.getGroupType() == Aggregate.Group.SIMPLE && column < aggregate.getGroupCount() ->
                new Keys(aggregate.getInput(), aggregate.getGroupSet().nth(column));
            default -> null;
        };
    }

    /// Adds filtered tables with a column that has all values of a column of `rel`.
    private void addFiltered(RelNode rel, int column, List<Keys> found) {
        switch (rel) {
            case Filter filter -> {
                if (table(filter) != null && RexUtil.isDeterministic(filter.getCondition())) {
                    found.add(new Keys(filter, column));
                } else {
                    addFiltered(filter.getInput(), column, found);
                }
            }
            case Project project -> {
                if (project.getProjects().get(column) instanceof RexInputRef input) {
                    addFiltered(project.getInput(), input.getIndex(), found);
                }
            }
            case Aggregate aggregate -> {
                if (aggregate.getGroupType() == Aggregate.Group.SIMPLE && column < aggregate.getGroupCount()) {
                    addFiltered(aggregate.getInput(), aggregate.getGroupSet().nth(column), found);
                }
            }
            case Sort sort -> addFiltered(sort.getInput(), column, found);
            case Join join -> addOfJoin(join, column, found);
            default -> {}
        }
    }

    private void addOfJoin(Join join, int column, List<Keys> found) {
        int left = join.getLeft().getRowType().getFieldCount();
        JoinRelType type = join.getJoinType();
        boolean isBoth = type == JoinRelType.INNER || type == JoinRelType.SEMI;
        if (column < left && (isBoth || type == JoinRelType.LEFT || type == JoinRelType.ANTI)) {
            addFiltered(join.getLeft(), column, found);
        } else if (column >= left && type == JoinRelType.INNER) {
            addFiltered(join.getRight(), column - left, found);
        }
        if (!isBoth || !join.getVariablesSet().isEmpty()) {
            return;
        }
        // Through an equality the other side's column has the same values.
        JoinInfo info = join.analyzeCondition();
        for (int key = 0; key < info.leftKeys.size(); key++) {
            int leftKey = info.leftKeys.get(key);
            int rightKey = info.rightKeys.get(key);
            if (!typeOf(join.getLeft(), leftKey).equals(typeOf(join.getRight(), rightKey))) {
                continue;
            }
            if (column == leftKey) {
                addFiltered(join.getRight(), rightKey, found);
            } else if (column == left + rightKey) {
                addFiltered(join.getLeft(), leftKey, found);
            }
        }
    }

    /// The table that filters and projections are over; null for anything else.
    private static TableScan table(RelNode rel) {
        return switch (rel) {
            case Filter filter -> table(filter.getInput());
            case TableScan scan -> scan;
            default -> null;
        };
    }

    /// The node with the rows alone whose column is among the keys: as far down as they are known.
    ///
    /// @param isGrouped whether the grouping is above
    private RelNode placed(RelNode rel, int column, Keys keys, boolean isGrouped) {
        return switch (rel) {
            case Project project
            when !project.containsOver() && project.getProjects().get(column) instanceof RexInputRef input ->
                project.copy(
                        project.getTraitSet(), List.of(placed(project.getInput(), input.getIndex(), keys, isGrouped)));
            case Filter filter
            when !isGrouped ->
                filter.copy(filter.getTraitSet(), List.of(placed(filter.getInput(), column, keys, isGrouped)));
            case Aggregate aggregate
            when aggregate.getGroupType() == Aggregate.Group.SIMPLE && column < aggregate.getGroupCount() ->
                aggregate.copy(
                        aggregate.getTraitSet(),
                        List.of(placed(
                                aggregate.getInput(), aggregate.getGroupSet().nth(column), keys, true)));
            case Join join
            when join.getVariablesSet().isEmpty() && side(join, column) >= 0 -> {
                int left = join.getLeft().getRowType().getFieldCount();
                yield side(join, column) == 0
                        ? join.copy(
                                join.getTraitSet(),
                                List.of(placed(join.getLeft(), column, keys, isGrouped), join.getRight()))
                        : join.copy(
                                join.getTraitSet(),
                                List.of(join.getLeft(), placed(join.getRight(), column - left, keys, isGrouped)));
            }
            default -> semiJoined(rel, column, keys);
        };
    }

    /// Which input the column is of, where leaving out its rows leaves out the join's alone; else -1.
    private static int side(Join join, int column) {
        return switch (join.getJoinType()) {
            case INNER -> column < join.getLeft().getRowType().getFieldCount() ? 0 : 1;
            case LEFT, SEMI, ANTI -> column < join.getLeft().getRowType().getFieldCount() ? 0 : -1;
            default -> -1;
        };
    }

    private RelNode semiJoined(RelNode rel, int column, Keys keys) {
        RelNode values = LogicalProject.create(
                keys.rel(),
                List.of(),
                List.of(rexBuilder.makeInputRef(keys.rel(), keys.column())),
                (List<String>) null,
                Set.of());
        RexNode one = rexBuilder.makeInputRef(rel, column);
        RexNode other = RexUtil.shift(
                rexBuilder.makeInputRef(values, 0), rel.getRowType().getFieldCount());
        return LogicalJoin.create(
                rel,
                values,
                List.of(),
                rexBuilder.makeCall(SqlStdOperatorTable.EQUALS, one, other),
                Set.of(),
                JoinRelType.SEMI);
    }
}
