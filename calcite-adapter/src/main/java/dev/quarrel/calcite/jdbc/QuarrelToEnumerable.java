package dev.quarrel.calcite.jdbc;

import dev.quarrel.calcite.Engine;
import dev.quarrel.calcite.engine.PlannedStatement;
import dev.quarrel.calcite.rel.QuarrelRel;
import java.util.List;
import org.apache.calcite.DataContext;
import org.apache.calcite.adapter.enumerable.EnumerableConvention;
import org.apache.calcite.adapter.enumerable.EnumerableRel;
import org.apache.calcite.adapter.enumerable.EnumerableRelImplementor;
import org.apache.calcite.adapter.enumerable.PhysType;
import org.apache.calcite.adapter.enumerable.PhysTypeImpl;
import org.apache.calcite.linq4j.tree.BlockBuilder;
import org.apache.calcite.linq4j.tree.Expression;
import org.apache.calcite.linq4j.tree.Expressions;
import org.apache.calcite.plan.ConventionTraitDef;
import org.apache.calcite.plan.RelOptCluster;
import org.apache.calcite.plan.RelTraitSet;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.convert.ConverterImpl;

/// A converter node that returns the rows of Quarrel's nodes to Calcite as an Enumerable: of a part of a statement,
/// which the engine plans when the statement is compiled.
public final class QuarrelToEnumerable extends ConverterImpl implements EnumerableRel {
    private final Engine engine;

    QuarrelToEnumerable(RelOptCluster cluster, RelTraitSet traits, RelNode input, Engine engine) {
        super(cluster, ConventionTraitDef.INSTANCE, traits.replace(EnumerableConvention.INSTANCE), input);
        this.engine = engine;
    }

    @Override
    public RelNode copy(RelTraitSet traits, List<RelNode> inputs) {
        return new QuarrelToEnumerable(getCluster(), traits, inputs.getFirst(), engine);
    }

    @Override
    public Result implement(EnumerableRelImplementor implementor, Prefer preference) {
        PhysType type = PhysTypeImpl.of(implementor.getTypeFactory(), getRowType(), preference.preferArray());
        PlannedStatement statement =
                PlannedStatement.of(engine, isPlanned() ? getInput() : PushedPart.optimized(getInput()));
        Expression rows = implementor.stash(new EnumerableRows(engine, statement), EnumerableRows.class);
        BlockBuilder block = new BlockBuilder();
        block.add(Expressions.return_(
                null, Expressions.call(rows, "rows", Expressions.convert_(DataContext.ROOT, DataContext.class))));
        return implementor.result(type, block.toBlock());
    }

    /// Whether the whole statement is ours, which our own optimizer has planned then.
    private boolean isPlanned() {
        return getInput().getConvention() == QuarrelRel.CONVENTION;
    }
}
