package dev.quarrel.calcite.rel;

import org.apache.calcite.plan.RelOptCluster;
import org.apache.calcite.plan.RelTraitSet;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.core.Correlate;
import org.apache.calcite.rel.core.CorrelationId;
import org.apache.calcite.rel.core.JoinRelType;
import org.apache.calcite.util.ImmutableBitSet;

/// A correlated join, INNER or LEFT, which runs its right side once for each row of its left side.
public final class QuarrelCorrelate extends Correlate implements HostRel {
    public QuarrelCorrelate(
            RelOptCluster cluster,
            RelTraitSet traits,
            RelNode left,
            RelNode right,
            CorrelationId correlationId,
            ImmutableBitSet requiredColumns,
            JoinRelType joinType) {
        super(cluster, traits, left, right, correlationId, requiredColumns, joinType);
    }

    @Override
    public Correlate copy(
            RelTraitSet traits,
            RelNode left,
            RelNode right,
            CorrelationId correlationId,
            ImmutableBitSet requiredColumns,
            JoinRelType joinType) {
        return new QuarrelCorrelate(getCluster(), traits, left, right, correlationId, requiredColumns, joinType);
    }
}
