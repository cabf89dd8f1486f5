package dev.quarrel.calcite.rel;

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

/// A hash join: the left input probes, the right one is built. Its condition is equalities of columns alone, or true.
public final class QuarrelJoin extends Join implements QuarrelRel {
    public QuarrelJoin(
            RelOptCluster cluster,
            RelTraitSet traits,
            RelNode left,
            RelNode right,
            RexNode condition,
            JoinRelType joinType) {
        super(cluster, traits, java.util.List.of(), left, right, condition, Set.of(), joinType);
    }

    @Override
    public QuarrelJoin copy(
            RelTraitSet traits,
            RexNode condition,
            RelNode left,
            RelNode right,
            JoinRelType joinType,
            boolean semiJoinDone) {
        return new QuarrelJoin(getCluster(), traits, left, right, condition, joinType);
    }

    @Override
    public RelOptCost computeSelfCost(RelOptPlanner planner, RelMetadataQuery query) {
        double probed = query.getRowCount(left);
        double built = query.getRowCount(right);
        // Building a row costs some times what probing one does.
        return planner.getCostFactory()
                .makeCost(probed + 4 * built, probed + 4 * built, 0)
                .multiplyBy(COST_FACTOR);
    }
}
