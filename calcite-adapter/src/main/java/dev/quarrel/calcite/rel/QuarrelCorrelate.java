package dev.quarrel.calcite.rel;

import org.apache.calcite.plan.RelOptCluster;
import org.apache.calcite.plan.RelTraitSet;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.core.Correlate;
import org.apache.calcite.rel.core.CorrelationId;
import org.apache.calcite.rel.core.JoinRelType;
import org.apache.calcite.util.ImmutableBitSet;

/// The right side run once for each row of the left one: INNER or LEFT.
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
