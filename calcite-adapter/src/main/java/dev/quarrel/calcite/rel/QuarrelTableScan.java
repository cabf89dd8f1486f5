package dev.quarrel.calcite.rel;

import dev.quarrel.core.table.Table;
import java.util.List;
import org.apache.calcite.plan.RelOptCluster;
import org.apache.calcite.plan.RelOptCost;
import org.apache.calcite.plan.RelOptPlanner;
import org.apache.calcite.plan.RelOptTable;
import org.apache.calcite.plan.RelTraitSet;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.core.TableScan;
import org.apache.calcite.rel.metadata.RelMetadataQuery;

/// A scan of a table of a catalog snapshot.
public final class QuarrelTableScan extends TableScan implements QuarrelRel {
    private final Table table;

    /// @param table what statistics and columns are taken from; when the plan runs, the table of that name is read
    public QuarrelTableScan(RelOptCluster cluster, RelTraitSet traits, RelOptTable relOptTable, Table table) {
        super(cluster, traits, List.of(), relOptTable);
        this.table = table;
    }

    public Table source() {
        return table;
    }

    @Override
    public RelNode copy(RelTraitSet traits, List<RelNode> inputs) {
        return new QuarrelTableScan(getCluster(), traits, getTable(), table);
    }

    @Override
    public double estimateRowCount(RelMetadataQuery query) {
        return table.stats().rowCount();
    }

    @Override
    public RelOptCost computeSelfCost(RelOptPlanner planner, RelMetadataQuery query) {
        return super.computeSelfCost(planner, query).multiplyBy(COST_FACTOR);
    }
}
