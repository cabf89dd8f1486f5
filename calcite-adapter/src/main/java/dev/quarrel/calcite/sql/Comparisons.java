package dev.quarrel.calcite.sql;

import dev.quarrel.calcite.sql.type.SqlTypes;
import dev.quarrel.core.pg.PgType;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;
import org.apache.calcite.rex.RexNode;

/// Requires of values that they compare: those of json and jsonpath do not.
///
/// - Source: PostgreSQL's `parse_oper.c` (get_sort_group_operators).
final class Comparisons {
    private Comparisons() {}

    /// - Errors: 42883 for what has no order.
    static void requireOrder(Analysis analysis, RexNode value, int at) {
        if (isUncompared(value)) {
            throw none(analysis, value, "an ordering", at)
                    .withHint("Use an explicit ordering operator or modify the query.");
        }
    }

    /// - Errors: 42883 for what has no equality.
    static void requireEquality(Analysis analysis, RexNode value, int at) {
        if (isUncompared(value)) {
            throw none(analysis, value, "an equality", at);
        }
    }

    private static boolean isUncompared(RexNode value) {
        PgType type = SqlTypes.pgType(value.getType());
        return type == PgType.JSON || type == PgType.JSON_ARRAY || type == PgType.JSONPATH;
    }

    private static QueryException none(Analysis analysis, RexNode value, String what, int at) {
        return analysis.error(
                SqlState.UNDEFINED_FUNCTION,
                at,
                "could not identify " + what + " operator for type "
                        + SqlTypes.pgType(value.getType()).formatName());
    }
}
