package dev.quarrel.calcite.sql;

import dev.quarrel.calcite.sql.Scope.Column;
import dev.quarrel.calcite.sql.Scope.Entry;
import dev.quarrel.calcite.sql.Scope.FromItem;
import dev.quarrel.calcite.sql.Scope.Visible;
import dev.quarrel.calcite.sql.type.RexMaker;
import dev.quarrel.calcite.sql.type.SqlType;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.logical.LogicalProject;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.sql.SqlCall;
import org.apache.calcite.sql.SqlIdentifier;
import org.apache.calcite.sql.SqlNode;
import org.apache.calcite.sql.SqlSelect;
import org.apache.calcite.sql.util.SqlBasicVisitor;

/// The rows of FROM items that a SELECT counts, as in `count(t.*)`: a row that an outer join leaves out is not
/// counted, whatever the columns of one that is there may hold. Such an item gets a hidden column, which is true.
final class CountedRows {
    /// In no name that a statement can write.
    private static final String HIDDEN = "\u0000row";

    private CountedRows() {}

    /// The aliases of `count(alias.*)` and `count(alias)`; some may be columns.
    static Set<String> of(SqlSelect select) {
        Set<String> aliases = new HashSet<>();
        SqlBasicVisitor<Void> look = new SqlBasicVisitor<>() {
            @Override
            public Void visit(SqlCall call) {
                boolean isCount = call.getOperator().getName().equalsIgnoreCase("count") && call.operandCount() == 1;
                if (isCount && call.operand(0) instanceof SqlIdentifier counted) {
                    List<String> names =
                            counted.isStar() ? counted.names.subList(0, counted.names.size() - 1) : counted.names;
                    if (!names.isEmpty()) {
                        aliases.add(names.getLast());
                    }
                }
                return super.visit(call);
            }
        };
        for (SqlNode part : new SqlNode[] {select.getSelectList(), select.getHaving()}) {
            if (part != null) {
                part.accept(look);
            }
        }
        return aliases;
    }

    /// A part of FROM that has the hidden column where its one name is among the aliases.
    static FromItem marked(FromItem item, Set<String> aliases, RexMaker maker) {
        boolean isCounted = item.entries().size() == 1
                && aliases.contains(item.entries().getFirst().alias());
        if (!isCounted) {
            return item;
        }
        RelNode rel = item.rel();
        int width = rel.getRowType().getFieldCount();
        List<RexNode> fields = new ArrayList<>();
        IntStream.range(0, width).forEach(field -> fields.add(maker.builder().makeInputRef(rel, field)));
        fields.add(maker.literal(true));
        List<String> names = new ArrayList<>(rel.getRowType().getFieldNames());
        names.add("row$");
        List<Entry> entries = new ArrayList<>(item.entries());
        entries.add(new Entry(
                item.entries().getFirst().alias() + HIDDEN,
                null,
                null,
                false,
                List.of(Visible.field(width, new Column("row", SqlType.BOOL, -1)))));
        return new FromItem(LogicalProject.create(rel, List.of(), fields, names, Set.of()), entries, item.visible());
    }

    /// Whether the row that an identifier names is there, as an expression over FROM's row: NULL where it is not.
    /// Null where that is unknown.
    static RexNode presence(SqlNode counted, Scope scope, RexMaker maker) {
        if (!(counted instanceof SqlIdentifier identifier) || scope.from() == null) {
            return null;
        }
        List<String> names =
                identifier.isStar() ? identifier.names.subList(0, identifier.names.size() - 1) : identifier.names;
        Entry entry = names.isEmpty() ? null : Columns.entry(scope.from(), List.of(names.getLast() + HIDDEN));
        return entry == null
                ? null
                : maker.builder()
                        .makeInputRef(
                                scope.from().rel(), entry.columns().getFirst().index());
    }
}
