package dev.quarrel.calcite.sql.series;

import dev.quarrel.calcite.parse.PostgresOperators;
import dev.quarrel.core.type.SqlState;
import java.util.ArrayList;
import java.util.List;
import org.apache.calcite.sql.JoinType;
import org.apache.calcite.sql.SqlCall;
import org.apache.calcite.sql.SqlIdentifier;
import org.apache.calcite.sql.SqlJoin;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.SqlNode;
import org.apache.calcite.sql.SqlSelect;
import org.apache.calcite.sql.fun.SqlBetweenOperator;
import org.apache.calcite.sql.util.SqlBasicVisitor;
import org.apache.calcite.util.Util;

/// The buckets that `time_bucket_gapfill` fills: from start and finish, or from what WHERE and the inner joins'
/// conditions demand of the time column.
///
/// @param first the first bucket
/// @param last a time in the last one
/// @param isInferred whether no row is outside of them
record GapfillRange(SqlNode first, SqlNode last, boolean isInferred) {
    /// - Errors: 22023 where a bound is nowhere.
    static GapfillRange of(SqlSelect select, GapfillCall call, GapfillSteps steps, GapfillQuery.Source source) {
        Bounds bounds = new Bounds(call, steps, source);
        SqlNode start = call.start() == null ? bounds.inferred(select, true) : steps.local(call.start());
        SqlNode finish = call.finish() == null ? bounds.inferred(select, false) : steps.local(call.finish());
        return new GapfillRange(
                steps.of(start),
                steps.tree().minus(finish, steps.unit()),
                call.start() == null && call.finish() == null);
    }

    /// The search for conditions.
    private record Bounds(GapfillCall call, GapfillSteps steps, GapfillQuery.Source source) {
        /// A local time: the greatest that rows must not be before, or the least that they must be before.
        SqlNode inferred(SqlSelect select, boolean isStart) {
            GapfillQuery.Column time = call.time() instanceof SqlIdentifier name ? source.columnOf(name) : null;
            if (time == null) {
                throw source.error(
                                SqlState.INVALID_PARAMETER_VALUE,
                                call.written(),
                                "invalid time_bucket_gapfill argument: ts needs to refer to a single column if no "
                                        + "start or finish is supplied")
                        .withHint("Specify start and finish as arguments or in the WHERE clause.");
            }
            List<SqlNode> found = new ArrayList<>();
            List<SqlNode> conditions = new ArrayList<>();
            add(conditions, select.getWhere());
            addJoins(conditions, select.getFrom());
            for (SqlNode condition : conditions) {
                addBound(found, (SqlCall) condition, time.index(), isStart);
            }
            if (found.isEmpty()) {
                throw source.error(
                                SqlState.INVALID_PARAMETER_VALUE,
                                call.written(),
                                "missing time_bucket_gapfill argument: could not infer "
                                        + (isStart ? "start" : "finish") + " from WHERE clause")
                        .withHint("Specify start and finish as arguments or in the WHERE clause.");
            }
            return found.size() == 1
                    ? found.getFirst()
                    : steps.tree().call(isStart ? "greatest" : "least", found.toArray(SqlNode[]::new));
        }

        private static void add(List<SqlNode> conditions, SqlNode condition) {
            if (condition instanceof SqlCall call && call.getKind() == SqlKind.AND) {
                call.getOperandList().forEach(each -> add(conditions, each));
            } else if (condition instanceof SqlCall) {
                conditions.add(condition);
            }
        }

        private static void addJoins(List<SqlNode> conditions, SqlNode from) {
            if (!(from instanceof SqlJoin join)) {
                return;
            }
            JoinType type = join.getJoinType();
            if (type == JoinType.INNER || type == JoinType.COMMA || type == JoinType.CROSS) {
                add(conditions, join.getCondition());
                addJoins(conditions, join.getLeft());
                addJoins(conditions, join.getRight());
            }
        }

        private void addBound(List<SqlNode> found, SqlCall condition, int column, boolean isStart) {
            SeriesTree tree = steps.tree();
            if (condition.getOperator() instanceof SqlBetweenOperator between) {
                boolean isAscending = between.flag == SqlBetweenOperator.Flag.ASYMMETRIC && !between.isNegated();
                SqlNode bound = condition.operand(isStart ? 1 : 2);
                if (isAscending && isColumn(condition.operand(0), column) && isConstant(bound)) {
                    SqlNode local = steps.local(bound);
                    found.add(isStart ? local : tree.plus(local, steps.unit()));
                }
                return;
            }
            if (condition.operandCount() != 2) {
                return;
            }
            boolean isTurned = isColumn(condition.operand(1), column);
            SqlNode bound = condition.operand(isTurned ? 0 : 1);
            if (!isTurned && !isColumn(condition.operand(0), column) || !isConstant(bound)) {
                return;
            }
            SqlKind kind = isTurned ? condition.getKind().reverse() : condition.getKind();
            boolean isBound = isStart
                    ? kind == SqlKind.GREATER_THAN || kind == SqlKind.GREATER_THAN_OR_EQUAL
                    : kind == SqlKind.LESS_THAN || kind == SqlKind.LESS_THAN_OR_EQUAL;
            if (isBound) {
                boolean isNext = kind == SqlKind.GREATER_THAN || kind == SqlKind.LESS_THAN_OR_EQUAL;
                SqlNode local = steps.local(bound);
                found.add(isNext ? tree.plus(local, steps.unit()) : local);
            }
        }

        private boolean isColumn(SqlNode node, int column) {
            GapfillQuery.Column found = node instanceof SqlIdentifier name ? source.columnOf(name) : null;
            return found != null && found.index() == column;
        }

        /// Whether it has neither names nor sub-queries.
        private static boolean isConstant(SqlNode node) {
            try {
                node.accept(new SqlBasicVisitor<Void>() {
                    @Override
                    public Void visit(SqlIdentifier name) {
                        throw Util.FoundOne.NULL;
                    }

                    @Override
                    public Void visit(SqlCall call) {
                        if (call.isA(SqlKind.QUERY)) {
                            throw Util.FoundOne.NULL;
                        }
                        return call.getOperator() == PostgresOperators.TYPED_LITERAL ? null : super.visit(call);
                    }
                });
                return true;
            } catch (Util.FoundOne _) {
                return false;
            }
        }
    }
}
