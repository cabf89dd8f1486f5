package dev.quarrel.calcite.jdbc;

import dev.quarrel.calcite.Engine;
import dev.quarrel.calcite.rel.QuarrelRel;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.calcite.plan.Convention;
import org.apache.calcite.plan.RelOptPlanner;

/// What one engine runs, in an application's own planner: nodes of two engines never come into one tree.
///
/// A planner that meets a table of the engine gets the rules that push the nodes above it to the engine.
final class EngineConvention extends Convention.Impl {
    private static final AtomicInteger MADE = new AtomicInteger();

    private final Engine engine;

    EngineConvention(Engine engine) {
        // A planner tells rules and traits apart by their names.
        super("QUARREL." + MADE.incrementAndGet(), QuarrelRel.class);
        this.engine = engine;
    }

    Engine engine() {
        return engine;
    }

    @Override
    public void register(RelOptPlanner planner) {
        PushRules.of(this).forEach(planner::addRule);
    }
}
