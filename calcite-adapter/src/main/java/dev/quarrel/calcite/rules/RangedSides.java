package dev.quarrel.calcite.rules;

import dev.quarrel.calcite.joinorder.JoinCost;
import dev.quarrel.calcite.metadata.QuarrelMetadata;
import java.util.ArrayList;
import java.util.List;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.core.Join;
import org.apache.calcite.rel.core.JoinRelType;
import org.apache.calcite.rex.RexBuilder;
import org.apache.calcite.rex.RexInputRef;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.util.ImmutableBitSet;

/// Which side of a join is built, and the range in which its rows are looked for.
///
/// `x.v >= b.lo AND x.v < b.hi` bounds `x.v` from both sides, but `b.lo` and `b.hi` from one each: so there it pays to
/// build the side of `x`, though it may be the larger one.
///
/// @param isTurned whether the left side is built
/// @param range of the sides as they are then; null for none
record RangedSides(boolean isTurned, JoinRange range) {
    /// With fewer rows of a key, to ask the condition of each costs less than to sort and to search them.
    private static final double MIN_ROWS_PER_KEY = 8;

    /// What is left of the conditions beside equal keys.
    List<RexNode> rest(List<RexNode> conditions) {
        return range == null ? conditions : range.rest(conditions);
    }

    /// @param left the converted left side
    /// @param right the converted right side
    static RangedSides of(Join join, RelNode left, RelNode right, JoinKeys keys, QuarrelMetadata metadata) {
        double leftRows = metadata.rows(join.getLeft());
        double rightRows = metadata.rows(join.getRight());
        double rows = metadata.rows(join);
        // Inner joins have their order, as long as there is no range.
        boolean mayTurn = join.getJoinType() != JoinRelType.INNER;
        boolean isTurned = mayTurn && JoinCost.isTurned(leftRows, rightRows, rows);
        if (keys.residual().isEmpty()) {
            return new RangedSides(isTurned, null);
        }
        RexBuilder rexBuilder = join.getCluster().getRexBuilder();
        JoinRange range = JoinRange.of(left.getRowType(), right.getRowType(), keys.residual(), false, rexBuilder);
        if (range != null && range.prevailing()) {
            return new RangedSides(false, range);
        }
        JoinKeys turnedKeys = keys.turned(
                left.getRowType().getFieldCount(), right.getRowType().getFieldCount());
        JoinRange turned =
                JoinRange.of(right.getRowType(), left.getRowType(), turnedKeys.residual(), false, rexBuilder);
        if (turned != null && turned.prevailing()) {
            return new RangedSides(true, turned);
        }
        Side built = Side.of(
                join.getRight(), keys.pairs().stream().map(JoinKeys.Pair::right).toList(), range, metadata);
        Side builtTurned = Side.of(
                join.getLeft(), keys.pairs().stream().map(JoinKeys.Pair::left).toList(), turned, metadata);
        if (built.range == null && builtTurned.range == null) {
            return new RangedSides(isTurned, null);
        }
        isTurned = JoinCost.isTurned(leftRows, rightRows, built.cost(leftRows), builtTurned.cost(rightRows));
        return new RangedSides(isTurned, isTurned ? builtTurned.range : built.range);
    }

    /// null for none.
    static JoinRange ofMark(Join join, RelNode left, RelNode right, JoinKeys.Mark keys, QuarrelMetadata metadata) {
        JoinRange range = JoinRange.of(
                left.getRowType(),
                right.getRowType(),
                keys.residual(),
                true,
                join.getCluster().getRexBuilder());
        return Side.of(
                        join.getRight(),
                        keys.pairs().stream().map(JoinKeys.Pair::right).toList(),
                        range,
                        metadata)
                .range;
    }

    /// A side that may be built.
    ///
    /// @param range null where it does not pay
    private record Side(double rows, double perKey, JoinRange range) {
        static Side of(RelNode rel, List<RexNode> keys, JoinRange range, QuarrelMetadata metadata) {
            List<Integer> columns = new ArrayList<>();
            for (RexNode key : keys) {
                if (key instanceof RexInputRef column) {
                    columns.add(column.getIndex());
                }
            }
            double rows = metadata.rows(rel);
            if (!keys.isEmpty() && Uniqueness.isUnique(rel, ImmutableBitSet.of(columns))) {
                return new Side(rows, 1, null);
            }
            boolean isLikely = metadata.rowCounts().mostPerKey(rel, columns) >= MIN_ROWS_PER_KEY;
            return new Side(rows, metadata.rowCounts().perKey(rel, columns), isLikely ? range : null);
        }

        /// Of the conditions beside equal keys.
        double cost(double probeRows) {
            return range == null || perKey < 2
                    ? JoinCost.pairs(probeRows, perKey)
                    : JoinCost.range(probeRows, rows, perKey, range.hasBothEnds());
        }
    }
}
