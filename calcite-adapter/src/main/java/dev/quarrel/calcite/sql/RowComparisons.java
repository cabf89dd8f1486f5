package dev.quarrel.calcite.sql;

import dev.quarrel.calcite.sql.convert.Expr;
import dev.quarrel.calcite.sql.convert.OtherTypes;
import dev.quarrel.calcite.sql.type.RexMaker;
import dev.quarrel.calcite.sql.type.SqlType;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;
import java.util.ArrayList;
import java.util.List;
import org.apache.calcite.rex.RexCall;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.sql.fun.SqlStdOperatorTable;

/// Compares rows as values, of which a table's row is one at least: fields of the same types, of which NULLs are equal
/// to each other and greater than anything else. (Of `ROW(…)` and `ROW(…)` the fields are compared as by operators.)
///
/// - Source: PostgreSQL's `rowtypes.c` (record_cmp, record_eq).
final class RowComparisons {
    private final Analysis analysis;
    private final RexMaker maker;
    private final OperatorCalls operators;

    RowComparisons(Analysis analysis, OperatorCalls operators) {
        this.analysis = analysis;
        this.maker = analysis.maker();
        this.operators = operators;
    }

    /// Null for an operator that is no comparison.
    ///
    /// - Errors: 42804 for rows of different lengths or types, 0A000 for one that an outer join may not have.
    Expr.Value of(String symbol, Expr.Row left, Expr.Row right, OperatorCalls.Place place) {
        if (left.mayBeMissing() || right.mayBeMissing()) {
            throw analysis.unsupported(place.find(), "comparing a row that an outer join may not have");
        }
        RexNode compared =
                switch (symbol) {
                    case "=" -> equal(left, right, place);
                    case "<>" -> maker.not(equal(left, right, place));
                    case "<" -> less(left, right, place);
                    case ">" -> less(right, left, place);
                    case "<=" -> maker.not(less(right, left, place));
                    case ">=" -> maker.not(less(left, right, place));
                    default -> null;
                };
        return compared == null ? null : Expr.Value.bool(compared, left.at());
    }

    private RexNode equal(Expr.Row left, Expr.Row right, OperatorCalls.Place place) {
        requireAlike(left, right);
        List<RexNode> parts = new ArrayList<>();
        for (int index = 0; index < left.items().size(); index++) {
            parts.add(equal(left.items().get(index), right.items().get(index), place));
        }
        return parts.isEmpty() ? maker.literal(true) : maker.and(parts);
    }

    private RexNode equal(Expr left, Expr right, OperatorCalls.Place place) {
        if (left instanceof Expr.Row one && right instanceof Expr.Row two) {
            return equal(one, two, place);
        }
        List<RexNode> operands =
                ((RexCall) operators.call("=", left, right, place).rex()).getOperands();
        return maker.notNull(SqlStdOperatorTable.IS_NOT_DISTINCT_FROM, maker.bool(), operands.get(0), operands.get(1));
    }

    /// `a < c`, or they are equal and `b < d`, and so on.
    private RexNode less(Expr.Row left, Expr.Row right, OperatorCalls.Place place) {
        requireAlike(left, right);
        RexNode less = maker.literal(false);
        for (int index = left.items().size() - 1; index >= 0; index--) {
            Expr one = left.items().get(index);
            Expr two = right.items().get(index);
            RexNode isLess = one instanceof Expr.Row inner && two instanceof Expr.Row other
                    ? less(inner, other, place)
                    : isLess(one, two, place);
            less = maker.or(List.of(isLess, maker.and(List.of(equal(one, two, place), less))));
        }
        return less;
    }

    private RexNode isLess(Expr left, Expr right, OperatorCalls.Place place) {
        RexNode compared = maker.notNull(
                SqlStdOperatorTable.IS_TRUE,
                maker.bool(),
                operators.call("<", left, right, place).rex());
        RexNode isLeft = present(left, true);
        RexNode isRight = present(right, false);
        return maker.or(List.of(compared, maker.and(List.of(isLeft, isRight))));
    }

    private RexNode present(Expr value, boolean isPresent) {
        return maker.notNull(
                isPresent ? SqlStdOperatorTable.IS_NOT_NULL : SqlStdOperatorTable.IS_NULL,
                maker.bool(),
                analysis.conversions().resolved(value).rex());
    }

    private void requireAlike(Expr.Row left, Expr.Row right) {
        if (left.items().size() != right.items().size()) {
            throw new QueryException(
                    SqlState.DATATYPE_MISMATCH, "cannot compare record types with different numbers of columns");
        }
        for (int index = 0; index < left.items().size(); index++) {
            String one = typeName(left.items().get(index));
            String two = typeName(right.items().get(index));
            if (!one.equals(two)) {
                throw new QueryException(
                        SqlState.DATATYPE_MISMATCH,
                        "cannot compare dissimilar column types " + one + " and " + two + " at record column "
                                + (index + 1));
            }
        }
    }

    private static String typeName(Expr value) {
        return value.type() == SqlType.UNKNOWN ? SqlType.TEXT.displayName() : OtherTypes.displayName(value);
    }
}
