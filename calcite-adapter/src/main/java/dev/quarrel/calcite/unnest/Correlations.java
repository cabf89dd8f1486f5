package dev.quarrel.calcite.unnest;

import dev.quarrel.calcite.lower.Failing;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.apache.calcite.plan.RelOptUtil;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.core.Aggregate;
import org.apache.calcite.rel.core.Filter;
import org.apache.calcite.rel.core.Join;
import org.apache.calcite.rel.core.JoinRelType;
import org.apache.calcite.rel.core.Project;
import org.apache.calcite.rel.core.Sort;
import org.apache.calcite.rel.logical.LogicalFilter;
import org.apache.calcite.rel.logical.LogicalJoin;
import org.apache.calcite.rel.logical.LogicalProject;
import org.apache.calcite.rex.RexBuilder;
import org.apache.calcite.rex.RexInputRef;
import org.apache.calcite.rex.RexLiteral;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.rex.RexShuttle;
import org.apache.calcite.rex.RexUtil;

/// Pulls the conditions that refer to the outer row out of a sub-query.
final class Correlations {
    private final References references;
    private final RexBuilder rexBuilder;
    private final boolean isStrict;

    /// @param references to the row around
    /// @param isStrict whether nothing that can fail may be computed for rows that the query would leave out
    Correlations(References references, RexBuilder rexBuilder, boolean isStrict) {
        this.references = references;
        this.rexBuilder = rexBuilder;
        this.isStrict = isStrict;
    }

    /// A query that no longer refers to the outer row, and the conditions that were pulled out of it.
    ///
    /// @param rel its first columns are the query's
    /// @param conjuncts which of its rows the query has for a row around; over its columns, and that row's
    record Pulled(RelNode rel, List<RexNode> conjuncts) {}

    /// - Returns: null if the query refers to the row in another way than conditions do that all its rows meet.
    ///
    /// @param onlyExistence whether nobody asks for the columns
    Pulled pull(RelNode query, boolean onlyExistence) {
        return pullRows(simple(query, onlyExistence));
    }

    /// As `pull`, for a query whose rows are asked for as they are, in any order.
    Pulled pullRows(RelNode query) {
        Pulled pulled = pull(query);
        return pulled == null || refers(pulled.rel()) ? null : pulled;
    }

    /// Without what matters neither to IN nor to EXISTS: order, DISTINCT, and for EXISTS columns and a limit.
    static RelNode simple(RelNode query, boolean onlyExistence) {
        return switch (query) {
            case Sort sort
            when sort.offset == null && (sort.fetch == null || onlyExistence && isPositive(sort.fetch)) ->
                simple(sort.getInput(), onlyExistence);
            case Project project when onlyExistence && !project.containsOver() -> simple(project.getInput(), true);
            case Aggregate aggregate
            when aggregate.getGroupType() == Aggregate.Group.SIMPLE
                    && aggregate.getGroupCount() > 0
                    && aggregate.getAggCallList().isEmpty() -> {
                RelNode input = aggregate.getInput();
                if (onlyExistence) {
                    yield simple(input, true);
                }
                List<RexNode> keys = new ArrayList<>();
                aggregate
                        .getGroupSet()
                        .forEachInt(key ->
                                keys.add(input.getCluster().getRexBuilder().makeInputRef(input, key)));
                yield LogicalProject.create(
                        input, List.of(), keys, aggregate.getRowType().getFieldNames(), Set.of());
            }
            default -> query;
        };
    }

    private static boolean isPositive(RexNode fetch) {
        return fetch instanceof RexLiteral literal
                && !literal.isNull()
                && literal.getValueAs(BigDecimal.class).signum() > 0;
    }

    private Pulled pull(RelNode rel) {
        if (!refers(rel)) {
            return new Pulled(rel, List.of());
        }
        return switch (rel) {
            case Filter filter -> filter(filter);
            case Project project -> project(project);
            case Join join -> join(join);
            case Sort sort when sort.fetch == null && sort.offset == null -> pull(sort.getInput());
            default -> null;
        };
    }

    private Pulled filter(Filter filter) {
        Pulled input = pull(filter.getInput());
        if (input == null) {
            return null;
        }
        List<RexNode> staying = new ArrayList<>();
        List<RexNode> pulled = new ArrayList<>(input.conjuncts());
        Failing failing = Failing.over(filter.getInput().getRowType(), rexBuilder);
        for (RexNode conjunct : RelOptUtil.conjunctions(filter.getCondition())) {
            if (refers(conjunct)) {
                if (hasSubQuery(conjunct)) {
                    return null;
                }
                pulled.add(conjunct);
            } else if (!pulled.isEmpty() && failing.canFail(conjunct)) {
                // It is asked only of the rows that are left by what was written before it.
                if (hasSubQuery(conjunct)) {
                    return null;
                }
                pulled.add(conjunct);
            } else {
                staying.add(conjunct);
            }
        }
        RelNode kept = staying.isEmpty()
                ? input.rel()
                : LogicalFilter.create(
                        input.rel(),
                        RexUtil.composeConjunction(rexBuilder, staying),
                        com.google.common.collect.ImmutableSet.copyOf(filter.getVariablesSet()));
        return new Pulled(kept, pulled);
    }

    private Pulled project(Project project) {
        Pulled input = pull(project.getInput());
        if (input == null
                || project.containsOver()
                || project.getProjects().stream().anyMatch(this::refers)) {
            return null;
        }
        Failing failing = Failing.over(project.getInput().getRowType(), rexBuilder);
        if (isStrict && project.getProjects().stream().anyMatch(failing::canFail)) {
            return null;
        }
        List<RexNode> columns = new ArrayList<>(project.getProjects());
        List<RexNode> conjuncts = input.conjuncts().stream()
                .map(conjunct -> conjunct.accept(new RexShuttle() {
                    @Override
                    public RexNode visitInputRef(RexInputRef column) {
                        int place = columns.indexOf(column);
                        if (place < 0) {
                            place = columns.size();
                            columns.add(column);
                        }
                        return new RexInputRef(place, column.getType());
                    }
                }))
                .toList();
        RelNode widened =
                LogicalProject.create(input.rel(), List.of(), columns, (List<String>) null, project.getVariablesSet());
        return new Pulled(widened, conjuncts);
    }

    private Pulled join(Join join) {
        boolean isInner = join.getJoinType() == JoinRelType.INNER;
        boolean keepsLeft = join.getJoinType() == JoinRelType.LEFT
                || join.getJoinType() == JoinRelType.SEMI
                || join.getJoinType() == JoinRelType.ANTI;
        Pulled left = pull(join.getLeft());
        Pulled right = isInner ? pull(join.getRight()) : new Pulled(join.getRight(), List.of());
        boolean isFree = isInner || keepsLeft && !refers(join.getRight()) && !refers(join.getCondition());
        if (left == null || right == null || !isFree || hasSubQuery(join.getCondition())) {
            return null;
        }
        int oldLeft = join.getLeft().getRowType().getFieldCount();
        int oldRight = join.getRight().getRowType().getFieldCount();
        int newLeft = left.rel().getRowType().getFieldCount();
        List<RexNode> conjuncts = new ArrayList<>(left.conjuncts());
        right.conjuncts().forEach(conjunct -> conjuncts.add(RexUtil.shift(conjunct, 0, newLeft)));
        List<RexNode> on = new ArrayList<>();
        for (RexNode conjunct : RelOptUtil.conjunctions(join.getCondition())) {
            (refers(conjunct) ? conjuncts : on).add(RexUtil.shift(conjunct, oldLeft, newLeft - oldLeft));
        }
        RelNode joined = LogicalJoin.create(
                left.rel(),
                right.rel(),
                List.of(),
                RexUtil.composeConjunction(rexBuilder, on),
                join.getVariablesSet(),
                join.getJoinType());
        if (newLeft == oldLeft || !join.getJoinType().projectsRight()) {
            return new Pulled(joined, conjuncts);
        }
        // The query's columns come first.
        int[] place = new int[joined.getRowType().getFieldCount()];
        List<RexNode> columns = new ArrayList<>();
        for (int part = 0; part < 2; part++) {
            for (int column = 0; column < place.length; column++) {
                boolean isOwn = column < oldLeft || column >= newLeft && column < newLeft + oldRight;
                if (isOwn == (part == 0)) {
                    place[column] = columns.size();
                    columns.add(rexBuilder.makeInputRef(joined, column));
                }
            }
        }
        RelNode ordered = LogicalProject.create(joined, List.of(), columns, (List<String>) null, Set.of());
        return new Pulled(
                ordered,
                conjuncts.stream()
                        .map(conjunct -> conjunct.accept(new RexShuttle() {
                            @Override
                            public RexNode visitInputRef(RexInputRef input) {
                                return new RexInputRef(place[input.getIndex()], input.getType());
                            }
                        }))
                        .toList());
    }

    private static boolean hasSubQuery(RexNode node) {
        return RexUtil.SubQueryFinder.find(node) != null;
    }

    private boolean refers(RexNode node) {
        return references.in(node);
    }

    private boolean refers(RelNode rel) {
        return references.in(rel);
    }
}
