package dev.quarrel.calcite.rel;

import java.util.List;
import org.apache.calcite.plan.RelOptCluster;
import org.apache.calcite.plan.RelTraitSet;
import org.apache.calcite.rel.AbstractRelNode;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.RelWriter;
import org.apache.calcite.rel.type.RelDataType;

/// A recursive query's reference to itself: the rows that its last round made.
public final class QuarrelWorkingTable extends AbstractRelNode implements HostRel {
    private final Object identity;

    /// @param identity what it has in common with the [QuarrelRecursion] whose rows it holds
    public QuarrelWorkingTable(RelOptCluster cluster, RelTraitSet traits, RelDataType rowType, Object identity) {
        super(cluster, traits);
        this.rowType = rowType;
        this.identity = identity;
    }

    public Object identity() {
        return identity;
    }

    @Override
    public RelNode copy(RelTraitSet traits, List<RelNode> inputs) {
        return new QuarrelWorkingTable(getCluster(), traits, rowType, identity);
    }

    @Override
    public RelWriter explainTerms(RelWriter writer) {
        return super.explainTerms(writer).item("of", System.identityHashCode(identity));
    }
}
