package dev.quarrel.calcite.rules;

import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.apache.calcite.plan.RelOptUtil;
import org.apache.calcite.rel.RelCollation;
import org.apache.calcite.rel.RelCollations;
import org.apache.calcite.rel.RelFieldCollation;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.core.Join;
import org.apache.calcite.rel.core.JoinRelType;
import org.apache.calcite.rel.core.Project;
import org.apache.calcite.rel.core.Sort;
import org.apache.calcite.rel.core.Union;
import org.apache.calcite.rel.logical.LogicalJoin;
import org.apache.calcite.rel.logical.LogicalProject;
import org.apache.calcite.rel.logical.LogicalSort;
import org.apache.calcite.rex.RexBuilder;
import org.apache.calcite.rex.RexInputRef;
import org.apache.calcite.rex.RexLiteral;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.rex.RexShuttle;
import org.apache.calcite.util.ImmutableBitSet;

/// LIMIT below LEFT JOINs: each row of the left side stays, so the first rows of all are among those of the left side's
/// first rows. The way there leads through projections and through the inputs of a UNION ALL. The LIMIT above stays: it
/// skips the OFFSET, and counts the partners.
///
/// What is left out is never evaluated, so nothing on the way may fail.
final class Limits {
    /// More rows are not kept for it.
    private static final BigDecimal MAX_ROWS = BigDecimal.valueOf(10_000);

    private final RexBuilder rexBuilder;
    private final RexLiteral atMost;
    private final Evaluations evaluations;

    private Limits(RexBuilder rexBuilder, RexLiteral atMost) {
        this.rexBuilder = rexBuilder;
        this.atMost = atMost;
        this.evaluations = new Evaluations(rexBuilder);
    }

    /// What a node may be instead, or null.
    static RelNode belowLeftJoins(Sort sort) {
        RexLiteral atMost = atMost(sort);
        if (atMost == null || value(atMost).compareTo(MAX_ROWS) > 0) {
            return null;
        }
        Limits limits = new Limits(sort.getCluster().getRexBuilder(), atMost);
        RelNode input = limits.first(Rewrite.input(sort, 0), sort.getCollation().getFieldCollations());
        return input == null ? null : sort.copy(sort.getTraitSet(), List.of(input));
    }

    /// A node with the first rows of another, and maybe not all others; null where that is the same.
    private RelNode first(RelNode rel, List<RelFieldCollation> order) {
        return switch (rel) {
            case Project project -> ofProject(project, order);
            case Union union when union.all -> ofUnion(union, order);
            case Join join -> ofJoin(join, order);
            default -> null;
        };
    }

    private RelNode ofUnion(Union union, List<RelFieldCollation> order) {
        List<RelNode> inputs = new ArrayList<>();
        boolean isChanged = false;
        for (RelNode input : union.getInputs()) {
            RelNode first = first(input.stripped(), order);
            isChanged |= first != null;
            inputs.add(first == null ? input : first);
        }
        return isChanged ? union.copy(union.getTraitSet(), inputs) : null;
    }

    private RelNode ofProject(Project project, List<RelFieldCollation> order) {
        RelNode input = Rewrite.input(project, 0);
        if (!project.getVariablesSet().isEmpty()
                || project.containsOver()
                || !evaluations.isSilent(project.getProjects(), input.getRowType())) {
            return null;
        }
        List<RelFieldCollation> keys = new ArrayList<>();
        for (RelFieldCollation key : order) {
            if (!(project.getProjects().get(key.getFieldIndex()) instanceof RexInputRef column)) {
                return null;
            }
            keys.add(key.withFieldIndex(column.getIndex()));
        }
        if (input instanceof Join join) {
            return passes(join, keys) ? narrowed(project, join, keys) : null;
        }
        RelNode first = first(input, keys);
        return first == null ? null : project.copy(project.getTraitSet(), List.of(first));
    }

    private RelNode ofJoin(Join join, List<RelFieldCollation> order) {
        if (!passes(join, order)) {
            return null;
        }
        RelNode left = LogicalSort.create(join.getLeft(), RelCollations.of(order), null, atMost);
        return join.copy(join.getTraitSet(), List.of(left, join.getRight()));
    }

    private boolean passes(Join join, List<RelFieldCollation> order) {
        int left = join.getLeft().getRowType().getFieldCount();
        return join.getJoinType() == JoinRelType.LEFT
                && join.getVariablesSet().isEmpty()
                && !isWithin(Rewrite.input(join, 0))
                && order.stream().allMatch(key -> key.getFieldIndex() < left)
                && evaluations.hasSilentCondition(join);
    }

    /// A sort keeps all columns that it is given, so it is given those that are read.
    private RelNode narrowed(Project project, Join join, List<RelFieldCollation> order) {
        int left = join.getLeft().getRowType().getFieldCount();
        ImmutableBitSet.Builder read = RelOptUtil.InputFinder.bits(project.getProjects(), join.getCondition())
                .rebuild();
        order.forEach(key -> read.set(key.getFieldIndex()));
        ImmutableBitSet wanted = read.build().intersect(ImmutableBitSet.range(left));
        ImmutableBitSet kept = wanted.isEmpty() ? ImmutableBitSet.of(0) : wanted;
        List<RexNode> columns = new ArrayList<>();
        kept.forEachInt(column -> columns.add(rexBuilder.makeInputRef(join.getLeft(), column)));
        RexShuttle places = new RexShuttle() {
            @Override
            public RexNode visitInputRef(RexInputRef input) {
                int index = input.getIndex();
                return new RexInputRef(
                        index < left ? kept.indexOf(index) : index - left + kept.cardinality(), input.getType());
            }
        };
        RelCollation keys = RelCollations.of(order.stream()
                .map(key -> key.withFieldIndex(kept.indexOf(key.getFieldIndex())))
                .toList());
        RelNode narrow = LogicalProject.create(join.getLeft(), List.of(), columns, (List<String>) null, Set.of());
        RelNode joined = LogicalJoin.create(
                LogicalSort.create(narrow, keys, null, atMost),
                join.getRight(),
                List.of(),
                join.getCondition().accept(places),
                Set.of(),
                JoinRelType.LEFT);
        return project.copy(
                project.getTraitSet(), joined, places.visitList(project.getProjects()), project.getRowType());
    }

    private boolean isWithin(RelNode rel) {
        RexLiteral known = rel instanceof Sort sort ? atMost(sort) : null;
        return known != null && value(known).compareTo(value(atMost)) <= 0;
    }

    /// So many rows are read; null where that is not known.
    private static RexLiteral atMost(Sort sort) {
        BigDecimal fetch = value(sort.fetch);
        BigDecimal offset = sort.offset == null ? BigDecimal.ZERO : value(sort.offset);
        return fetch == null || offset == null || fetch.signum() < 0 || offset.signum() < 0
                ? null
                : sort.getCluster().getRexBuilder().makeExactLiteral(fetch.add(offset), sort.fetch.getType());
    }

    private static BigDecimal value(RexNode node) {
        return node instanceof RexLiteral literal && !literal.isNull() ? literal.getValueAs(BigDecimal.class) : null;
    }
}
