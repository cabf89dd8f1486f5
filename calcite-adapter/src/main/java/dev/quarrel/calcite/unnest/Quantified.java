package dev.quarrel.calcite.unnest;

import dev.quarrel.calcite.sql.type.SqlTypes;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.apache.calcite.rel.RelCollations;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.core.AggregateCall;
import org.apache.calcite.rel.core.JoinRelType;
import org.apache.calcite.rel.logical.LogicalAggregate;
import org.apache.calcite.rel.logical.LogicalJoin;
import org.apache.calcite.rel.type.RelDataType;
import org.apache.calcite.rex.RexBuilder;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.rex.RexSubQuery;
import org.apache.calcite.rex.RexUtil;
import org.apache.calcite.sql.SqlAggFunction;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.SqlOperator;
import org.apache.calcite.sql.fun.SqlQuantifyOperator;
import org.apache.calcite.sql.fun.SqlStdOperatorTable;
import org.apache.calcite.sql.type.SqlTypeName;
import org.apache.calcite.util.ImmutableBitSet;

/// Rewrites comparisons of values with all rows of a sub-query: `x < ANY (query)`, and `NOT (x >= ANY (query))`
/// for ALL.
///
/// Of no row ANY is false; else it is true if one comparison is, else NULL if one is NULL.
final class Quantified {
    /// So many columns hold the extremes.
    static final int COLUMNS = 4;

    private final RexBuilder rexBuilder;

    Quantified(RexBuilder rexBuilder) {
        this.rexBuilder = rexBuilder;
    }

    static boolean is(RexSubQuery query) {
        return query.getKind() == SqlKind.SOME;
    }

    private static SqlOperator operator(RexSubQuery query) {
        return operator(((SqlQuantifyOperator) query.getOperator()).comparisonKind);
    }

    private static SqlOperator operator(SqlKind kind) {
        return switch (kind) {
            case EQUALS -> SqlStdOperatorTable.EQUALS;
            case NOT_EQUALS -> SqlStdOperatorTable.NOT_EQUALS;
            case LESS_THAN -> SqlStdOperatorTable.LESS_THAN;
            case LESS_THAN_OR_EQUAL -> SqlStdOperatorTable.LESS_THAN_OR_EQUAL;
            case GREATER_THAN -> SqlStdOperatorTable.GREATER_THAN;
            case GREATER_THAN_OR_EQUAL -> SqlStdOperatorTable.GREATER_THAN_OR_EQUAL;
            default -> throw new IllegalArgumentException(kind + " is no comparison");
        };
    }

    /// The comparison of the values with one row.
    ///
    /// @param left values of the query's operands
    /// @param right the row's
    RexNode comparison(RexSubQuery query, List<? extends RexNode> left, List<? extends RexNode> right) {
        SqlOperator operator = operator(query);
        List<RexNode> parts = new ArrayList<>();
        return switch (operator.getKind()) {
            case EQUALS, NOT_EQUALS -> {
                for (int index = 0; index < left.size(); index++) {
                    parts.add(rexBuilder.makeCall(operator, left.get(index), right.get(index)));
                }
                yield operator.getKind() == SqlKind.EQUALS
                        ? RexUtil.composeConjunction(rexBuilder, parts)
                        : RexUtil.composeDisjunction(rexBuilder, parts);
            }
            default -> {
                // (a, b) < (c, d) is a < c OR a = c AND b < d.
                boolean isLess =
                        operator.getKind() == SqlKind.LESS_THAN || operator.getKind() == SqlKind.LESS_THAN_OR_EQUAL;
                SqlOperator strict = isLess ? SqlStdOperatorTable.LESS_THAN : SqlStdOperatorTable.GREATER_THAN;
                List<RexNode> equal = new ArrayList<>();
                for (int index = 0; index < left.size(); index++) {
                    RexNode one = left.get(index);
                    RexNode other = right.get(index);
                    List<RexNode> all = new ArrayList<>(equal);
                    all.add(rexBuilder.makeCall(index == left.size() - 1 ? operator : strict, one, other));
                    parts.add(RexUtil.composeConjunction(rexBuilder, all));
                    equal.add(rexBuilder.makeCall(SqlStdOperatorTable.EQUALS, one, other));
                }
                yield RexUtil.composeDisjunction(rexBuilder, parts);
            }
        };
    }

    /// Whether the least and the greatest value of the rows tell all that is asked.
    static boolean hasExtremes(RexSubQuery query) {
        return is(query)
                && query.getOperands().size() == 1
                && operator(query) != SqlStdOperatorTable.EQUALS
                && isSorted(query.rel.getRowType().getFieldList().getFirst().getType());
    }

    private static boolean isSorted(RelDataType type) {
        return switch (type.getSqlTypeName()) {
            case SMALLINT, INTEGER, BIGINT, REAL, DOUBLE, DECIMAL, DATE, TIMESTAMP, VARCHAR ->
                SqlTypes.other(type) == null && !SqlTypes.isKeyed(type);
            default -> SqlTypes.isNumeric(type);
        };
    }

    /// Four columns behind those of `rel`: how many rows the query has, how many of its values are not NULL, the least
    /// and the greatest one.
    ///
    /// @param rows the query's, which refer to nothing around them
    RelNode withExtremes(RelNode rel, RelNode rows) {
        List<AggregateCall> calls = List.of(
                call(SqlStdOperatorTable.COUNT, List.of(), rows),
                call(SqlStdOperatorTable.COUNT, List.of(0), rows),
                call(SqlStdOperatorTable.MIN, List.of(0), rows),
                call(SqlStdOperatorTable.MAX, List.of(0), rows));
        RelNode extremes = LogicalAggregate.create(rows, List.of(), ImmutableBitSet.of(), null, calls);
        return LogicalJoin.create(rel, extremes, List.of(), rexBuilder.makeLiteral(true), Set.of(), JoinRelType.INNER);
    }

    private static AggregateCall call(SqlAggFunction function, List<Integer> arguments, RelNode input) {
        return AggregateCall.create(
                function,
                false,
                false,
                false,
                List.of(),
                arguments,
                -1,
                null,
                RelCollations.EMPTY,
                true,
                input,
                null,
                null);
    }

    /// The truth by those columns.
    ///
    /// @param value that is compared, over `rel`
    /// @param first of them in `rel`
    RexNode byExtremes(RexSubQuery query, RexNode value, RelNode rel, int first) {
        RexNode rows = rexBuilder.makeInputRef(rel, first);
        RexNode known = rexBuilder.makeInputRef(rel, first + 1);
        SqlOperator operator = operator(query);
        RexNode withLeast = rexBuilder.makeCall(operator, value, rexBuilder.makeInputRef(rel, first + 2));
        RexNode withGreatest = rexBuilder.makeCall(operator, value, rexBuilder.makeInputRef(rel, first + 3));
        RexNode isMet =
                switch (operator.getKind()) {
                    case LESS_THAN, LESS_THAN_OR_EQUAL -> withGreatest;
                    case GREATER_THAN, GREATER_THAN_OR_EQUAL -> withLeast;
                    default -> rexBuilder.makeCall(SqlStdOperatorTable.OR, withLeast, withGreatest);
                };
        RexNode zero = rexBuilder.makeZeroRexNode(rows.getType());
        RexNode isUnknown = rexBuilder.makeCall(
                SqlStdOperatorTable.OR,
                rexBuilder.makeCall(SqlStdOperatorTable.IS_NULL, value),
                rexBuilder.makeCall(SqlStdOperatorTable.GREATER_THAN, rows, known));
        return truth(List.of(
                rexBuilder.makeCall(SqlStdOperatorTable.EQUALS, rows, zero),
                rexBuilder.makeLiteral(false),
                rexBuilder.makeCall(SqlStdOperatorTable.IS_TRUE, isMet),
                rexBuilder.makeLiteral(true),
                isUnknown));
    }

    /// CASE with what is known, NULL for the last condition, and else false.
    private RexNode truth(List<RexNode> cases) {
        RelDataType type = rexBuilder
                .getTypeFactory()
                .createTypeWithNullability(rexBuilder.getTypeFactory().createSqlType(SqlTypeName.BOOLEAN), true);
        List<RexNode> operands = new ArrayList<>(cases);
        operands.add(rexBuilder.makeNullLiteral(type));
        operands.add(rexBuilder.makeLiteral(false));
        return rexBuilder.makeCall(type, SqlStdOperatorTable.CASE, operands);
    }
}
