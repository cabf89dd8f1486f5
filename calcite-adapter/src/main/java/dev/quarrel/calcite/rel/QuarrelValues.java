package dev.quarrel.calcite.rel;

import com.google.common.collect.ImmutableList;
import org.apache.calcite.plan.RelOptCluster;
import org.apache.calcite.plan.RelTraitSet;
import org.apache.calcite.rel.core.Values;
import org.apache.calcite.rel.type.RelDataType;
import org.apache.calcite.rex.RexLiteral;

/// A VALUES list: rows that the statement itself contains.
public final class QuarrelValues extends Values implements QuarrelRel {
    public QuarrelValues(
            RelOptCluster cluster,
            RelTraitSet traits,
            RelDataType rowType,
            ImmutableList<ImmutableList<RexLiteral>> tuples) {
        super(cluster, rowType, tuples, traits);
    }
}
