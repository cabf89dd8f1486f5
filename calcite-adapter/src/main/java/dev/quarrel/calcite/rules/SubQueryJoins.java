package dev.quarrel.calcite.rules;

import com.google.common.collect.ImmutableSet;
import dev.quarrel.calcite.lower.Failing;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.apache.calcite.plan.RelOptUtil;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.core.Correlate;
import org.apache.calcite.rel.core.CorrelationId;
import org.apache.calcite.rel.core.Filter;
import org.apache.calcite.rel.core.Join;
import org.apache.calcite.rel.core.JoinRelType;
import org.apache.calcite.rel.core.Project;
import org.apache.calcite.rel.logical.LogicalFilter;
import org.apache.calcite.rel.logical.LogicalJoin;
import org.apache.calcite.rel.logical.LogicalProject;
import org.apache.calcite.rel.logical.LogicalSort;
import org.apache.calcite.rel.type.RelDataTypeField;
import org.apache.calcite.rex.RexBuilder;
import org.apache.calcite.rex.RexCall;
import org.apache.calcite.rex.RexInputRef;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.rex.RexShuttle;
import org.apache.calcite.rex.RexSubQuery;
import org.apache.calcite.rex.RexUtil;
import org.apache.calcite.rex.RexVisitorImpl;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.fun.SqlStdOperatorTable;

/// Makes IN and EXISTS, negated or not, joins of the rows they are asked for with the sub-query's rows: semi and anti
/// joins where they are conditions, mark joins where their truth is a value. What of the sub-query refers to the row
/// becomes the join's condition.
///
/// What it cannot take apart it leaves as it is.
final class SubQueryJoins {
    /// Names of rows around the query that is looked at.
    private final Set<CorrelationId> outer;

    private SubQueryJoins(Set<CorrelationId> outer) {
        this.outer = outer;
    }

    static RelNode apply(RelNode root) {
        return new SubQueryJoins(Set.of()).rewritten(root);
    }

    private SubQueryJoins inside(Set<CorrelationId> ids) {
        Set<CorrelationId> all = new HashSet<>(outer);
        all.addAll(ids);
        return new SubQueryJoins(all);
    }

    private RelNode rewritten(RelNode root) {
        List<RelNode> inputs = new ArrayList<>();
        boolean isChanged = false;
        for (RelNode input : root.getInputs()) {
            SubQueryJoins rewriter = root instanceof Correlate correlate && !inputs.isEmpty()
                    ? inside(Set.of(correlate.getCorrelationId()))
                    : this;
            RelNode rewritten = rewriter.rewritten(input);
            isChanged |= rewritten != input;
            inputs.add(rewritten);
        }
        RelNode rel = isChanged ? root.copy(root.getTraitSet(), inputs) : root;
        if (!hasSubQuery(rel)) {
            return rel;
        }
        return switch (rel) {
            case Filter filter -> new Rewriter(filter).filter(filter);
            case Project project -> new Rewriter(project).project(project);
            case Join join
            when join.getJoinType() == JoinRelType.INNER -> {
                RelNode all = LogicalJoin.create(
                        join.getLeft(),
                        join.getRight(),
                        List.of(),
                        join.getCluster().getRexBuilder().makeLiteral(true),
                        Set.of(),
                        JoinRelType.INNER);
                LogicalFilter filter =
                        LogicalFilter.create(all, join.getCondition(), ImmutableSet.copyOf(join.getVariablesSet()));
                yield new Rewriter(filter).filter(filter);
            }
            default -> left(rel);
        };
    }

    /// A node that keeps its sub-queries, with what is in them rewritten.
    private RelNode left(RelNode rel) {
        return rel.accept(new RexShuttle() {
            @Override
            public RexNode visitSubQuery(RexSubQuery query) {
                RexSubQuery visited = (RexSubQuery) super.visitSubQuery(query);
                RelNode inner = inside(RelOptUtil.getVariablesUsed(visited.rel)).rewritten(visited.rel);
                return inner == visited.rel ? visited : visited.clone(inner);
            }
        });
    }

    private static boolean hasSubQuery(RelNode rel) {
        boolean[] found = {false};
        rel.accept(new RexShuttle() {
            @Override
            public RexNode visitSubQuery(RexSubQuery query) {
                found[0] = true;
                return query;
            }
        });
        return found[0];
    }

    private static List<RexSubQuery> subQueries(RexNode node) {
        List<RexSubQuery> found = new ArrayList<>();
        node.accept(new RexVisitorImpl<Void>(true) {
            @Override
            public Void visitSubQuery(RexSubQuery query) {
                if (!found.contains(query)) {
                    found.add(query);
                }
                return null;
            }
        });
        return found;
    }

    /// One node's sub-queries.
    private final class Rewriter {
        private final RexBuilder rexBuilder;
        private final int width;
        private RelNode rel;

        Rewriter(RelNode node) {
            this.rexBuilder = node.getCluster().getRexBuilder();
            this.rel = node.getInput(0);
            this.width = rel.getRowType().getFieldCount();
        }

        private boolean canFail(RexNode node) {
            return Failing.over(rel.getRowType(), rexBuilder).canFail(node);
        }

        RelNode filter(Filter filter) {
            List<RexNode> waiting = new ArrayList<>();
            List<RexNode> left = new ArrayList<>();
            for (RexNode conjunct : RelOptUtil.conjunctions(filter.getCondition())) {
                boolean asks = !subQueries(conjunct).isEmpty();
                if (!left.isEmpty() && (asks || canFail(conjunct))) {
                    left.add(conjunct);
                } else if (!asks) {
                    waiting.add(conjunct);
                } else {
                    RelNode before = rel;
                    rel = filtered(rel, waiting);
                    if (condition(conjunct)) {
                        waiting.clear();
                    } else {
                        rel = before;
                        left.add(conjunct);
                    }
                }
            }
            rel = filtered(rel, waiting);
            if (left.isEmpty()) {
                return rel;
            }
            return left(LogicalFilter.create(
                    rel, RexUtil.composeConjunction(rexBuilder, left), ImmutableSet.copyOf(filter.getVariablesSet())));
        }

        private RelNode filtered(RelNode input, List<RexNode> conditions) {
            return conditions.isEmpty()
                    ? input
                    : LogicalFilter.create(input, RexUtil.composeConjunction(rexBuilder, conditions));
        }

        /// Applies a conjunct; false if it cannot.
        private boolean condition(RexNode conjunct) {
            boolean isNegated = conjunct.getKind() == SqlKind.NOT;
            RexNode inner = isNegated ? ((RexCall) conjunct).getOperands().getFirst() : conjunct;
            if (inner instanceof RexSubQuery query) {
                Asked asked = asked(query);
                if (asked == null) {
                    return false;
                }
                boolean isExact = asked.questions.stream()
                        .noneMatch(question -> question.getType().isNullable());
                if (!isNegated || query.getKind() == SqlKind.EXISTS || isExact) {
                    List<RexNode> all = new ArrayList<>(asked.correlation);
                    all.addAll(asked.questions);
                    rel = join(asked.rel, all, isNegated ? JoinRelType.ANTI : JoinRelType.SEMI);
                    return true;
                }
            }
            RexNode marked = marked(conjunct);
            if (marked == null) {
                return false;
            }
            RelNode kept = LogicalFilter.create(rel, marked);
            List<RexNode> columns = new ArrayList<>();
            for (int column = 0; column < width; column++) {
                columns.add(rexBuilder.makeInputRef(kept, column));
            }
            rel = LogicalProject.create(
                    kept, List.of(), columns, rel.getRowType().getFieldNames().subList(0, width), Set.of());
            return true;
        }

        RelNode project(Project project) {
            List<RexNode> expressions = new ArrayList<>();
            RelNode before = rel;
            for (RexNode expression : project.getProjects()) {
                RexNode marked = marked(expression);
                expressions.add(marked == null ? expression : marked);
            }
            // Others would refer to a row that has more columns now.
            boolean isDone = expressions.stream()
                    .flatMap(expression -> subQueries(expression).stream())
                    .allMatch(query -> ownIds(query).isEmpty());
            if (rel == before || !isDone) {
                return left(project);
            }
            return left(LogicalProject.create(
                    rel, List.of(), expressions, project.getRowType().getFieldNames(), project.getVariablesSet()));
        }

        /// The expression with columns in the place of its sub-queries, which `rel` has now; null if it cannot.
        private RexNode marked(RexNode expression) {
            List<RexSubQuery> queries = subQueries(expression);
            List<Asked> all = new ArrayList<>();
            for (RexSubQuery query : queries) {
                Asked asked = asked(query);
                // A value may be asked for in some rows alone, where its operands do not fail.
                if (asked == null || query.getOperands().stream().anyMatch(this::canFail)) {
                    return null;
                }
                all.add(asked);
            }
            List<RexNode> marks = new ArrayList<>();
            for (Asked asked : all) {
                List<RexNode> conditions = new ArrayList<>();
                asked.correlation.forEach(condition ->
                        conditions.add(rexBuilder.makeCall(SqlStdOperatorTable.IS_TRUE, shifted(condition))));
                asked.questions.forEach(condition -> conditions.add(shifted(condition)));
                int added = rel.getRowType().getFieldCount() - width;
                rel = join(asked.rel, conditions, JoinRelType.LEFT_MARK);
                marks.add(rexBuilder.makeInputRef(rel, width + added));
            }
            return expression.accept(new RexShuttle() {
                @Override
                public RexNode visitSubQuery(RexSubQuery query) {
                    RexNode mark = marks.get(queries.indexOf(query));
                    return query.getType().isNullable() ? mark : rexBuilder.makeCall(SqlStdOperatorTable.IS_TRUE, mark);
                }
            });
        }

        /// A condition over the node's input and a sub-query as one over `rel`, which may have marks, and the
        /// sub-query.
        private RexNode shifted(RexNode condition) {
            return JoinKeys.shiftFrom(condition, width, rel.getRowType().getFieldCount() - width);
        }

        private RelNode join(RelNode right, List<RexNode> conditions, JoinRelType type) {
            RexNode condition = RexUtil.composeConjunction(rexBuilder, conditions);
            RelNode side = right;
            if (condition.isAlwaysTrue()) {
                // Any row answers.
                side = LogicalSort.create(
                        right,
                        org.apache.calcite.rel.RelCollations.EMPTY,
                        null,
                        rexBuilder.makeExactLiteral(BigDecimal.ONE));
            }
            return LogicalJoin.create(rel, side, List.of(), condition, Set.of(), type);
        }

        /// A sub-query's rows and what is asked of them, over the node's input and their columns.
        ///
        /// @param correlation which of the rows are the sub-query's for a row; NULL means no
        /// @param questions equalities of IN
        private record Asked(RelNode rel, List<RexNode> correlation, List<RexNode> questions) {}

        private Asked asked(RexSubQuery query) {
            boolean isExists = query.getKind() == SqlKind.EXISTS;
            if (!isExists && query.getKind() != SqlKind.IN
                    || query.getOperands().stream()
                            .anyMatch(operand -> !subQueries(operand).isEmpty())) {
                return null;
            }
            Set<CorrelationId> ids = ownIds(query);
            Correlations.Pulled pulled = new Correlations(ids, rexBuilder).pull(query.rel, isExists);
            if (pulled == null) {
                return null;
            }
            List<RexNode> correlation = pulled.conjuncts().stream()
                    .map(conjunct -> overBoth(conjunct, ids))
                    .toList();
            List<RexNode> questions = new ArrayList<>();
            for (int index = 0; index < query.getOperands().size(); index++) {
                RelDataTypeField field =
                        pulled.rel().getRowType().getFieldList().get(index);
                questions.add(rexBuilder.makeCall(
                        SqlStdOperatorTable.EQUALS,
                        query.getOperands().get(index),
                        new RexInputRef(width + index, field.getType())));
            }
            return new Asked(rewritten(pulled.rel()), correlation, questions);
        }

        /// By what names a sub-query knows this node's row.
        private Set<CorrelationId> ownIds(RexSubQuery query) {
            Set<CorrelationId> ids = new HashSet<>(RelOptUtil.getVariablesUsed(query.rel));
            ids.removeAll(outer);
            return ids;
        }

        private RexNode overBoth(RexNode conjunct, Set<CorrelationId> ids) {
            return conjunct.accept(new RexShuttle() {
                @Override
                public RexNode visitInputRef(RexInputRef input) {
                    return new RexInputRef(input.getIndex() + width, input.getType());
                }

                @Override
                public RexNode visitFieldAccess(org.apache.calcite.rex.RexFieldAccess access) {
                    return Correlations.isOf(access, ids)
                            ? rexBuilder.makeInputRef(rel, access.getField().getIndex())
                            : super.visitFieldAccess(access);
                }
            });
        }
    }
}
