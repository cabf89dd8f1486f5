package dev.quarrel.calcite.rules;

import java.util.List;
import org.apache.calcite.plan.Contexts;
import org.apache.calcite.plan.RelOptUtil;
import org.apache.calcite.plan.hep.HepPlanner;
import org.apache.calcite.plan.hep.HepProgram;
import org.apache.calcite.rel.RelHomogeneousShuttle;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.core.Correlate;
import org.apache.calcite.rel.rules.CoreRules;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.rex.RexShuttle;
import org.apache.calcite.rex.RexSubQuery;
import org.apache.calcite.sql2rel.RelDecorrelator;
import org.apache.calcite.tools.RelBuilder;
import org.apache.calcite.tools.RelBuilderFactory;

/// Turns sub-queries into joins: IN and EXISTS by [SubQueryJoins], others by Calcite, correlated ones too where
/// Calcite can; where it cannot, a Correlate stays,
/// which is run
/// row by row.
final class SubQueries {
    /// A builder that writes what it is told: Calcite's simplifications fold with its own arithmetic.
    static final RelBuilderFactory PLAIN_BUILDER = RelBuilder.proto(Contexts.of(RelBuilder.Config.DEFAULT
            .withSimplify(false)
            .withSimplifyLimit(false)
            .withSimplifyValues(false)
            .withPushJoinCondition(false)
            .withAggregateUnique(true)));

    private static final HepProgram REMOVE = HepProgram.builder()
            .addRuleCollection(List.of(
                    CoreRules.FILTER_SUB_QUERY_TO_CORRELATE
                            .config
                            .withRelBuilderFactory(PLAIN_BUILDER)
                            .toRule(),
                    CoreRules.PROJECT_SUB_QUERY_TO_CORRELATE
                            .config
                            .withRelBuilderFactory(PLAIN_BUILDER)
                            .toRule(),
                    CoreRules.JOIN_SUB_QUERY_TO_CORRELATE
                            .config
                            .withRelBuilderFactory(PLAIN_BUILDER)
                            .toRule()))
            .build();

    private SubQueries() {}

    static RelNode remove(RelNode root) {
        RelNode rel = Finder.hasSubQuery(root) ? SubQueryJoins.apply(root) : root;
        if (Finder.hasSubQuery(rel)) {
            HepPlanner planner = new HepPlanner(REMOVE);
            planner.setExecutor(rel.getCluster().getPlanner().getExecutor());
            planner.setRoot(rel);
            rel = planner.findBestExp();
        }
        if (Finder.hasCorrelate(rel)) {
            RelNode flat = RelDecorrelator.decorrelateQuery(rel, PLAIN_BUILDER.create(rel.getCluster(), null));
            rel = RelOptUtil.equal(
                            "before",
                            rel.getRowType(),
                            "after",
                            flat.getRowType(),
                            org.apache.calcite.util.Litmus.IGNORE)
                    ? flat
                    : RelOptUtil.createCastRel(flat, rel.getRowType(), true);
        }
        return rel;
    }

    /// Looks through a tree for what has to go.
    private static final class Finder extends RelHomogeneousShuttle {
        private boolean subQuery;
        private boolean correlate;

        static boolean hasSubQuery(RelNode rel) {
            Finder finder = new Finder();
            finder.visit(rel);
            return finder.subQuery;
        }

        static boolean hasCorrelate(RelNode rel) {
            Finder finder = new Finder();
            finder.visit(rel);
            return finder.correlate;
        }

        @Override
        public RelNode visit(RelNode rel) {
            correlate |= rel instanceof Correlate;
            rel.accept(new RexShuttle() {
                @Override
                public RexNode visitSubQuery(RexSubQuery query) {
                    subQuery = true;
                    return query;
                }
            });
            rel.getInputs().forEach(this::visit);
            return rel;
        }
    }
}
