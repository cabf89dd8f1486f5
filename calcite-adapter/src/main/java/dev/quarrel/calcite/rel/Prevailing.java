package dev.quarrel.calcite.rel;

import org.apache.calcite.plan.RelOptUtil;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.core.Filter;
import org.apache.calcite.rex.RexCall;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.sql.SqlFunction;
import org.apache.calcite.sql.SqlFunctionCategory;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.type.InferTypes;
import org.apache.calcite.sql.type.OperandTypes;
import org.apache.calcite.sql.type.ReturnTypes;

/// `prevailing(right, left, row)` among a left join's conditions: the right value is not less than the left one, or
/// it is the last before it, where none is equal. It says something of all right rows with equal keys: no rule
/// knows it, and it becomes a [QuarrelJoin.Range]. The third is any column of the left side: without it, a left
/// value that is known to be a constant would make it a condition on right rows alone.
public final class Prevailing {
    public static final SqlFunction OPERATOR = new SqlFunction(
            "prevailing",
            SqlKind.OTHER_FUNCTION,
            ReturnTypes.BOOLEAN_NULLABLE,
            InferTypes.FIRST_KNOWN,
            OperandTypes.VARIADIC,
            SqlFunctionCategory.SYSTEM);

    private Prevailing() {}

    /// Whether it is a filter with such a condition.
    public static boolean isAskedBy(RelNode rel) {
        return rel instanceof Filter filter
                && RelOptUtil.conjunctions(filter.getCondition()).stream().anyMatch(Prevailing::is);
    }

    public static boolean is(RexNode node) {
        return node instanceof RexCall call && call.getOperator() == OPERATOR;
    }
}
