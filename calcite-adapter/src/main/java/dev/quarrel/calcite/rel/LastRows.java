package dev.quarrel.calcite.rel;

import java.util.List;
import org.apache.calcite.plan.RelOptCluster;
import org.apache.calcite.plan.RelTraitSet;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.RelWriter;
import org.apache.calcite.rel.SingleRel;

/// The last rows of the input, in its order. It becomes a [QuarrelLast].
public final class LastRows extends SingleRel {
    private final long count;

    private LastRows(RelOptCluster cluster, RelTraitSet traits, RelNode input, long count) {
        super(cluster, traits, input);
        this.count = count;
    }

    public static LastRows of(RelNode input, long count) {
        return new LastRows(input.getCluster(), input.getTraitSet(), input, count);
    }

    public long count() {
        return count;
    }

    @Override
    public RelNode copy(RelTraitSet traits, List<RelNode> inputs) {
        return new LastRows(getCluster(), traits, inputs.getFirst(), count);
    }

    @Override
    public RelWriter explainTerms(RelWriter writer) {
        return super.explainTerms(writer).item("count", count);
    }
}
