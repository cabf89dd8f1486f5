package dev.quarrel.calcite.lower;

import dev.quarrel.calcite.rel.QuarrelFilter;
import dev.quarrel.calcite.rel.QuarrelJoin;
import java.util.ArrayList;
import java.util.List;
import java.util.function.ToDoubleFunction;
import org.apache.calcite.rel.RelNode;

/// How many rows the planner expected along a pipeline.
///
/// @param kept by program, the rows that its filters leave
/// @param out of the sink
public record ExpectedRows(List<Double> kept, double out) {
    public ExpectedRows {
        kept = List.copyOf(kept);
    }

    /// @param nodes of the pipeline, from its source on
    /// @param sink the node that the sink makes, or null where rows leave as they are
    /// @param rowsOf a node, as the planner expects them
    static ExpectedRows of(List<RelNode> nodes, RelNode sink, ToDoubleFunction<RelNode> rowsOf) {
        List<Double> kept = new ArrayList<>();
        for (RelNode node : nodes) {
            double rows = rowsOf.applyAsDouble(node);
            if (node instanceof QuarrelJoin || kept.isEmpty()) {
                kept.add(rows);
            } else if (node instanceof QuarrelFilter) {
                kept.set(kept.size() - 1, rows);
            }
        }
        return new ExpectedRows(kept, sink == null ? kept.getLast() : rowsOf.applyAsDouble(sink));
    }
}
