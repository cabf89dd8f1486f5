package dev.quarrel.calcite.unnest;

import dev.quarrel.calcite.rel.NumberedRows;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.IntStream;
import org.apache.calcite.plan.RelOptUtil;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.core.Aggregate;
import org.apache.calcite.rel.core.Correlate;
import org.apache.calcite.rel.core.CorrelationId;
import org.apache.calcite.rel.core.Filter;
import org.apache.calcite.rel.core.Join;
import org.apache.calcite.rel.core.JoinRelType;
import org.apache.calcite.rel.core.Project;
import org.apache.calcite.rel.logical.LogicalFilter;
import org.apache.calcite.rel.logical.LogicalJoin;
import org.apache.calcite.rel.logical.LogicalProject;
import org.apache.calcite.rel.logical.LogicalUnion;
import org.apache.calcite.rex.RexBuilder;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.rex.RexSubQuery;
import org.apache.calcite.rex.RexUtil;
import org.apache.calcite.sql.fun.SqlStdOperatorTable;
import org.apache.calcite.util.ImmutableBitSet;

/// Turns sub-queries and LATERAL into joins, innermost first. The result contains neither, except where a
/// [Correlate] remains that runs row by row.
///
/// A node that holds sub-queries lists the names by which they refer to its row.
public final class Unnesting {
    private final Function<Aggregate, RelNode> setsApart;
    private final Map<RelNode, RelNode> known = new IdentityHashMap<>();

    private Unnesting(Function<Aggregate, RelNode> setsApart) {
        this.setsApart = setsApart;
    }

    /// - Errors: 0A000 for what cannot be asked for many rows at once.
    ///
    /// @param setsApart an aggregate of several grouping sets as a union of aggregates of one each
    public static RelNode apply(RelNode root, Function<Aggregate, RelNode> setsApart) {
        return new Unnesting(setsApart).rewritten(root);
    }

    /// The tree without sub-queries; it may still refer to rows around it.
    RelNode rewritten(RelNode root) {
        RelNode done = known.get(root);
        if (done == null) {
            done = rewrite(root);
            known.put(root, done);
        }
        return done;
    }

    private RelNode rewrite(RelNode root) {
        List<RelNode> inputs = root.getInputs().stream().map(this::rewritten).toList();
        boolean isSame = IntStream.range(0, inputs.size()).allMatch(index -> inputs.get(index) == root.getInput(index));
        RelNode rel = isSame ? root : root.copy(root.getTraitSet(), inputs);
        if (rel instanceof Correlate correlate) {
            return lateral(correlate);
        }
        if (RowWithAnswers.subQueries(rel).isEmpty()) {
            return unnamed(rel);
        }
        return switch (rel) {
            case Filter filter ->
                new RowWithAnswers(this, filter.getInput(), filter.getVariablesSet())
                        .filtered(RelOptUtil.conjunctions(filter.getCondition()));
            case Project project ->
                new RowWithAnswers(this, project.getInput(), project.getVariablesSet()).projected(project);
            case Join join -> join(join);
            default ->
                throw new QueryException(
                        SqlState.FEATURE_NOT_SUPPORTED,
                        "not supported: a sub-query in " + rel.getRelTypeName().replace("Logical", ""));
        };
    }

    /// A node without the names of its row where no sub-query is left to use them: of those some are answered
    /// beforehand, and what has names is not moved.
    private static RelNode unnamed(RelNode rel) {
        return switch (rel) {
            case RelNode node when node.getVariablesSet().isEmpty() -> node;
            case LogicalFilter filter -> LogicalFilter.create(filter.getInput(), filter.getCondition());
            case LogicalProject project ->
                LogicalProject.create(
                        project.getInput(), project.getHints(), project.getProjects(), project.getRowType(), Set.of());
            case LogicalJoin join ->
                LogicalJoin.create(
                        join.getLeft(),
                        join.getRight(),
                        join.getHints(),
                        join.getCondition(),
                        Set.of(),
                        join.getJoinType());
            default -> rel;
        };
    }

    Function<Aggregate, RelNode> setsApart() {
        return setsApart;
    }

    private RelNode lateral(Correlate correlate) {
        References references = References.to(Set.of(correlate.getCorrelationId()));
        DependentJoin join = new DependentJoin(
                correlate.getLeft(), correlate.getLeft(), correlate.getRight(), references, setsApart);
        return switch (correlate.getJoinType()) {
            case INNER, LEFT -> join.pairing(correlate.getJoinType());
            default -> join.asking(correlate.getJoinType(), List.of());
        };
    }

    private static int width(RelNode rel) {
        return rel.getRowType().getFieldCount();
    }

    private static List<RexNode> columns(RelNode rel, int first, int count) {
        List<RexNode> columns = new ArrayList<>();
        for (int column = first; column < first + count; column++) {
            columns.add(rel.getCluster().getRexBuilder().makeInputRef(rel, column));
        }
        return columns;
    }

    private static RelNode project(RelNode rel, List<RexNode> columns) {
        return LogicalProject.create(rel, List.of(), columns, (List<String>) null, Set.of());
    }

    private static RelNode joined(RelNode left, RelNode right, RexNode condition, JoinRelType type) {
        return LogicalJoin.create(left, right, List.of(), condition, Set.of(), type);
    }

    /// Sub-queries in ON.
    private RelNode join(Join join) {
        int left = width(join.getLeft());
        RexNode condition = join.getCondition();
        RexBuilder rexBuilder = join.getCluster().getRexBuilder();
        if (join.getJoinType() == JoinRelType.INNER) {
            RelNode all = joined(join.getLeft(), join.getRight(), rexBuilder.makeLiteral(true), JoinRelType.INNER);
            return new RowWithAnswers(this, all, join.getVariablesSet()).filtered(RelOptUtil.conjunctions(condition));
        }
        if (!join.getJoinType().isOuterJoin()) {
            throw new QueryException(
                    SqlState.FEATURE_NOT_SUPPORTED, "not supported: a sub-query in " + join.getJoinType() + " JOIN");
        }
        ImmutableBitSet used = usedBySubQueries(condition, join.getVariablesSet());
        if (used.isEmpty() || used.nth(0) >= left) {
            return askedOfRight(join);
        }
        return used.length() <= left ? askedOfLeft(join) : askedOfPairs(join);
    }

    private static ImmutableBitSet usedBySubQueries(RexNode condition, Set<CorrelationId> ids) {
        ImmutableBitSet used = ImmutableBitSet.of();
        for (RexSubQuery query : RowWithAnswers.subQueries(condition)) {
            used = used.union(References.to(ids).columns(query.rel));
            for (RexNode operand : query.getOperands()) {
                used = used.union(RelOptUtil.InputFinder.bits(operand));
            }
        }
        return used;
    }

    /// The answers are columns of the right side, after its own.
    private RelNode askedOfRight(Join join) {
        int left = width(join.getLeft());
        int right = width(join.getRight());
        RowWithAnswers row = new RowWithAnswers(this, join.getRight(), join.getVariablesSet(), left);
        RexNode condition = row.replaced(join.getCondition());
        RelNode joined = joined(join.getLeft(), row.rel(), condition, join.getJoinType());
        return project(joined, columns(joined, 0, left + right));
    }

    /// The answers are columns of the left side, after its own; those of the right side move.
    private RelNode askedOfLeft(Join join) {
        int left = width(join.getLeft());
        int right = width(join.getRight());
        RowWithAnswers row = new RowWithAnswers(this, join.getLeft(), join.getVariablesSet());
        // References to the right side stay apart from the answers while these come.
        int room = RowWithAnswers.room(join.getCondition());
        RexNode apart = RexUtil.shift(join.getCondition(), left, room);
        RexNode answered = row.replaced(apart);
        int now = width(row.rel());
        RexNode condition = RexUtil.shift(answered, left + room, now - left - room);
        RelNode joined = joined(row.rel(), join.getRight(), condition, join.getJoinType());
        List<RexNode> columns = columns(joined, 0, left);
        columns.addAll(columns(joined, now, right));
        return project(joined, columns);
    }

    /// Which pairs meet the condition is found out first; then each side's rows are joined with those by number.
    private RelNode askedOfPairs(Join join) {
        int left = width(join.getLeft());
        int right = width(join.getRight());
        RexBuilder rexBuilder = join.getCluster().getRexBuilder();
        NumberedRows lefts = NumberedRows.of(join.getLeft());
        NumberedRows rights = NumberedRows.of(join.getRight());
        RelNode all = joined(lefts, rights, rexBuilder.makeLiteral(true), JoinRelType.INNER);
        List<RexNode> order = columns(all, 0, left);
        order.addAll(columns(all, left + 1, right));
        order.addAll(columns(all, left, 1));
        order.addAll(columns(all, left + 1 + right, 1));
        RelNode pairs = new RowWithAnswers(this, project(all, order), join.getVariablesSet())
                .filtered(RelOptUtil.conjunctions(join.getCondition()));
        if (join.getJoinType() == JoinRelType.RIGHT) {
            List<RexNode> kept = columns(pairs, 0, left);
            kept.addAll(columns(pairs, left + right + 1, 1));
            RelNode narrow = project(pairs, kept);
            RelNode joined = joined(rights, narrow, sameNumber(rights, narrow, left), JoinRelType.LEFT);
            List<RexNode> columns = columns(joined, right + 1, left);
            columns.addAll(columns(joined, 0, right));
            return project(joined, columns);
        }
        List<RexNode> kept = columns(pairs, left, right);
        kept.addAll(columns(pairs, left + right, 1));
        RelNode narrow = project(pairs, kept);
        RelNode joined = joined(lefts, narrow, sameNumber(lefts, narrow, right), JoinRelType.LEFT);
        List<RexNode> columns = columns(joined, 0, left);
        columns.addAll(columns(joined, left + 1, right));
        RelNode withLefts = project(joined, columns);
        if (join.getJoinType() == JoinRelType.LEFT) {
            return withLefts;
        }
        RelNode numbers = project(pairs, columns(pairs, left + right + 1, 1));
        RelNode alone = joined(rights, numbers, sameNumber(rights, numbers, 0), JoinRelType.ANTI);
        List<RexNode> nulls = new ArrayList<>();
        for (int column = 0; column < left; column++) {
            nulls.add(rexBuilder.makeNullLiteral(
                    join.getRowType().getFieldList().get(column).getType()));
        }
        nulls.addAll(columns(alone, 0, right));
        return LogicalUnion.create(List.of(withLefts, project(alone, nulls)), true);
    }

    private static RexNode sameNumber(RelNode left, RelNode right, int rightNumber) {
        RexBuilder rexBuilder = left.getCluster().getRexBuilder();
        RexNode one = rexBuilder.makeInputRef(left, width(left) - 1);
        RexNode other = rexBuilder.makeInputRef(right, rightNumber);
        return rexBuilder.makeCall(SqlStdOperatorTable.EQUALS, one, RexUtil.shift(other, width(left)));
    }
}
