package dev.quarrel.calcite.jdbc;

import dev.quarrel.calcite.rel.QuarrelRel;
import java.util.List;
import java.util.Set;
import org.apache.calcite.plan.RelOptCluster;
import org.apache.calcite.plan.RelOptCost;
import org.apache.calcite.plan.RelOptPlanner;
import org.apache.calcite.plan.RelTraitSet;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.core.Join;
import org.apache.calcite.rel.core.JoinRelType;
import org.apache.calcite.rel.metadata.RelMetadataQuery;
import org.apache.calcite.rex.RexNode;

/// A join that the engine runs, in the way that it finds best when it plans its part of the statement.
final class PushedJoin extends Join implements QuarrelRel {
    PushedJoin(
            RelOptCluster cluster,
            RelTraitSet traits,
            RelNode left,
            RelNode right,
            RexNode condition,
            JoinRelType type) {
        super(cluster, traits, List.of(), left, right, condition, Set.of(), type);
    }

    @Override
    public PushedJoin copy(
            RelTraitSet traits,
            RexNode condition,
            RelNode left,
            RelNode right,
            JoinRelType type,
            boolean semiJoinDone) {
        return new PushedJoin(getCluster(), traits, left, right, condition, type);
    }

    @Override
    public RelOptCost computeSelfCost(RelOptPlanner planner, RelMetadataQuery query) {
        double rows = query.getRowCount(this) + query.getRowCount(left) + query.getRowCount(right);
        return planner.getCostFactory().makeCost(rows, rows, 0).multiplyBy(COST_FACTOR);
    }
}
