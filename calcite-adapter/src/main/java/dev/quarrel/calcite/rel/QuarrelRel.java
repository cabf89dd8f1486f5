package dev.quarrel.calcite.rel;

import org.apache.calcite.plan.Convention;
import org.apache.calcite.rel.RelNode;

/// A relational expression that Quarrel itself can run.
///
/// Nodes that are a [HostRel] run in the process that plans, row by row; all others become pipelines.
public interface QuarrelRel extends RelNode {
    Convention CONVENTION = new Convention.Impl("QUARREL", QuarrelRel.class);

    /// How much cheaper than Calcite's own nodes ours are taken to be, so that its planner prefers them.
    double COST_FACTOR = 0.1;
}
