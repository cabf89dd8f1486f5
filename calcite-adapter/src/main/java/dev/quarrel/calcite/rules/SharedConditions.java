package dev.quarrel.calcite.rules;

import dev.quarrel.calcite.limits.PlanningLimits;
import dev.quarrel.calcite.lower.Failing;
import dev.quarrel.calcite.rel.SharedQuery;
import dev.quarrel.calcite.rel.SharedRows;
import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import org.apache.calcite.plan.RelOptUtil;
import org.apache.calcite.rel.RelHomogeneousShuttle;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.core.Filter;
import org.apache.calcite.rel.logical.LogicalFilter;
import org.apache.calcite.rex.RexBuilder;
import org.apache.calcite.rex.RexCall;
import org.apache.calcite.rex.RexFieldAccess;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.rex.RexShuttle;
import org.apache.calcite.rex.RexUtil;
import org.apache.calcite.rex.RexVisitorImpl;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.util.ImmutableBitSet;

/// Pushes what the readers of shared rows ask for into the shared query: a row that none of them wants need not be
/// made. Each reader keeps its own conditions.
///
/// A condition that can fail stays with its reader, and so does all where some reader takes every row.
final class SharedConditions {
    /// Parts of the condition of all readers at most.
    private static final int MAX_PARTS = 500;

    private final RexBuilder rexBuilder;

    private SharedConditions(RexBuilder rexBuilder) {
        this.rexBuilder = rexBuilder;
    }

    static RelNode apply(RelNode root) {
        List<SharedQuery> queries = SharedQueries.of(root);
        SharedConditions conditions = new SharedConditions(root.getCluster().getRexBuilder());
        for (SharedQuery query : queries.reversed()) {
            conditions.push(query, root, queries);
        }
        return root;
    }

    private void push(SharedQuery query, RelNode root, List<SharedQuery> all) {
        Readers readers = new Readers(query);
        readers.visit(root);
        all.forEach(other -> readers.visit(other.rel()));
        List<List<RexNode>> wanted = new ArrayList<>();
        for (List<RexNode> conditions : readers.conditions) {
            Failing failing = Failing.over(query.rowType(), rexBuilder);
            List<RexNode> safe = conditions.stream()
                    .filter(condition -> isPlain(condition) && !failing.canFail(condition))
                    .toList();
            if (safe.isEmpty()) {
                return;
            }
            wanted.add(safe);
        }
        if (wanted.isEmpty()) {
            return;
        }
        List<RexNode> asked = new ArrayList<>();
        asked.add(anyOf(wanted));
        ImmutableBitSet columns = ImmutableBitSet.of();
        for (RexNode condition : wanted.getFirst()) {
            columns = columns.union(RelOptUtil.InputFinder.bits(condition));
        }
        // What all readers ask of one column may move where the others are not known yet.
        for (int column : columns) {
            List<List<RexNode>> ofColumn = wanted.stream()
                    .map(conditions -> conditions.stream()
                            .filter(each -> RelOptUtil.InputFinder.bits(each).equals(ImmutableBitSet.of(column)))
                            .toList())
                    .toList();
            if (ofColumn.stream().noneMatch(List::isEmpty)) {
                asked.add(anyOf(ofColumn));
            }
        }
        List<RexNode> useful = asked.stream()
                .distinct()
                .filter(each -> !each.isAlwaysTrue() && each.nodeCount() <= MAX_PARTS)
                .toList();
        if (!useful.isEmpty()) {
            RelNode filtered = LogicalFilter.create(query.rel(), RexUtil.composeConjunction(rexBuilder, useful));
            query.become(simplified(Folding.apply(Pushdown.apply(filtered))));
        }
    }

    /// A row for which all conditions of some list hold.
    private RexNode anyOf(List<List<RexNode>> lists) {
        return RexUtil.composeDisjunction(
                rexBuilder,
                lists.stream()
                        .map(conditions -> RexUtil.composeConjunction(rexBuilder, conditions))
                        .toList());
    }

    /// Whether a condition says the same wherever it stands.
    private static boolean isPlain(RexNode condition) {
        boolean[] isPlain = {RexUtil.isDeterministic(condition)};
        condition.accept(new RexVisitorImpl<Void>(true) {
            @Override
            public Void visitFieldAccess(RexFieldAccess access) {
                isPlain[0] = false;
                return null;
            }
        });
        return isPlain[0];
    }

    /// The conditions under which each place reads a shared query's rows.
    private static final class Readers {
        private final SharedQuery query;
        private final List<List<RexNode>> conditions = new ArrayList<>();
        private final Set<RelNode> seen = Collections.newSetFromMap(new IdentityHashMap<>());

        Readers(SharedQuery query) {
            this.query = query;
        }

        void visit(RelNode rel) {
            if (isOf(rel)) {
                conditions.add(List.of());
                return;
            }
            if (!seen.add(rel)) {
                return;
            }
            PlanningLimits.tick();
            if (rel instanceof Filter filter && isOf(filter.getInput())) {
                conditions.add(RelOptUtil.conjunctions(filter.getCondition()));
                return;
            }
            rel.getInputs().forEach(this::visit);
        }

        private boolean isOf(RelNode rel) {
            return rel instanceof SharedRows rows && rows.query() == query;
        }
    }

    /// Conditions without the parts that have become constants.
    private RelNode simplified(RelNode root) {
        RexShuttle parts = new RexShuttle() {
            @Override
            public RexNode visitCall(RexCall call) {
                boolean isAnd = call.getKind() == SqlKind.AND;
                if (!isAnd && call.getKind() != SqlKind.OR) {
                    return call;
                }
                List<RexNode> operands = call.getOperands().stream()
                        .map(operand -> operand.accept(this))
                        .toList();
                return isAnd
                        ? RexUtil.composeConjunction(rexBuilder, operands)
                        : RexUtil.composeDisjunction(rexBuilder, operands);
            }
        };
        return root.accept(new RelHomogeneousShuttle() {
            @Override
            public RelNode visit(RelNode other) {
                RelNode rel = super.visit(other);
                if (!(rel instanceof Filter filter)) {
                    return rel;
                }
                RexNode condition = filter.getCondition().accept(parts);
                return condition.isAlwaysTrue()
                        ? filter.getInput()
                        : filter.copy(filter.getTraitSet(), filter.getInput(), condition);
            }
        });
    }
}
