package dev.quarrel.calcite.rel;

import java.util.List;
import org.apache.calcite.plan.RelOptCluster;
import org.apache.calcite.plan.RelTraitSet;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.RelWriter;
import org.apache.calcite.rel.SingleRel;
import org.apache.calcite.rel.type.RelDataType;
import org.apache.calcite.sql.type.SqlTypeName;

/// A node that adds a unique bigint to each of its input's rows. Its rows are produced once and read in several
/// places: all of these see the same rows with the same numbers, even if the input would produce different rows
/// each time.
///
/// No condition may move below it. It becomes a [QuarrelRowNumber].
public final class NumberedRows extends SingleRel {
    private final Object identity;

    private NumberedRows(RelOptCluster cluster, RelTraitSet traits, RelNode input, Object identity) {
        super(cluster, traits, input);
        this.identity = identity;
    }

    /// Rows that are like no others.
    public static NumberedRows of(RelNode input) {
        return new NumberedRows(input.getCluster(), input.getTraitSet(), input, new Object());
    }

    /// What copies of one node have in common: they are the same rows.
    public Object identity() {
        return identity;
    }

    @Override
    protected RelDataType deriveRowType() {
        return getCluster()
                .getTypeFactory()
                .builder()
                .addAll(getInput().getRowType().getFieldList())
                .add("row$", SqlTypeName.BIGINT)
                .uniquify()
                .build();
    }

    @Override
    public RelNode copy(RelTraitSet traits, List<RelNode> inputs) {
        return new NumberedRows(getCluster(), traits, inputs.getFirst(), identity);
    }

    @Override
    public RelWriter explainTerms(RelWriter writer) {
        return super.explainTerms(writer).item("rows", System.identityHashCode(identity));
    }
}
