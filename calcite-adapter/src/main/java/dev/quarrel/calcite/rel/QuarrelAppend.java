package dev.quarrel.calcite.rel;

import java.util.List;
import org.apache.calcite.plan.RelOptCluster;
import org.apache.calcite.plan.RelTraitSet;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.core.SetOp;
import org.apache.calcite.rel.core.Union;

/// A UNION ALL on the host: the rows of one input after another, each begun when it is asked for.
public final class QuarrelAppend extends Union implements HostRel {
    public QuarrelAppend(RelOptCluster cluster, RelTraitSet traits, List<RelNode> inputs) {
        super(cluster, traits, inputs, true);
    }

    @Override
    public SetOp copy(RelTraitSet traits, List<RelNode> inputs, boolean all) {
        if (!all) {
            throw new IllegalArgumentException("UNION without ALL is a grouping of this");
        }
        return new QuarrelAppend(getCluster(), traits, inputs);
    }
}
