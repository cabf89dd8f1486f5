package dev.quarrel.calcite.rules;

import dev.quarrel.calcite.rel.SharedRows;
import java.math.BigDecimal;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.core.Aggregate;
import org.apache.calcite.rel.core.Filter;
import org.apache.calcite.rel.core.Join;
import org.apache.calcite.rel.core.JoinInfo;
import org.apache.calcite.rel.core.JoinRelType;
import org.apache.calcite.rel.core.Project;
import org.apache.calcite.rel.core.SetOp;
import org.apache.calcite.rel.core.Sort;
import org.apache.calcite.rel.core.Values;
import org.apache.calcite.rex.RexInputRef;
import org.apache.calcite.rex.RexLiteral;
import org.apache.calcite.util.ImmutableBitSet;

/// Proves that no two rows of a node are equal in some columns, NULL being equal to NULL: from groupings, UNION,
/// LIMIT 1 and joins. Statistics prove nothing: they estimate distinct values.
final class Uniqueness {
    private Uniqueness() {}

    static boolean isUnique(RelNode rel, ImmutableBitSet columns) {
        return switch (rel.stripped()) {
            case Values values -> values.getTuples().size() <= 1;
            case Filter filter -> isUnique(filter.getInput(), columns);
            case Sort sort -> isOneRow(sort) || isUnique(sort.getInput(), columns);
            case Project project -> {
                ImmutableBitSet.Builder below = ImmutableBitSet.builder();
                for (int column : columns) {
                    if (project.getProjects().get(column) instanceof RexInputRef input) {
                        below.set(input.getIndex());
                    }
                }
                yield isUnique(project.getInput(), below.build());
            }
            case Aggregate aggregate ->
                aggregate.getGroupType() == Aggregate.Group.SIMPLE
                        && columns.contains(ImmutableBitSet.range(aggregate.getGroupCount()));
            case SetOp set ->
                !set.all
                        && columns.contains(
                                ImmutableBitSet.range(set.getRowType().getFieldCount()));
            case SharedRows shared -> isUnique(shared.query().rel(), columns);
            case Join join -> ofJoin(join, columns);
            default -> false;
        };
    }

    private static boolean isOneRow(Sort sort) {
        return sort.fetch instanceof RexLiteral fetch
                && !fetch.isNull()
                && fetch.getValueAs(BigDecimal.class).compareTo(BigDecimal.ONE) <= 0;
    }

    /// A row of one side that meets one row of the other at most stays as unique as it was. Pairs of rows are as unique
    /// as their sides are together.
    private static boolean ofJoin(Join join, ImmutableBitSet columns) {
        int left = join.getLeft().getRowType().getFieldCount();
        ImmutableBitSet ofLeft = columns.intersect(ImmutableBitSet.range(left));
        JoinRelType type = join.getJoinType();
        return switch (type) {
            case SEMI, ANTI, LEFT_MARK -> isUnique(join.getLeft(), ofLeft);
            case INNER, LEFT ->
                isUnique(join.getLeft(), ofLeft)
                        && (hasOneMatch(join)
                                || isUnique(
                                        join.getRight(), columns.except(ofLeft).shift(-left)));
            default -> false;
        };
    }

    /// Whether a row of the left side has one partner at most.
    static boolean hasOneMatch(Join join) {
        JoinInfo info = join.analyzeCondition();
        return isUnique(join.getRight(), ImmutableBitSet.of(info.rightKeys));
    }
}
