package dev.quarrel.calcite.sql;

import dev.quarrel.core.type.SqlState;
import java.util.ArrayList;
import java.util.List;
import org.apache.calcite.sql.SqlCall;
import org.apache.calcite.sql.SqlIdentifier;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.SqlLiteral;
import org.apache.calcite.sql.SqlNode;
import org.apache.calcite.sql.SqlNodeList;
import org.apache.calcite.sql.SqlSelectKeyword;
import org.apache.calcite.sql.SqlUnresolvedFunction;

/// A function call as written, with the clauses that may follow its arguments.
///
/// @param order the items of ORDER BY; empty for none
/// @param within whether they stand in WITHIN GROUP, not among the arguments
/// @param filter null for none
record WrittenCall(SqlCall call, SqlNodeList order, boolean within, SqlNode filter) {
    static WrittenCall plain(SqlCall call) {
        return new WrittenCall(call, SqlNodeList.EMPTY, false, null);
    }

    /// The call under FILTER and WITHIN GROUP.
    ///
    /// - Errors: 0A000 where these are written behind something else.
    static WrittenCall of(SqlNode node, Analysis analysis, int at) {
        SqlNode inner = node;
        SqlNode filter = null;
        SqlNodeList order = SqlNodeList.EMPTY;
        boolean within = false;
        if (inner.getKind() == SqlKind.FILTER) {
            filter = ((SqlCall) inner).operand(1);
            inner = ((SqlCall) inner).operand(0);
        }
        if (inner.getKind() == SqlKind.WITHIN_GROUP) {
            order = ((SqlCall) inner).operand(1);
            inner = ((SqlCall) inner).operand(0);
            // Where ORDER BY stands among the arguments, they end where it begins.
            within = inner.getParserPosition().getEndColumnNum()
                    < order.getParserPosition().getColumnNum();
        }
        if (!(inner instanceof SqlCall call) || !(call.getOperator() instanceof SqlUnresolvedFunction)) {
            throw analysis.unsupported(at, "FILTER, WITHIN GROUP or OVER here");
        }
        return new WrittenCall(call, order, within, filter);
    }

    SqlIdentifier identifier() {
        return ((SqlUnresolvedFunction) call.getOperator()).getSqlIdentifier();
    }

    String name() {
        return identifier().names.getLast();
    }

    /// Whether its argument is `*`.
    boolean isStar() {
        return isStar(call);
    }

    static boolean isStar(SqlCall call) {
        return call.operandCount() == 1
                && call.operand(0) instanceof SqlIdentifier identifier
                && identifier.isStar()
                && identifier.names.size() == 1;
    }

    boolean isDistinct() {
        SqlLiteral quantifier = call.getFunctionQuantifier();
        return quantifier != null && quantifier.getValue() == SqlSelectKeyword.DISTINCT;
    }

    /// - Errors: 42601 for DISTINCT, which WITHIN GROUP does not go with.
    void requireAll(Analysis analysis) {
        if (within && isDistinct()) {
            throw analysis.error(
                    SqlState.SYNTAX_ERROR, analysis.operatorAfter(call), "cannot use DISTINCT with WITHIN GROUP");
        }
    }

    /// What ORDER BY names.
    List<SqlNode> keys() {
        return order.stream().map(SortItem::expression).toList();
    }

    /// The arguments, and behind them what ORDER BY names.
    List<SqlNode> inputs() {
        List<SqlNode> inputs = new ArrayList<>(call.getOperandList());
        inputs.addAll(keys());
        return inputs;
    }
}
