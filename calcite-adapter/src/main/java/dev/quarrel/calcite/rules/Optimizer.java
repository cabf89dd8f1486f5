package dev.quarrel.calcite.rules;

import dev.quarrel.calcite.limits.PlanSize;
import dev.quarrel.calcite.metadata.QuarrelMetadata;
import dev.quarrel.calcite.rel.SharedQuery;
import dev.quarrel.calcite.unnest.Unnesting;
import java.util.List;
import org.apache.calcite.plan.ConventionTraitDef;
import org.apache.calcite.plan.RelOptCluster;
import org.apache.calcite.plan.RelOptPlanner;
import org.apache.calcite.plan.volcano.VolcanoPlanner;
import org.apache.calcite.rel.RelNode;

/// Transforms a logical tree into one of Quarrel's nodes, phase by phase. `EXPLAIN (PLANS)` shows the tree after each.
public final class Optimizer {
    /// The order of the list is the order in which they run. Each gets a tree without sub-queries once `unnesting` has
    /// run; the last one makes the nodes that pipelines are emitted from.
    private static final List<Phase> PHASES = List.of(
            Phase.ofWhole("with queries", WithQueries::apply),
            new Phase("folding", Folding::apply),
            new Phase("empty tables", EmptyTables::prune),
            new Phase("unnesting", rel -> Unnesting.apply(rel, GroupingRules::setsApart)),
            new Phase("elements", ElementScans::apply),
            new Phase("fields of composites", CompositeFields::apply),
            new Phase("keys of composites", CompositeKeys::apply),
            new Phase("lists", ListCalls::apply),
            new Phase("inference", Inference::apply),
            new Phase("contradictions", EmptyTables::prune),
            new Phase("pushdown and join order", Pushdown::apply),
            new Phase("empty branches", EmptyTables::prune),
            new Phase("join messages", JoinMessages::apply),
            new Phase("repeats", Repeats::apply),
            new Phase("eager aggregation", EagerAggregation::apply),
            new Phase("reduction", Reduction::apply),
            Phase.ofWhole("shared conditions", SharedConditions::apply),
            Phase.of("simplification", QuarrelRules.SIMPLIFICATION),
            new Phase("extremes", OrderedExtremes::apply),
            new Phase("groupings", GroupingRules::apply),
            new Phase("keys of composites' groupings", CompositeKeys::apply),
            new Phase("decided keys", DecidedKeys::apply),
            new Phase("order of conditions", FilterOrder::apply),
            Phase.ofWhole("conversion", Conversion::of));

    private Optimizer() {}

    /// Sees the tree before the first phase (named `analysis`) and after each one.
    @FunctionalInterface
    public interface Observer {
        Observer NONE = (_, _) -> {};

        void saw(String phase, RelNode rel);
    }

    /// A planner for a cluster: it lends traits and never runs. Its executor folds nothing.
    public static RelOptPlanner newPlanner() {
        VolcanoPlanner planner = new VolcanoPlanner();
        planner.addRelTraitDef(ConventionTraitDef.INSTANCE);
        planner.setExecutor((_, constants, reduced) -> reduced.addAll(constants));
        return planner;
    }

    /// Lets a cluster answer questions about its nodes without compiling code for them, which takes seconds at first.
    public static RelOptCluster withQuickMetadata(RelOptCluster cluster) {
        cluster.setMetadataQuerySupplier(QuarrelMetadata::new);
        return cluster;
    }

    /// - Errors: 0A000 naming what nobody can run; 54001 for what grows beyond [PlanSize].
    public static RelNode optimize(RelNode root) {
        return optimize(root, Observer.NONE);
    }

    /// As [#optimize(RelNode)], watched.
    public static RelNode optimize(RelNode root, Observer observer) {
        PlanSize size = PlanSize.planned();
        RelNode rel = size.require(root);
        observer.saw("analysis", rel);
        for (Phase phase : PHASES) {
            for (SharedQuery query : phase.isWhole() ? List.<SharedQuery>of() : SharedQueries.of(rel)) {
                query.become(size.require(phase.rewrite().apply(query.rel())));
            }
            rel = size.require(phase.rewrite().apply(rel));
            observer.saw(phase.name(), rel);
        }
        return rel;
    }
}
