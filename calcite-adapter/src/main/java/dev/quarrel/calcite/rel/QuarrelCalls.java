package dev.quarrel.calcite.rel;

import dev.quarrel.calcite.ScalarFunction;
import java.util.List;
import org.apache.calcite.plan.RelOptCluster;
import org.apache.calcite.plan.RelTraitSet;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.RelWriter;
import org.apache.calcite.rel.SingleRel;
import org.apache.calcite.rel.type.RelDataType;

/// A node that appends the results of functions written in Java, called row by row, to the input's columns.
public final class QuarrelCalls extends SingleRel implements HostRel {
    private final List<Call> calls;

    /// @param arguments columns of the input, of the function's types
    /// @param condition the column that is true in the rows where it is called, in others it is NULL; or [#ALWAYS]
    public record Call(ScalarFunction function, List<Integer> arguments, int condition) {
        public static final int ALWAYS = -1;

        public Call {
            arguments = List.copyOf(arguments);
        }

        @Override
        public String toString() {
            return function.name() + arguments + (condition == ALWAYS ? "" : " if " + condition);
        }
    }

    public QuarrelCalls(
            RelOptCluster cluster, RelTraitSet traits, RelNode input, List<Call> calls, RelDataType rowType) {
        super(cluster, traits, input);
        this.calls = List.copyOf(calls);
        this.rowType = rowType;
    }

    public List<Call> calls() {
        return calls;
    }

    @Override
    public RelNode copy(RelTraitSet traits, List<RelNode> inputs) {
        return new QuarrelCalls(getCluster(), traits, inputs.getFirst(), calls, rowType);
    }

    @Override
    public RelWriter explainTerms(RelWriter writer) {
        return super.explainTerms(writer).item("calls", calls);
    }
}
