package dev.quarrel.calcite.rel;

import java.util.List;
import org.apache.calcite.plan.RelOptCluster;
import org.apache.calcite.plan.RelTraitSet;
import org.apache.calcite.rel.BiRel;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.type.RelDataType;

/// OFFSET and LIMIT over rows that are made as they are asked for: no more of them are made than are needed.
///
/// The second input is one row of two bigints: the offset and the limit, NULL for none.
public final class QuarrelLimit extends BiRel implements HostRel {
    public QuarrelLimit(RelOptCluster cluster, RelTraitSet traits, RelNode rows, RelNode bounds) {
        super(cluster, traits, rows, bounds);
    }

    @Override
    protected RelDataType deriveRowType() {
        return left.getRowType();
    }

    @Override
    public RelNode copy(RelTraitSet traits, List<RelNode> inputs) {
        return new QuarrelLimit(getCluster(), traits, inputs.get(0), inputs.get(1));
    }
}
