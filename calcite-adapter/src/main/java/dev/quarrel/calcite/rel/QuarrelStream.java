package dev.quarrel.calcite.rel;

import java.util.List;
import org.apache.calcite.plan.RelOptCluster;
import org.apache.calcite.plan.RelTraitSet;
import org.apache.calcite.rel.BiRel;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.type.RelDataType;

/// Work on each row alone, done on one batch after another of rows that are made as they are asked for: the second
/// input is run once a batch of the first one, which it reads from a [QuarrelWorkingTable].
public final class QuarrelStream extends BiRel implements HostRel {
    private final Object identity;

    /// @param identity of the working table
    public QuarrelStream(RelOptCluster cluster, RelTraitSet traits, RelNode rows, RelNode work, Object identity) {
        super(cluster, traits, rows, work);
        this.identity = identity;
    }

    public Object identity() {
        return identity;
    }

    @Override
    protected RelDataType deriveRowType() {
        return right.getRowType();
    }

    @Override
    public RelNode copy(RelTraitSet traits, List<RelNode> inputs) {
        return new QuarrelStream(getCluster(), traits, inputs.get(0), inputs.get(1), identity);
    }
}
