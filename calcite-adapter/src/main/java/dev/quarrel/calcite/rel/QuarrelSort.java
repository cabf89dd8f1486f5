package dev.quarrel.calcite.rel;

import org.apache.calcite.plan.RelOptCluster;
import org.apache.calcite.plan.RelOptCost;
import org.apache.calcite.plan.RelOptPlanner;
import org.apache.calcite.plan.RelTraitSet;
import org.apache.calcite.rel.RelCollation;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.core.Sort;
import org.apache.calcite.rel.metadata.RelMetadataQuery;
import org.apache.calcite.rex.RexNode;

/// A sort, an OFFSET and FETCH, or both at once. OFFSET and FETCH are literals or parameters.
public final class QuarrelSort extends Sort implements QuarrelRel {
    public QuarrelSort(
            RelOptCluster cluster,
            RelTraitSet traits,
            RelNode input,
            RelCollation collation,
            RexNode offset,
            RexNode fetch) {
        super(cluster, traits.replace(collation), input, collation, offset, fetch);
    }

    @Override
    public QuarrelSort copy(
            RelTraitSet traits, RelNode input, RelCollation collation, RexNode newOffset, RexNode newFetch) {
        return new QuarrelSort(getCluster(), traits, input, collation, newOffset, newFetch);
    }

    @Override
    public RelOptCost computeSelfCost(RelOptPlanner planner, RelMetadataQuery query) {
        return super.computeSelfCost(planner, query).multiplyBy(COST_FACTOR);
    }
}
