package dev.quarrel.calcite.rules;

import dev.quarrel.calcite.schema.QuarrelTable;
import dev.quarrel.core.table.Table;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.core.Filter;
import org.apache.calcite.rel.core.Project;
import org.apache.calcite.rel.core.TableScan;
import org.apache.calcite.rex.RexInputRef;

/// The table's column that a node's column is, where the node's rows are the table's, or some of them.
record TableColumn(Table table, int column) {
    /// null where it may be something else.
    static TableColumn of(RelNode rel, int column) {
        return switch (rel.stripped()) {
            case TableScan scan -> {
                QuarrelTable table = scan.getTable().unwrap(QuarrelTable.class);
                yield table == null ? null : new TableColumn(table.source(), column);
            }
            case Filter filter -> of(filter.getInput(), column);
            case Project project ->
                project.getProjects().get(column) instanceof RexInputRef input
                        ? of(project.getInput(), input.getIndex())
                        : null;
            default -> null;
        };
    }
}
