package dev.quarrel.calcite.unnest;

import dev.quarrel.calcite.lower.Failing;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.apache.calcite.plan.RelOptUtil;
import org.apache.calcite.rel.RelCollations;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.core.Aggregate;
import org.apache.calcite.rel.core.AggregateCall;
import org.apache.calcite.rel.core.CorrelationId;
import org.apache.calcite.rel.core.Filter;
import org.apache.calcite.rel.core.JoinRelType;
import org.apache.calcite.rel.core.Project;
import org.apache.calcite.rel.core.Sort;
import org.apache.calcite.rel.core.Values;
import org.apache.calcite.rel.logical.LogicalAggregate;
import org.apache.calcite.rel.logical.LogicalFilter;
import org.apache.calcite.rel.logical.LogicalProject;
import org.apache.calcite.rel.type.RelDataType;
import org.apache.calcite.rex.RexBuilder;
import org.apache.calcite.rex.RexCall;
import org.apache.calcite.rex.RexInputRef;
import org.apache.calcite.rex.RexLiteral;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.rex.RexOver;
import org.apache.calcite.rex.RexShuttle;
import org.apache.calcite.rex.RexSubQuery;
import org.apache.calcite.rex.RexUtil;
import org.apache.calcite.rex.RexVisitorImpl;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.fun.SqlStdOperatorTable;
import org.apache.calcite.util.ImmutableBitSet;

/// The input rows of a node with sub-queries, with one more column for each answer so far: the value of a scalar
/// sub-query, or the truth value of IN, EXISTS or ANY.
///
/// IN and EXISTS, negated or not, that are conditions become semi and anti joins instead.
final class RowWithAnswers {
    private final Unnesting unnesting;
    private final Set<CorrelationId> ids;
    private final int before;
    private final int width;
    private final RexBuilder rexBuilder;
    private final Quantified quantified;
    private final Map<RexSubQuery, RexNode> answers = new HashMap<>();
    private RelNode rel;
    private RelNode base;

    /// @param ids names by which sub-queries refer to the node's row
    /// @param before columns of the node's row before those of `input`
    RowWithAnswers(Unnesting unnesting, RelNode input, Set<CorrelationId> ids, int before) {
        this.unnesting = unnesting;
        this.ids = Set.copyOf(ids);
        this.before = before;
        this.rel = input;
        this.base = input;
        this.width = width(input);
        this.rexBuilder = input.getCluster().getRexBuilder();
        this.quantified = new Quantified(rexBuilder);
    }

    RowWithAnswers(Unnesting unnesting, RelNode input, Set<CorrelationId> ids) {
        this(unnesting, input, ids, 0);
    }

    RelNode rel() {
        return rel;
    }

    private static int width(RelNode rel) {
        return rel.getRowType().getFieldCount();
    }

    static List<RexSubQuery> subQueries(RelNode rel) {
        List<RexSubQuery> found = new ArrayList<>();
        rel.accept(new RexShuttle() {
            @Override
            public RexNode visitSubQuery(RexSubQuery query) {
                found.add(query);
                return query;
            }
        });
        return found;
    }

    /// At most so many columns are added for a node's sub-queries, and those in operands of others.
    static int room(RexNode node) {
        int[] count = {0};
        node.accept(new RexShuttle() {
            @Override
            public RexNode visitSubQuery(RexSubQuery query) {
                count[0] += Quantified.COLUMNS;
                return super.visitSubQuery(query);
            }
        });
        return count[0];
    }

    /// Those that are not inside of another one.
    static List<RexSubQuery> subQueries(RexNode node) {
        List<RexSubQuery> found = new ArrayList<>();
        node.accept(new RexVisitorImpl<Void>(true) {
            @Override
            public Void visitSubQuery(RexSubQuery query) {
                found.add(query);
                return null;
            }
        });
        return found;
    }

    // Conditions

    /// The input's rows for which all conditions are true.
    RelNode filtered(List<RexNode> conditions) {
        Failing failing = Failing.over(rel.getRowType(), rexBuilder);
        List<RexNode> first = new ArrayList<>();
        List<RexNode> inOrder = new ArrayList<>();
        boolean isAsking = false;
        for (RexNode condition : conditions) {
            boolean asks = !subQueries(condition).isEmpty();
            isAsking |= asks;
            // What can fail is computed for rows that what was written before it has left.
            (asks || isAsking && failing.canFail(condition) ? inOrder : first).add(condition);
        }
        keep(first);
        for (RexNode condition : inOrder) {
            if (subQueries(condition).isEmpty()) {
                keep(List.of(condition));
            } else if (!joinedBy(condition)) {
                RexNode answered = replaced(condition);
                rel = LogicalFilter.create(rel, answered);
            }
        }
        return narrow();
    }

    private void keep(List<RexNode> conditions) {
        if (!conditions.isEmpty()) {
            RexNode all = RexUtil.composeConjunction(rexBuilder, conditions);
            RelNode old = rel;
            rel = LogicalFilter.create(rel, all);
            base = old == base ? rel : LogicalFilter.create(base, all);
        }
    }

    private RelNode narrow() {
        if (width(rel) == width) {
            return rel;
        }
        List<RexNode> columns = new ArrayList<>();
        for (int column = 0; column < width; column++) {
            columns.add(rexBuilder.makeInputRef(rel, column));
        }
        return LogicalProject.create(rel, List.of(), columns, (List<String>) null, Set.of());
    }

    /// Applies IN or EXISTS, or NOT of one, as a join; false for another condition.
    private boolean joinedBy(RexNode condition) {
        boolean isNegated = condition.getKind() == SqlKind.NOT;
        RexNode inner = isNegated ? ((RexCall) condition).getOperands().getFirst() : condition;
        if (!(inner instanceof RexSubQuery query)
                || query.getKind() != SqlKind.EXISTS && query.getKind() != SqlKind.IN && !Quantified.is(query)) {
            return false;
        }
        RelNode asked = asked(query);
        if (isByExtremes(query, asked)) {
            return false;
        }
        List<RexNode> operands =
                query.getOperands().stream().map(this::replaced).toList();
        List<RexNode> questions = questions(query, operands, asked);
        if (isNegated
                && questions.stream().anyMatch(question -> question.getType().isNullable())) {
            return false;
        }
        rel = join(asked).asking(isNegated ? JoinRelType.ANTI : JoinRelType.SEMI, questions);
        return true;
    }

    private DependentJoin join(RelNode asked) {
        return new DependentJoin(rel, base, asked, references(asked), unnesting.setsApart());
    }

    private References references(RelNode asked) {
        Set<CorrelationId> named = new HashSet<>(RelOptUtil.getVariablesUsed(asked));
        named.retainAll(ids);
        return new References(named, -before);
    }

    /// What is asked of each of a sub-query's rows: over the row so far, and theirs.
    private List<RexNode> questions(RexSubQuery query, List<RexNode> operands, RelNode asked) {
        if (query.getKind() == SqlKind.EXISTS) {
            return List.of();
        }
        List<RexNode> left = operands.stream()
                .map(operand -> RexUtil.shift(operand, 0, -before))
                .toList();
        List<RexNode> right = new ArrayList<>();
        for (int index = 0; index < operands.size(); index++) {
            RelDataType type = asked.getRowType().getFieldList().get(index).getType();
            right.add(new RexInputRef(width(rel) + index, type));
        }
        if (Quantified.is(query)) {
            return List.of(quantified.comparison(query, left, right));
        }
        List<RexNode> equalities = new ArrayList<>();
        for (int index = 0; index < left.size(); index++) {
            equalities.add(rexBuilder.makeCall(SqlStdOperatorTable.EQUALS, left.get(index), right.get(index)));
        }
        return equalities;
    }

    // Values

    RelNode projected(Project project) {
        List<RexNode> expressions =
                project.getProjects().stream().map(this::replaced).toList();
        return LogicalProject.create(
                rel, List.of(), expressions, project.getRowType().getFieldNames(), Set.of());
    }

    /// The expression with answers in the place of its sub-queries.
    RexNode replaced(RexNode node) {
        return node.accept(new RexShuttle() {
            @Override
            public RexNode visitSubQuery(RexSubQuery query) {
                RexNode known = answers.get(query);
                if (known == null) {
                    known = answer(query);
                    answers.put(query, known);
                }
                return known;
            }
        });
    }

    private RexNode answer(RexSubQuery query) {
        return switch (query.getKind()) {
            case SCALAR_QUERY -> scalar(query);
            case EXISTS, IN, SOME -> mark(query);
            default ->
                throw new QueryException(
                        SqlState.FEATURE_NOT_SUPPORTED,
                        "not supported: " + query.getOperator().getName().toLowerCase(Locale.ROOT) + " of a sub-query");
        };
    }

    private RexNode scalar(RexSubQuery query) {
        RelNode asked = unnesting.rewritten(query.rel);
        rel = join(hasOneRowAtMost(asked) ? asked : single(asked)).pairing(JoinRelType.LEFT);
        return typed(width(rel) - 1, query.getType());
    }

    /// The query's rows, for IN, EXISTS and ANY. What EXISTS selects is never computed.
    private RelNode asked(RexSubQuery query) {
        return unnesting.rewritten(
                query.getKind() == SqlKind.EXISTS ? Correlations.simple(query.rel, true) : query.rel);
    }

    private RexNode mark(RexSubQuery query) {
        RelNode asked = asked(query);
        List<RexNode> operands =
                query.getOperands().stream().map(this::replaced).toList();
        RexNode truth;
        if (isByExtremes(query, asked)) {
            int first = width(rel);
            rel = quantified.withExtremes(rel, asked);
            RexNode value = RexUtil.shift(operands.getFirst(), 0, -before);
            truth = quantified.byExtremes(query, value, rel, first);
        } else {
            List<RexNode> computed = operands.stream().map(this::computed).toList();
            rel = join(asked).asking(JoinRelType.LEFT_MARK, questions(query, computed, asked));
            truth = rexBuilder.makeInputRef(rel, width(rel) - 1);
        }
        // Whoever holds the query was made for a truth that is never NULL.
        return shifted(query.getType().isNullable() ? truth : rexBuilder.makeCall(SqlStdOperatorTable.IS_TRUE, truth));
    }

    /// A value that a join can compare: a window's result becomes a column.
    private RexNode computed(RexNode operand) {
        if (!RexOver.containsOver(operand)) {
            return operand;
        }
        List<RexNode> columns = new ArrayList<>();
        for (int column = 0; column < width(rel); column++) {
            columns.add(rexBuilder.makeInputRef(rel, column));
        }
        columns.add(RexUtil.shift(operand, 0, -before));
        rel = LogicalProject.create(rel, List.of(), columns, (List<String>) null, Set.of());
        return shifted(rexBuilder.makeInputRef(rel, width(rel) - 1));
    }

    private boolean isByExtremes(RexSubQuery query, RelNode asked) {
        return Quantified.hasExtremes(query) && !references(asked).in(asked);
    }

    private RexNode typed(int column, RelDataType type) {
        RexNode node = shifted(rexBuilder.makeInputRef(rel, column));
        return node.getType().equals(type) ? node : rexBuilder.makeAbstractCast(type, node, false);
    }

    /// As a column of the node's row.
    private RexNode shifted(RexNode column) {
        return RexUtil.shift(column, before);
    }

    /// One row with the only row's value, or NULL for none.
    ///
    /// - Errors, at run time: 21000 for several rows.
    private static RelNode single(RelNode query) {
        AggregateCall value = AggregateCall.create(
                org.apache.calcite.sql.parser.SqlParserPos.ZERO,
                SqlStdOperatorTable.SINGLE_VALUE,
                false,
                false,
                false,
                List.of(),
                List.of(0),
                -1,
                null,
                RelCollations.EMPTY,
                true,
                query,
                null,
                null);
        return LogicalAggregate.create(query, List.of(), ImmutableBitSet.of(), null, List.of(value));
    }

    private static boolean hasOneRowAtMost(RelNode rel) {
        return switch (rel) {
            case Aggregate aggregate ->
                aggregate.getGroupType() == Aggregate.Group.SIMPLE && aggregate.getGroupCount() == 0;
            case Values values -> values.getTuples().size() <= 1;
            case Project project -> hasOneRowAtMost(project.getInput());
            case Filter filter -> hasOneRowAtMost(filter.getInput());
            case Sort sort ->
                hasOneRowAtMost(sort.getInput())
                        || sort.fetch instanceof RexLiteral fetch
                                && !fetch.isNull()
                                && fetch.getValueAs(BigDecimal.class).compareTo(BigDecimal.ONE) <= 0;
            default -> false;
        };
    }
}
