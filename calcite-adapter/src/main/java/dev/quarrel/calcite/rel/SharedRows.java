package dev.quarrel.calcite.rel;

import org.apache.calcite.plan.Convention;
import org.apache.calcite.plan.RelOptCluster;
import org.apache.calcite.plan.RelOptCost;
import org.apache.calcite.plan.RelOptPlanner;
import org.apache.calcite.rel.AbstractRelNode;
import org.apache.calcite.rel.RelWriter;
import org.apache.calcite.rel.metadata.RelMetadataQuery;

/// A place that reads the rows of a [SharedQuery]: a leaf, as a table is. It becomes a [QuarrelShared].
public final class SharedRows extends AbstractRelNode {
    private final SharedQuery query;

    private SharedRows(RelOptCluster cluster, SharedQuery query) {
        super(cluster, cluster.traitSetOf(Convention.NONE));
        this.query = query;
        this.rowType = query.rowType();
    }

    public static SharedRows of(RelOptCluster cluster, SharedQuery query) {
        return new SharedRows(cluster, query);
    }

    public SharedQuery query() {
        return query;
    }

    @Override
    public double estimateRowCount(RelMetadataQuery metadata) {
        return metadata.getRowCount(query.rel());
    }

    @Override
    public RelOptCost computeSelfCost(RelOptPlanner planner, RelMetadataQuery metadata) {
        return planner.getCostFactory().makeTinyCost();
    }

    @Override
    public RelWriter explainTerms(RelWriter writer) {
        return super.explainTerms(writer).item("query", query);
    }
}
