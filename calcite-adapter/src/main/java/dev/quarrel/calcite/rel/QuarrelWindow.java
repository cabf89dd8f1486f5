package dev.quarrel.calcite.rel;

import dev.quarrel.core.ir.WindowCall;
import java.util.List;
import org.apache.calcite.plan.RelOptCluster;
import org.apache.calcite.plan.RelTraitSet;
import org.apache.calcite.rel.RelFieldCollation;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.RelWriter;
import org.apache.calcite.rel.SingleRel;
import org.apache.calcite.rel.type.RelDataType;

/// A node that appends to the input's columns the results of window functions that share one PARTITION BY and
/// ORDER BY. Rows come out partition by partition.
public final class QuarrelWindow extends SingleRel implements QuarrelRel {
    private final List<Integer> partition;
    private final List<RelFieldCollation> order;
    private final List<WindowCall> calls;

    /// @param partition columns of the input
    /// @param calls whose numbers are columns of the input
    public QuarrelWindow(
            RelOptCluster cluster,
            RelTraitSet traits,
            RelNode input,
            List<Integer> partition,
            List<RelFieldCollation> order,
            List<WindowCall> calls,
            RelDataType rowType) {
        super(cluster, traits, input);
        this.partition = List.copyOf(partition);
        this.order = List.copyOf(order);
        this.calls = List.copyOf(calls);
        this.rowType = rowType;
    }

    public List<Integer> partition() {
        return partition;
    }

    public List<RelFieldCollation> order() {
        return order;
    }

    public List<WindowCall> calls() {
        return calls;
    }

    @Override
    public RelNode copy(RelTraitSet traits, List<RelNode> inputs) {
        return new QuarrelWindow(getCluster(), traits, inputs.getFirst(), partition, order, calls, rowType);
    }

    @Override
    public RelWriter explainTerms(RelWriter writer) {
        return super.explainTerms(writer)
                .item("partition", partition)
                .item("order", order)
                .item("calls", calls);
    }
}
