package dev.quarrel.calcite.rel;

import dev.quarrel.core.function.FunctionRow;
import java.util.List;
import org.apache.calcite.plan.RelOptCluster;
import org.apache.calcite.plan.RelTraitSet;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.RelWriter;
import org.apache.calcite.rel.SingleRel;
import org.apache.calcite.rel.type.RelDataType;

/// A function in FROM that returns a set of rows with one column. It is called once per row of the input, whose
/// columns are its arguments.
public final class QuarrelSeries extends SingleRel implements HostRel {
    private final FunctionRow function;

    public QuarrelSeries(
            RelOptCluster cluster, RelTraitSet traits, RelNode input, FunctionRow function, RelDataType rowType) {
        super(cluster, traits, input);
        this.function = function;
        this.rowType = rowType;
    }

    public FunctionRow function() {
        return function;
    }

    @Override
    public RelNode copy(RelTraitSet traits, List<RelNode> inputs) {
        return new QuarrelSeries(getCluster(), traits, inputs.getFirst(), function, rowType);
    }

    @Override
    public RelWriter explainTerms(RelWriter writer) {
        return super.explainTerms(writer).item("function", function.signature());
    }
}
