package dev.quarrel.calcite.rel;

import org.apache.calcite.plan.RelOptCluster;
import org.apache.calcite.plan.RelOptCost;
import org.apache.calcite.plan.RelOptPlanner;
import org.apache.calcite.plan.RelTraitSet;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.core.Filter;
import org.apache.calcite.rel.metadata.RelMetadataQuery;
import org.apache.calcite.rex.RexNode;

/// A filter, which keeps the rows for which a condition is true.
public final class QuarrelFilter extends Filter implements QuarrelRel {
    public QuarrelFilter(RelOptCluster cluster, RelTraitSet traits, RelNode input, RexNode condition) {
        super(cluster, traits, input, condition);
    }

    @Override
    public QuarrelFilter copy(RelTraitSet traits, RelNode input, RexNode condition) {
        return new QuarrelFilter(getCluster(), traits, input, condition);
    }

    @Override
    public RelOptCost computeSelfCost(RelOptPlanner planner, RelMetadataQuery query) {
        return super.computeSelfCost(planner, query).multiplyBy(COST_FACTOR);
    }
}
