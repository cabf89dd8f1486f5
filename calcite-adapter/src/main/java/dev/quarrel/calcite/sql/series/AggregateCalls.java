package dev.quarrel.calcite.sql.series;

import java.util.Locale;
import java.util.function.Predicate;
import org.apache.calcite.sql.SqlCall;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.SqlNode;

/// How calls of aggregates stand in a statement that was read and not yet analysed.
final class AggregateCalls {
    private AggregateCalls() {}

    /// Whether it stands around an aggregate's call: FILTER and WITHIN GROUP.
    static boolean isClause(SqlCall node) {
        return node.getKind() == SqlKind.FILTER || node.getKind() == SqlKind.WITHIN_GROUP;
    }

    /// Whether it calls an aggregate, with its clauses; one with OVER is none.
    ///
    /// @param isAggregate whether a name, in small letters, is that of an aggregate function
    static boolean isAggregate(SqlCall node, Predicate<String> isAggregate) {
        SqlNode inner = node;
        while (inner instanceof SqlCall around && isClause(around)) {
            inner = around.operand(0);
        }
        return inner instanceof SqlCall function
                && function.getKind() != SqlKind.OVER
                && isAggregate.test(function.getOperator().getName().toLowerCase(Locale.ROOT));
    }
}
