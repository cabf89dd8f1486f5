package dev.quarrel.calcite.sql;

import dev.quarrel.calcite.sql.Scope.Column;
import dev.quarrel.calcite.sql.convert.Expr;
import dev.quarrel.calcite.sql.convert.OtherTypes;
import dev.quarrel.calcite.sql.function.Operators;
import dev.quarrel.calcite.sql.type.RexMaker;
import dev.quarrel.calcite.sql.type.SqlType;
import dev.quarrel.core.type.Collation;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.logical.LogicalProject;
import org.apache.calcite.rex.RexNode;

/// The columns of rows that are to be sorted, and behind them the keys of those that a collation orders.
final class OrderKeys {
    private final Analysis analysis;
    private final RelNode input;
    private final List<Column> columns;
    private final List<RexNode> values = new ArrayList<>();
    private final List<String> names = new ArrayList<>();

    OrderKeys(Analysis analysis, RelNode input, List<Column> columns) {
        this.analysis = analysis;
        this.input = input;
        this.columns = columns;
        RexMaker maker = analysis.maker();
        for (int field = 0; field < input.getRowType().getFieldCount(); field++) {
            values.add(maker.builder().makeInputRef(input, field));
        }
        names.addAll(input.getRowType().getFieldNames());
    }

    /// What values are sorted by: bytes for texts that ICU orders, arrays and other keyed values, places for an enum's
    /// labels, and themselves for all others.
    static RexNode of(Analysis analysis, Expr.Value value) {
        if (Operators.hasOrderKey(value.rex().getType())) {
            analysis.collations().orderRows(value.rex().getType());
            return Operators.orderKey(analysis.maker(), analysis.collations().sortKey(value));
        }
        return value.type() == SqlType.OTHER
                ? OtherTypes.orderKey(analysis.maker(), value.rex())
                : analysis.collations().sortKey(value);
    }

    /// The field to sort by in place of a column.
    ///
    /// @param at where the column is named
    int of(int column, int at) {
        RexNode value = values.get(column);
        analysis.collations().orderRows(value.getType());
        Collation collation = analysis.collations().sorting(columns.get(column).value(value, at));
        if (collation == null) {
            return column;
        }
        values.add(analysis.collations().key(value, collation));
        names.add("key$" + names.size());
        return values.size() - 1;
    }

    /// The rows with their keys.
    RelNode rel() {
        return hasKeys() ? LogicalProject.create(input, List.of(), values, names, Set.of()) : input;
    }

    /// Rows made of these, without the keys.
    RelNode without(RelNode rel) {
        return hasKeys()
                ? Places.without(analysis.maker(), rel, input.getRowType().getFieldCount())
                : rel;
    }

    private boolean hasKeys() {
        return values.size() > input.getRowType().getFieldCount();
    }
}
