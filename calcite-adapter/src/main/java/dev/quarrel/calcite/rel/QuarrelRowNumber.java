package dev.quarrel.calcite.rel;

import java.util.List;
import org.apache.calcite.plan.RelOptCluster;
import org.apache.calcite.plan.RelTraitSet;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.SingleRel;
import org.apache.calcite.rel.type.RelDataType;
import org.apache.calcite.sql.type.SqlTypeName;

/// A node that appends a unique bigint to each row of its input, so that rows can be identified after a join.
public final class QuarrelRowNumber extends SingleRel implements HostRel {
    public QuarrelRowNumber(RelOptCluster cluster, RelTraitSet traits, RelNode input) {
        super(cluster, traits, input);
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
        return new QuarrelRowNumber(getCluster(), traits, inputs.getFirst());
    }
}
