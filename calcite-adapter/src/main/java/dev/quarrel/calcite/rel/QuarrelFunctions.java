package dev.quarrel.calcite.rel;

import dev.quarrel.core.function.FunctionRow;
import java.util.List;
import java.util.stream.Collectors;
import org.apache.calcite.plan.RelOptCluster;
import org.apache.calcite.plan.RelTraitSet;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.RelWriter;
import org.apache.calcite.rel.SingleRel;
import org.apache.calcite.rel.type.RelDataType;

/// Functions that give rows, side by side: functions in FROM, and those in a select list. They are called once a row
/// of the input; a row of the result has a value of each, NULL where a function has none left.
///
/// Columns: the first ones of the input, one a function, and perhaps the number of the row within those of its input
/// row.
public final class QuarrelFunctions extends SingleRel implements HostRel {
    private final int kept;
    private final List<Call> calls;
    private final boolean isNumbered;
    private final boolean isOuter;

    /// @param function null for a value that is there once
    /// @param arguments columns of the input, of the function's types; the value's column
    public record Call(FunctionRow function, List<Integer> arguments) {
        public Call {
            arguments = List.copyOf(arguments);
        }

        @Override
        public String toString() {
            return (function == null ? "" : function.signature()) + arguments;
        }
    }

    /// @param kept how many columns of the input stay
    /// @param isOuter whether an input row for which no function gives any stays as a row of NULLs
    public QuarrelFunctions(
            RelOptCluster cluster,
            RelTraitSet traits,
            RelNode input,
            int kept,
            List<Call> calls,
            boolean isNumbered,
            boolean isOuter,
            RelDataType rowType) {
        super(cluster, traits, input);
        this.kept = kept;
        this.calls = List.copyOf(calls);
        this.isNumbered = isNumbered;
        this.isOuter = isOuter;
        this.rowType = rowType;
    }

    public int kept() {
        return kept;
    }

    public List<Call> calls() {
        return calls;
    }

    public boolean isNumbered() {
        return isNumbered;
    }

    public boolean isOuter() {
        return isOuter;
    }

    /// The same functions over other rows.
    ///
    /// @param shift where the arguments are now, from where they were
    public QuarrelFunctions over(RelNode rows, int columnsKept, int shift, boolean outer, RelDataType type) {
        List<Call> moved = calls.stream()
                .map(call -> new Call(
                        call.function(),
                        call.arguments().stream().map(column -> column + shift).toList()))
                .toList();
        return new QuarrelFunctions(getCluster(), getTraitSet(), rows, columnsKept, moved, isNumbered, outer, type);
    }

    /// The same columns from other calls over another input.
    public QuarrelFunctions calling(RelNode rows, List<Call> others) {
        return new QuarrelFunctions(getCluster(), getTraitSet(), rows, kept, others, isNumbered, isOuter, rowType);
    }

    @Override
    public RelNode copy(RelTraitSet traits, List<RelNode> inputs) {
        return new QuarrelFunctions(getCluster(), traits, inputs.getFirst(), kept, calls, isNumbered, isOuter, rowType);
    }

    @Override
    public RelWriter explainTerms(RelWriter writer) {
        return super.explainTerms(writer)
                .item("functions", calls.stream().map(Call::toString).collect(Collectors.joining(", ")))
                .item("kept", kept)
                .itemIf("numbered", true, isNumbered)
                .itemIf("outer", true, isOuter);
    }
}
