package dev.quarrel.calcite.sql;

import com.google.common.collect.ImmutableList;
import dev.quarrel.calcite.sql.function.AggregateTable;
import dev.quarrel.calcite.sql.type.RexMaker;
import dev.quarrel.calcite.sql.type.SqlType;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.apache.calcite.rel.RelFieldCollation;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.logical.LogicalFilter;
import org.apache.calcite.rel.logical.LogicalProject;
import org.apache.calcite.rex.RexFieldCollation;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.rex.RexWindowBounds;
import org.apache.calcite.rex.RexWindowExclusion;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.fun.SqlStdOperatorTable;
import org.apache.calcite.util.ImmutableBitSet;

/// Rows with their places in an order: row_number or rank, as columns behind their own.
final class Places {
    private Places() {}

    /// @param partition columns whose values are counted apart
    /// @param functions names of window functions without arguments, one a column
    static RelNode of(
            RexMaker maker,
            RelNode rel,
            ImmutableBitSet partition,
            List<RelFieldCollation> order,
            String... functions) {
        List<RexNode> columns = references(maker, rel, rel.getRowType().getFieldCount());
        List<RexNode> keys = partition.asList().stream().map(columns::get).toList();
        ImmutableList.Builder<RexFieldCollation> collations = ImmutableList.builder();
        for (RelFieldCollation field : order) {
            Set<SqlKind> flags = EnumSet.of(
                    field.nullDirection == RelFieldCollation.NullDirection.FIRST
                            ? SqlKind.NULLS_FIRST
                            : SqlKind.NULLS_LAST);
            if (field.getDirection().isDescending()) {
                flags.add(SqlKind.DESCENDING);
            }
            collations.add(new RexFieldCollation(columns.get(field.getFieldIndex()), flags));
        }
        List<String> names = new ArrayList<>(rel.getRowType().getFieldNames());
        for (String function : functions) {
            columns.add(maker.builder()
                    .makeOver(
                            maker.rel(SqlType.INT8),
                            AggregateTable.windowOnly(function),
                            List.of(),
                            keys,
                            collations.build(),
                            RexWindowBounds.UNBOUNDED_PRECEDING,
                            RexWindowBounds.CURRENT_ROW,
                            RexWindowExclusion.EXCLUDE_NO_OTHER,
                            true,
                            true,
                            false,
                            false,
                            false));
            names.add(function + "$" + columns.size());
        }
        return LogicalProject.create(rel, List.of(), columns, names, Set.of());
    }

    /// The first row of each partition.
    static RelNode first(RexMaker maker, RelNode rel, ImmutableBitSet partition, List<RelFieldCollation> order) {
        int width = rel.getRowType().getFieldCount();
        RelNode placed = of(maker, rel, partition, order, "row_number");
        RexNode isFirst = maker.call(
                SqlStdOperatorTable.EQUALS,
                maker.bool(),
                maker.builder().makeInputRef(placed, width),
                maker.integer(1, SqlType.INT8));
        return without(maker, LogicalFilter.create(placed, isFirst), width);
    }

    /// The first columns alone.
    static RelNode without(RexMaker maker, RelNode rel, int width) {
        return LogicalProject.create(
                rel,
                List.of(),
                references(maker, rel, width),
                rel.getRowType().getFieldNames().subList(0, width),
                Set.of());
    }

    private static List<RexNode> references(RexMaker maker, RelNode rel, int count) {
        List<RexNode> references = new ArrayList<>();
        for (int column = 0; column < count; column++) {
            references.add(maker.builder().makeInputRef(rel, column));
        }
        return references;
    }
}
