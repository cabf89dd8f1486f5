package dev.quarrel.calcite.rel;

import dev.quarrel.core.ir.Sink;
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
    private final Sink.Window.First first;

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
        this(cluster, traits, input, partition, order, calls, rowType, Sink.Window.First.ALL);
    }

    private QuarrelWindow(
            RelOptCluster cluster,
            RelTraitSet traits,
            RelNode input,
            List<Integer> partition,
            List<RelFieldCollation> order,
            List<WindowCall> calls,
            RelDataType rowType,
            Sink.Window.First first) {
        super(cluster, traits, input);
        this.first = first;
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

    /// The rows of each partition that are wanted.
    public Sink.Window.First first() {
        return first;
    }

    public QuarrelWindow withFirst(Sink.Window.First rows) {
        return new QuarrelWindow(getCluster(), getTraitSet(), getInput(), partition, order, calls, rowType, rows);
    }

    @Override
    public RelNode copy(RelTraitSet traits, List<RelNode> inputs) {
        return new QuarrelWindow(getCluster(), traits, inputs.getFirst(), partition, order, calls, rowType, first);
    }

    @Override
    public RelWriter explainTerms(RelWriter writer) {
        return super.explainTerms(writer)
                .item("partition", partition)
                .item("order", order)
                .item("calls", calls)
                .itemIf("first", first, !first.isAll());
    }
}
