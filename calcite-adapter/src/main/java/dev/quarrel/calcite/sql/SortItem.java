package dev.quarrel.calcite.sql;

import dev.quarrel.calcite.parse.Positions;
import dev.quarrel.calcite.parse.PostgresOperators;
import dev.quarrel.core.type.SqlState;
import java.util.EnumSet;
import java.util.Set;
import org.apache.calcite.rel.RelFieldCollation;
import org.apache.calcite.sql.SqlCall;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.SqlLiteral;
import org.apache.calcite.sql.SqlNode;

/// An item of ORDER BY. Unless it says otherwise, NULLs come last in ascending order and first in descending
/// order.
record SortItem(SqlNode node, boolean descending, boolean nullsFirst) {
    /// The expression that is sorted by.
    static SqlNode expression(SqlNode item) {
        SqlNode node = item;
        while (node.getKind() == SqlKind.NULLS_FIRST
                || node.getKind() == SqlKind.NULLS_LAST
                || node.getKind() == SqlKind.DESCENDING
                || isUsing(node)) {
            node = ((SqlCall) node).operand(0);
        }
        return node;
    }

    private static boolean isUsing(SqlNode node) {
        return node instanceof SqlCall call && call.getOperator() == PostgresOperators.SORT_USING;
    }

    /// - Errors: 42809 for USING with an operator that is no order.
    static SortItem of(Analysis analysis, SqlNode item) {
        SqlNode node = item;
        Boolean nullsFirst = null;
        boolean descending = false;
        if (node.getKind() == SqlKind.NULLS_FIRST || node.getKind() == SqlKind.NULLS_LAST) {
            nullsFirst = node.getKind() == SqlKind.NULLS_FIRST;
            node = ((SqlCall) node).operand(0);
        }
        if (node.getKind() == SqlKind.DESCENDING) {
            descending = true;
            node = ((SqlCall) node).operand(0);
        }
        if (isUsing(node)) {
            SqlLiteral operator = ((SqlCall) node).operand(1);
            String symbol = operator.getValueAs(String.class);
            if (!symbol.equals("<") && !symbol.equals(">")) {
                throw analysis.error(
                                SqlState.WRONG_OBJECT_TYPE,
                                Positions.start(operator),
                                "operator " + symbol + " is not a valid ordering operator")
                        .withHint("Ordering operators must be \"<\" or \">\" members of btree operator families.");
            }
            descending = symbol.equals(">");
            node = ((SqlCall) node).operand(0);
        }
        return new SortItem(node, descending, nullsFirst == null ? descending : nullsFirst);
    }

    RelFieldCollation collation(int field) {
        return new RelFieldCollation(
                field,
                descending ? RelFieldCollation.Direction.DESCENDING : RelFieldCollation.Direction.ASCENDING,
                nullsFirst ? RelFieldCollation.NullDirection.FIRST : RelFieldCollation.NullDirection.LAST);
    }

    Set<SqlKind> flags() {
        Set<SqlKind> flags = EnumSet.of(nullsFirst ? SqlKind.NULLS_FIRST : SqlKind.NULLS_LAST);
        if (descending) {
            flags.add(SqlKind.DESCENDING);
        }
        return flags;
    }
}
