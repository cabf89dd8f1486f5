package dev.quarrel.calcite.rules;

import dev.quarrel.calcite.limits.PlanningLimits;
import java.util.List;
import java.util.function.UnaryOperator;
import org.apache.calcite.plan.RelOptListener;
import org.apache.calcite.plan.RelOptRule;
import org.apache.calcite.plan.hep.HepPlanner;
import org.apache.calcite.plan.hep.HepProgram;
import org.apache.calcite.plan.hep.HepProgramBuilder;
import org.apache.calcite.rel.RelNode;

/// One phase of the optimizer: a walk over the tree, or a set of rules that is applied until none matches.
///
/// @param name as `EXPLAIN (PLANS)` shows it
/// @param isWhole whether it sees to the shared queries of the tree itself; otherwise it is applied to each of them,
///     too
record Phase(String name, UnaryOperator<RelNode> rewrite, boolean isWhole) {
    Phase(String name, UnaryOperator<RelNode> rewrite) {
        this(name, rewrite, false);
    }

    /// So many applications of its rules end a phase: a set of rules that undo one another would not end by itself.
    private static final int MAX_MATCHES = 20_000;

    /// A phase that looks at the tree together with the shared queries that it reads.
    static Phase ofWhole(String name, UnaryOperator<RelNode> rewrite) {
        return new Phase(name, rewrite, true);
    }

    /// A phase of rules, applied from the leaves up until none matches any more.
    static Phase of(String name, List<? extends RelOptRule> rules) {
        HepProgram program = new HepProgramBuilder()
                .addMatchLimit(MAX_MATCHES)
                .addRuleCollection(List.copyOf(rules))
                .build();
        return new Phase(name, root -> applied(program, root));
    }

    private static RelNode applied(HepProgram program, RelNode root) {
        HepPlanner planner = new HepPlanner(program);
        Progress progress = new Progress();
        planner.addListener(progress);
        planner.setRoot(root);
        RelNode best = planner.findBestExp();
        // The planner works on copies, of which nothing is known yet.
        return progress.isAny ? best : root;
    }

    /// Whether any rule was applied. Between two applications planning can be cancelled, and is bounded.
    private static final class Progress implements RelOptListener {
        private boolean isAny;

        @Override
        public void ruleAttempted(RuleAttemptedEvent event) {
            PlanningLimits.tick();
        }

        @Override
        public void relEquivalenceFound(RelEquivalenceEvent event) {}

        @Override
        public void ruleProductionSucceeded(RuleProductionEvent event) {
            isAny = true;
        }

        @Override
        public void relDiscarded(RelDiscardedEvent event) {}

        @Override
        public void relChosen(RelChosenEvent event) {}
    }
}
