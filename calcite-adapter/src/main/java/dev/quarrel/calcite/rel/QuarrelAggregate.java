package dev.quarrel.calcite.rel;

import java.util.List;
import org.apache.calcite.plan.RelOptCluster;
import org.apache.calcite.plan.RelOptCost;
import org.apache.calcite.plan.RelOptPlanner;
import org.apache.calcite.plan.RelTraitSet;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.core.Aggregate;
import org.apache.calcite.rel.core.AggregateCall;
import org.apache.calcite.rel.metadata.RelMetadataQuery;
import org.apache.calcite.util.ImmutableBitSet;

/// A grouping of rows with its aggregate functions, none of which is DISTINCT.
public final class QuarrelAggregate extends Aggregate implements QuarrelRel {
    public QuarrelAggregate(
            RelOptCluster cluster,
            RelTraitSet traits,
            RelNode input,
            ImmutableBitSet groupSet,
            List<ImmutableBitSet> groupSets,
            List<AggregateCall> calls) {
        super(cluster, traits, List.of(), input, groupSet, groupSets, calls);
    }

    @Override
    public QuarrelAggregate copy(
            RelTraitSet traits,
            RelNode input,
            ImmutableBitSet groupSet,
            List<ImmutableBitSet> groupSets,
            List<AggregateCall> calls) {
        return new QuarrelAggregate(getCluster(), traits, input, groupSet, groupSets, calls);
    }

    @Override
    public RelOptCost computeSelfCost(RelOptPlanner planner, RelMetadataQuery query) {
        return super.computeSelfCost(planner, query).multiplyBy(COST_FACTOR);
    }
}
