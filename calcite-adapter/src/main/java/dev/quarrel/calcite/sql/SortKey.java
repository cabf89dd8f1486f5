package dev.quarrel.calcite.sql;

import dev.quarrel.calcite.sql.convert.Expr;
import dev.quarrel.calcite.sql.convert.OtherTypes;
import dev.quarrel.calcite.sql.function.Operators;
import dev.quarrel.calcite.sql.type.SqlType;
import org.apache.calcite.rex.RexNode;

/// What values are sorted by: bytes for texts that ICU orders, arrays and other keyed values, places for an enum's
/// labels, and themselves for all others.
final class SortKey {
    private SortKey() {}

    static RexNode of(Analysis analysis, Expr.Value value) {
        if (Operators.hasOrderKey(value.rex().getType())) {
            return Operators.orderKey(analysis.maker(), analysis.collations().sortKey(value));
        }
        return value.type() == SqlType.OTHER
                ? OtherTypes.orderKey(analysis.maker(), value.rex())
                : analysis.collations().sortKey(value);
    }
}
