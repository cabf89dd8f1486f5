package dev.quarrel.calcite.rel;

import java.util.List;
import org.apache.calcite.plan.RelOptCluster;
import org.apache.calcite.plan.RelTraitSet;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.core.SetOp;
import org.apache.calcite.rel.core.Union;

/// A UNION ALL whose inputs are pipelines that feed one pipeline.
public final class QuarrelUnion extends Union implements QuarrelRel {
    public QuarrelUnion(RelOptCluster cluster, RelTraitSet traits, List<RelNode> inputs) {
        super(cluster, traits, inputs, true);
    }

    @Override
    public SetOp copy(RelTraitSet traits, List<RelNode> inputs, boolean all) {
        if (!all) {
            throw new IllegalArgumentException("UNION without ALL is a grouping of this");
        }
        return new QuarrelUnion(getCluster(), traits, inputs);
    }
}
