package dev.quarrel.calcite.rel;

import dev.quarrel.calcite.ColumnOrigin;
import java.util.List;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.core.Aggregate;
import org.apache.calcite.rel.core.Correlate;
import org.apache.calcite.rel.core.Filter;
import org.apache.calcite.rel.core.Join;
import org.apache.calcite.rel.core.Project;
import org.apache.calcite.rel.core.Sort;
import org.apache.calcite.rel.core.TableScan;
import org.apache.calcite.rex.RexInputRef;

/// Which columns of a query's result are columns of tables: what clients take for the names of their tables, and edit
/// rows by. A column that an outer join may make NULL is one; what an expression or a set operation makes is none.
///
/// - Source: PostgreSQL's `markTargetListOrigins`.
public final class ColumnOrigins {
    private ColumnOrigins() {}

    /// Null where the column is no table's.
    public static ColumnOrigin of(RelNode rel, int column) {
        return switch (rel) {
            case TableScan scan -> table(scan, column);
            case Project project ->
                project.getProjects().get(column) instanceof RexInputRef input
                        ? of(project.getInput(), input.getIndex())
                        : null;
            case Filter filter -> of(filter.getInput(), column);
            case Sort sort -> of(sort.getInput(), column);
            case WithRows rows -> of(rows.getInput(), column);
            case Aggregate aggregate ->
                column < aggregate.getGroupCount()
                        ? of(aggregate.getInput(), aggregate.getGroupSet().nth(column))
                        : null;
            case Join join -> side(join.getLeft(), join.getRight(), column);
            case Correlate correlate -> side(correlate.getLeft(), correlate.getRight(), column);
            default -> null;
        };
    }

    private static ColumnOrigin side(RelNode left, RelNode right, int column) {
        int leftCount = left.getRowType().getFieldCount();
        return column < leftCount ? of(left, column) : of(right, column - leftCount);
    }

    private static ColumnOrigin table(TableScan scan, int column) {
        List<String> names = scan.getTable().getQualifiedName();
        return names.size() < 2 ? null : new ColumnOrigin(names.get(names.size() - 2), names.getLast(), column + 1);
    }
}
