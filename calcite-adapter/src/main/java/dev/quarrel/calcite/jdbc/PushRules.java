package dev.quarrel.calcite.jdbc;

import dev.quarrel.calcite.rel.QuarrelAggregate;
import dev.quarrel.calcite.rel.QuarrelFilter;
import dev.quarrel.calcite.rel.QuarrelProject;
import dev.quarrel.calcite.rel.QuarrelSort;
import java.util.List;
import java.util.function.BiFunction;
import java.util.function.Predicate;
import org.apache.calcite.adapter.enumerable.EnumerableConvention;
import org.apache.calcite.plan.Convention;
import org.apache.calcite.plan.RelOptRule;
import org.apache.calcite.plan.RelTraitSet;
import org.apache.calcite.rel.RelCollations;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.convert.ConverterRule;
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

/// The rules by which an application's own planner gives nodes above our tables to the engine: those that it computes
/// as Calcite's Enumerable would, see [Pushable].
final class PushRules {
    private PushRules() {}

    static List<RelOptRule> of(EngineConvention convention) {
        return List.of(
                rule(convention, LogicalFilter.class, "Filter", Pushable::isFilter, PushRules::filter),
                rule(convention, LogicalProject.class, "Project", Pushable::isProject, PushRules::project),
                rule(convention, LogicalJoin.class, "Join", Pushable::isJoin, PushRules::join),
                rule(convention, LogicalAggregate.class, "Aggregate", Pushable::isAggregate, PushRules::aggregate),
                rule(convention, LogicalSort.class, "Sort", Pushable::isSort, PushRules::sort),
                ConverterRule.Config.INSTANCE
                        .withConversion(
                                RelNode.class, convention, EnumerableConvention.INSTANCE, "QuarrelToEnumerableRule")
                        .withRuleFactory(ToEnumerable::new)
                        .toRule(ToEnumerable.class));
    }

    private static <R extends RelNode> RelOptRule rule(
            EngineConvention convention,
            Class<R> node,
            String name,
            Predicate<R> isPushable,
            BiFunction<R, Convention, RelNode> push) {
        return ConverterRule.Config.INSTANCE
                .withConversion(node, isPushable, Convention.NONE, convention, "Quarrel" + name + "Rule")
                .withRuleFactory(config -> new Push(config, rel -> push.apply(node.cast(rel), convention)))
                .toRule(Push.class);
    }

    private static RelTraitSet traits(RelNode rel, Convention convention) {
        return rel.getTraitSet().replace(convention);
    }

    private static RelNode input(RelNode input, Convention convention) {
        return RelOptRule.convert(input, input.getTraitSet().replace(convention).replace(RelCollations.EMPTY));
    }

    private static RelNode filter(Filter filter, Convention convention) {
        return new QuarrelFilter(
                filter.getCluster(),
                traits(filter, convention),
                input(filter.getInput(), convention),
                filter.getCondition());
    }

    private static RelNode project(Project project, Convention convention) {
        return new QuarrelProject(
                project.getCluster(),
                traits(project, convention),
                input(project.getInput(), convention),
                project.getProjects(),
                project.getRowType());
    }

    private static RelNode join(Join join, Convention convention) {
        return new PushedJoin(
                join.getCluster(),
                traits(join, convention),
                input(join.getLeft(), convention),
                input(join.getRight(), convention),
                join.getCondition(),
                join.getJoinType());
    }

    private static RelNode aggregate(Aggregate aggregate, Convention convention) {
        return new QuarrelAggregate(
                aggregate.getCluster(),
                traits(aggregate, convention),
                input(aggregate.getInput(), convention),
                aggregate.getGroupSet(),
                aggregate.getGroupSets(),
                aggregate.getAggCallList());
    }

    private static RelNode sort(Sort sort, Convention convention) {
        return new QuarrelSort(
                sort.getCluster(),
                traits(sort, convention),
                input(sort.getInput(), convention),
                sort.getCollation(),
                sort.offset,
                sort.fetch);
    }

    /// Makes one of our nodes of one of Calcite's.
    static final class Push extends ConverterRule {
        private final java.util.function.UnaryOperator<RelNode> push;

        Push(Config config, java.util.function.UnaryOperator<RelNode> push) {
            super(config);
            this.push = push;
        }

        @Override
        public RelNode convert(RelNode rel) {
            return push.apply(rel);
        }
    }

    /// Makes the engine's rows an Enumerable.
    static final class ToEnumerable extends ConverterRule {
        ToEnumerable(Config config) {
            super(config);
        }

        @Override
        public RelNode convert(RelNode rel) {
            EngineConvention convention = (EngineConvention) getInTrait();
            return new QuarrelToEnumerable(
                    rel.getCluster(), rel.getTraitSet().replace(getOutTrait()), rel, convention.engine());
        }
    }
}
