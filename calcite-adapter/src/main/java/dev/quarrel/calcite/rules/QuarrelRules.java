package dev.quarrel.calcite.rules;

import java.util.List;
import org.apache.calcite.plan.RelOptRule;
import org.apache.calcite.rel.core.Aggregate;
import org.apache.calcite.rel.core.Project;
import org.apache.calcite.rel.core.Sort;
import org.apache.calcite.rel.core.Union;

/// The sets of rules that are phases of the optimizer, in the order in which a planner tries them.
final class QuarrelRules {
    private QuarrelRules() {}

    /// What asks for nothing is left out, and what bounds the rows does so as early as it can.
    static final List<RelOptRule> SIMPLIFICATION = List.of(
            Rewrite.of("projections of columns are one", Project.class, Redundancy::mergedColumns),
            Rewrite.of("columns behind windows that nobody reads", Project.class, Redundancy::withoutUnreadColumns),
            Rewrite.of("UNIONs one in another are one", Union.class, Redundancy::mergedUnions),
            Rewrite.of("LEFT JOINs that no projection reads", Project.class, UnreadJoins::leftOut),
            Rewrite.of("LEFT JOINs that no grouping reads", Aggregate.class, UnreadJoins::leftOut),
            Rewrite.of("DISTINCT of rows that are", Aggregate.class, Redundancy::withoutDistinct),
            Rewrite.of("sums of a column and constants", Aggregate.class, ShiftedSums::apply),
            Rewrite.of("LIMIT below LEFT JOINs", Sort.class, Limits::belowLeftJoins));
}
