package dev.quarrel.calcite.rel;

import java.util.List;
import org.apache.calcite.plan.RelOptCluster;
import org.apache.calcite.plan.RelTraitSet;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.RelWriter;
import org.apache.calcite.rel.SingleRel;
import org.apache.calcite.rel.type.RelDataType;

/// The input's columns, and after them the results of window functions that share their partitions and order. The input
/// is sorted by partition columns, then by order columns.
public final class QuarrelWindow extends SingleRel implements HostRel {
    private final List<Integer> partition;
    private final List<Integer> order;
    private final List<Call> calls;

    /// @param arguments columns of the input
    /// @param wholePartition whether the frame is all of the partition; else it ends with the row's last peer
    public record Call(Function function, List<Integer> arguments, boolean wholePartition) {
        public Call {
            arguments = List.copyOf(arguments);
        }
    }

    /// Window functions with PostgreSQL's meaning.
    public enum Function {
        ROW_NUMBER,
        RANK,
        DENSE_RANK,
        LAG,
        LEAD,
        FIRST_VALUE,
        LAST_VALUE,
        COUNT_STAR,
        COUNT,
        MIN,
        MAX,
        SUM
    }

    public QuarrelWindow(
            RelOptCluster cluster,
            RelTraitSet traits,
            RelNode input,
            List<Integer> partition,
            List<Integer> order,
            List<Call> calls,
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

    public List<Integer> order() {
        return order;
    }

    public List<Call> calls() {
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
