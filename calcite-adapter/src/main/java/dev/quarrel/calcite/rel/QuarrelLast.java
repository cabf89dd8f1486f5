package dev.quarrel.calcite.rel;

import java.util.List;
import org.apache.calcite.plan.RelOptCluster;
import org.apache.calcite.plan.RelTraitSet;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.RelWriter;
import org.apache.calcite.rel.SingleRel;

/// The last rows of the input, in its order. The scan begins at the end, and stops when they are there.
public final class QuarrelLast extends SingleRel implements QuarrelRel {
    private final long count;

    public QuarrelLast(RelOptCluster cluster, RelTraitSet traits, RelNode input, long count) {
        super(cluster, traits, input);
        this.count = count;
    }

    public long count() {
        return count;
    }

    @Override
    public RelNode copy(RelTraitSet traits, List<RelNode> inputs) {
        return new QuarrelLast(getCluster(), traits, inputs.getFirst(), count);
    }

    @Override
    public RelWriter explainTerms(RelWriter writer) {
        return super.explainTerms(writer).item("count", count);
    }
}
