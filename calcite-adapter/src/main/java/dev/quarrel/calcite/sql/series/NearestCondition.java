package dev.quarrel.calcite.sql.series;

import dev.quarrel.core.ir.Relation;
import java.util.ArrayList;
import java.util.List;
import org.apache.calcite.plan.RelOptUtil;
import org.apache.calcite.rex.RexCall;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.rex.RexUtil;
import org.apache.calcite.util.ImmutableBitSet;

/// The condition of an ASOF join: keys that are equal, and one inequality of the columns in whose order rows are near.
///
/// @param keys pairs of equal values, each over its own side
/// @param order the inequality; null where there is none
/// @param obstacle a part that is neither, or null
public record NearestCondition(List<Sides> keys, Order order, RexNode obstacle) {
    public NearestCondition {
        keys = List.copyOf(keys);
    }

    /// A value of each side.
    public record Sides(RexNode left, RexNode right) {}

    /// @param relation of the left value to the right one
    public record Order(Sides sides, Relation relation) {}

    /// Splits a condition over the columns of both sides.
    ///
    /// @param leftCount columns of the left side
    /// @param count columns of both
    public static NearestCondition of(RexNode condition, int leftCount, int count) {
        List<Sides> keys = new ArrayList<>();
        Order order = null;
        for (RexNode conjunct : RelOptUtil.conjunctions(condition)) {
            Relation relation = relation(conjunct);
            Sides sides = relation == null ? null : sides((RexCall) conjunct, 0, leftCount, count);
            Sides turned = relation == null || sides != null ? null : sides((RexCall) conjunct, 1, leftCount, count);
            if (relation == Relation.EQ && (sides != null || turned != null)) {
                keys.add(sides == null ? turned : sides);
            } else if (order == null && (sides != null || turned != null)) {
                order = sides == null ? new Order(turned, relation.turned()) : new Order(sides, relation);
            } else {
                return new NearestCondition(keys, order, conjunct);
            }
        }
        return new NearestCondition(keys, order, null);
    }

    private static Relation relation(RexNode conjunct) {
        return switch (conjunct.getKind()) {
            case EQUALS -> Relation.EQ;
            case LESS_THAN -> Relation.LT;
            case LESS_THAN_OR_EQUAL -> Relation.LE;
            case GREATER_THAN -> Relation.GT;
            case GREATER_THAN_OR_EQUAL -> Relation.GE;
            default -> null;
        };
    }

    private static Sides sides(RexCall call, int first, int leftCount, int count) {
        RexNode left = call.getOperands().get(first);
        RexNode right = call.getOperands().get(1 - first);
        ImmutableBitSet ofLeft = RelOptUtil.InputFinder.bits(left);
        ImmutableBitSet ofRight = RelOptUtil.InputFinder.bits(right);
        boolean isSplit = !ofLeft.isEmpty()
                && !ofRight.isEmpty()
                && ImmutableBitSet.range(leftCount).contains(ofLeft)
                && ImmutableBitSet.range(leftCount, count).contains(ofRight);
        return isSplit ? new Sides(left, RexUtil.shift(right, -leftCount)) : null;
    }
}
