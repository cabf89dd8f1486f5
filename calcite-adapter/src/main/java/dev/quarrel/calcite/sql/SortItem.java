package dev.quarrel.calcite.sql;

import java.util.EnumSet;
import java.util.Set;
import org.apache.calcite.rel.RelFieldCollation;
import org.apache.calcite.sql.SqlCall;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.SqlNode;

/// An item of ORDER BY. Unless it says otherwise, NULLs come last in ascending order and first in descending
/// order.
record SortItem(SqlNode node, boolean descending, boolean nullsFirst) {
    static SortItem of(SqlNode item) {
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
