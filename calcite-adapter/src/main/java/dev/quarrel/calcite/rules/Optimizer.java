package dev.quarrel.calcite.rules;

import dev.quarrel.calcite.limits.PlanSize;
import dev.quarrel.calcite.unnest.Unnesting;
import org.apache.calcite.plan.ConventionTraitDef;
import org.apache.calcite.plan.RelOptCluster;
import org.apache.calcite.plan.RelOptPlanner;
import org.apache.calcite.plan.volcano.VolcanoPlanner;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.metadata.DefaultRelMetadataProvider;
import org.apache.calcite.rel.metadata.ProxyingMetadataHandlerProvider;
import org.apache.calcite.rel.metadata.RelMetadataQuery;

/// Transforms a logical tree into one of Quarrel's nodes in a fixed sequence of steps: constant folding,
/// sub-queries, pushdown of conditions and join order, groupings, and finally the conversion of each node.
///
/// Each step is one walk over the tree, so planning takes time in proportion to it; join order alone is cubic in the
/// relations of one FROM.
public final class Optimizer {
    private Optimizer() {}

    /// A planner for a cluster: it lends traits and never runs. Its executor folds nothing.
    public static RelOptPlanner newPlanner() {
        VolcanoPlanner planner = new VolcanoPlanner();
        planner.addRelTraitDef(ConventionTraitDef.INSTANCE);
        planner.setExecutor((_, constants, reduced) -> reduced.addAll(constants));
        return planner;
    }

    /// Lets a cluster answer questions about its nodes without compiling code for them, which takes seconds at first.
    public static RelOptCluster withQuickMetadata(RelOptCluster cluster) {
        cluster.setMetadataQuerySupplier(QuickMetadata::new);
        return cluster;
    }

    private static final class QuickMetadata extends RelMetadataQuery {
        QuickMetadata() {
            super(new ProxyingMetadataHandlerProvider(DefaultRelMetadataProvider.INSTANCE));
        }
    }

    /// - Errors: 0A000 naming what nobody can run; 54001 for what grows beyond [PlanSize].
    public static RelNode optimize(RelNode root) {
        PlanSize size = PlanSize.planned();
        RelNode rel = size.require(Folding.apply(size.require(root)));
        rel = size.require(EmptyTables.prune(rel));
        rel = size.require(Unnesting.apply(rel, GroupingRules::setsApart));
        rel = size.require(Pushdown.apply(rel));
        rel = size.require(GroupingRules.apply(rel));
        return Conversion.of(rel);
    }
}
