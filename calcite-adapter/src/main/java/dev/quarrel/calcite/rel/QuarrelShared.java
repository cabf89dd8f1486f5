package dev.quarrel.calcite.rel;

import java.util.List;
import org.apache.calcite.plan.RelOptCluster;
import org.apache.calcite.plan.RelTraitSet;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.RelWriter;
import org.apache.calcite.rel.SingleRel;

/// Rows that are made once and read in several places, each of which has this very node or a copy of it.
public final class QuarrelShared extends SingleRel implements QuarrelRel {
    private final SharedQuery query;

    public QuarrelShared(RelOptCluster cluster, RelTraitSet traits, RelNode input, SharedQuery query) {
        super(cluster, traits, input);
        this.query = query;
    }

    /// What copies of one node have in common.
    public SharedQuery query() {
        return query;
    }

    @Override
    public RelNode copy(RelTraitSet traits, List<RelNode> inputs) {
        return new QuarrelShared(getCluster(), traits, inputs.getFirst(), query);
    }

    @Override
    public RelWriter explainTerms(RelWriter writer) {
        return super.explainTerms(writer).item("query", query);
    }
}
