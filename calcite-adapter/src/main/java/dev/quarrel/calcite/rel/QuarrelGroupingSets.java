package dev.quarrel.calcite.rel;

import java.util.List;
import org.apache.calcite.plan.RelOptCluster;
import org.apache.calcite.plan.RelTraitSet;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.RelWriter;
import org.apache.calcite.rel.SingleRel;
import org.apache.calcite.rel.core.AggregateCall;
import org.apache.calcite.rel.type.RelDataType;
import org.apache.calcite.rel.type.RelDataTypeFactory;
import org.apache.calcite.sql.type.SqlTypeName;
import org.apache.calcite.util.ImmutableBitSet;

/// Groupings of one input by several sets of keys, in one pass over it. A row has all keys (NULL for one that its set
/// leaves out), the aggregates' results, and what each GROUPING() answers for its set.
public final class QuarrelGroupingSets extends SingleRel implements QuarrelRel {
    private final ImmutableBitSet keys;
    private final List<Set> sets;
    private final List<AggregateCall> calls;

    /// @param keys columns of the input, among those of all sets
    /// @param numbers one a GROUPING()
    public record Set(ImmutableBitSet keys, List<Integer> numbers) {
        public Set {
            numbers = List.copyOf(numbers);
        }
    }

    /// @param keys all keys: what some set has
    /// @param sets one at least; each has as many numbers as the others
    /// @param calls typed as for a group that may have no rows
    public QuarrelGroupingSets(
            RelOptCluster cluster,
            RelTraitSet traits,
            RelNode input,
            ImmutableBitSet keys,
            List<Set> sets,
            List<AggregateCall> calls) {
        super(cluster, traits, input);
        this.keys = keys;
        this.sets = List.copyOf(sets);
        this.calls = List.copyOf(calls);
    }

    public ImmutableBitSet keys() {
        return keys;
    }

    public List<Set> sets() {
        return sets;
    }

    public List<AggregateCall> calls() {
        return calls;
    }

    @Override
    protected RelDataType deriveRowType() {
        RelDataTypeFactory types = getCluster().getTypeFactory();
        RelDataTypeFactory.Builder fields = types.builder();
        for (int key : keys) {
            RelDataType type = getInput().getRowType().getFieldList().get(key).getType();
            fields.add("k" + key, types.createTypeWithNullability(type, true));
        }
        for (int call = 0; call < calls.size(); call++) {
            fields.add("a" + call, calls.get(call).getType());
        }
        for (int number = 0; number < sets.getFirst().numbers().size(); number++) {
            fields.add("g" + number, SqlTypeName.INTEGER);
        }
        return fields.build();
    }

    @Override
    public RelNode copy(RelTraitSet traits, List<RelNode> inputs) {
        return new QuarrelGroupingSets(getCluster(), traits, inputs.getFirst(), keys, sets, calls);
    }

    @Override
    public RelWriter explainTerms(RelWriter writer) {
        return super.explainTerms(writer).item("keys", keys).item("sets", sets).item("calls", calls);
    }
}
