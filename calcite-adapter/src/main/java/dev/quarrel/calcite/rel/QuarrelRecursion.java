package dev.quarrel.calcite.rel;

import java.util.List;
import org.apache.calcite.plan.RelOptCluster;
import org.apache.calcite.plan.RelTraitSet;
import org.apache.calcite.rel.BiRel;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.RelWriter;
import org.apache.calcite.rel.type.RelDataType;

/// A query of WITH RECURSIVE: the rows of the first input, then those of the second one, which is asked again and
/// again, each time over the rows that came last, until it gives none.
///
/// The second input reads these rows from a [QuarrelWorkingTable] of the same identity. No condition may move below.
public final class QuarrelRecursion extends BiRel implements HostRel {
    private final Object identity;
    private final boolean isDistinct;

    /// @param identity of the rows, whatever becomes of the node: its copies are one query
    /// @param isDistinct whether a row that came before is left out, as UNION without ALL has it
    public QuarrelRecursion(
            RelOptCluster cluster,
            RelTraitSet traits,
            RelNode seed,
            RelNode step,
            RelDataType rowType,
            Object identity,
            boolean isDistinct) {
        super(cluster, traits, seed, step);
        this.rowType = rowType;
        this.identity = identity;
        this.isDistinct = isDistinct;
    }

    public Object identity() {
        return identity;
    }

    public boolean isDistinct() {
        return isDistinct;
    }

    @Override
    public RelNode copy(RelTraitSet traits, List<RelNode> inputs) {
        return new QuarrelRecursion(getCluster(), traits, inputs.get(0), inputs.get(1), rowType, identity, isDistinct);
    }

    @Override
    public RelWriter explainTerms(RelWriter writer) {
        return super.explainTerms(writer)
                .item("rows", System.identityHashCode(identity))
                .item("distinct", isDistinct);
    }
}
