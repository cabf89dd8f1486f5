package dev.quarrel.calcite.jdbc;

import dev.quarrel.calcite.rel.QuarrelRel;
import dev.quarrel.calcite.rel.QuarrelTableScan;
import dev.quarrel.calcite.rules.Optimizer;
import java.util.List;
import java.util.Set;
import org.apache.calcite.plan.RelOptCluster;
import org.apache.calcite.plan.volcano.RelSubset;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.core.Aggregate;
import org.apache.calcite.rel.core.Filter;
import org.apache.calcite.rel.core.Join;
import org.apache.calcite.rel.core.Project;
import org.apache.calcite.rel.core.Sort;
import org.apache.calcite.rel.logical.LogicalAggregate;
import org.apache.calcite.rel.logical.LogicalFilter;
import org.apache.calcite.rel.logical.LogicalJoin;
import org.apache.calcite.rel.logical.LogicalProject;
import org.apache.calcite.rel.logical.LogicalSort;

/// The part of a statement that an application's planner gave to the engine, which plans it anew as a whole: its order
/// of joins and what it does where is ours.
final class PushedPart {
    private PushedPart() {}

    /// - Errors: as [Optimizer#optimize].
    static RelNode optimized(RelNode part) {
        return Optimizer.optimize(logical(part));
    }

    /// The tree with logical nodes, over scans of our own planner's convention.
    static RelNode logical(RelNode rel) {
        return switch (rel) {
            case RelSubset subset -> logical(subset.getBestOrOriginal());
            case QuarrelTableScan scan -> scan(scan);
            case Filter filter -> LogicalFilter.create(logical(filter.getInput()), filter.getCondition());
            case Project project ->
                LogicalProject.create(
                        logical(project.getInput()), List.of(), project.getProjects(), project.getRowType(), Set.of());
            case Join join ->
                LogicalJoin.create(
                        logical(join.getLeft()),
                        logical(join.getRight()),
                        List.of(),
                        join.getCondition(),
                        Set.of(),
                        join.getJoinType());
            case Aggregate aggregate ->
                LogicalAggregate.create(
                        logical(aggregate.getInput()),
                        List.of(),
                        aggregate.getGroupSet(),
                        aggregate.getGroupSets(),
                        aggregate.getAggCallList());
            case Sort sort ->
                LogicalSort.create(logical(sort.getInput()), sort.getCollation(), sort.offset, sort.fetch);
            default -> throw new IllegalStateException("no part of ours: " + rel.getRelTypeName());
        };
    }

    static QuarrelTableScan scan(QuarrelTableScan scan) {
        RelOptCluster cluster = scan.getCluster();
        return scan.getConvention() == QuarrelRel.CONVENTION
                ? scan
                : new QuarrelTableScan(
                        cluster, cluster.traitSetOf(QuarrelRel.CONVENTION), scan.getTable(), scan.source());
    }
}
