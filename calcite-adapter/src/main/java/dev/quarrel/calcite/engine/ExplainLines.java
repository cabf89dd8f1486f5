package dev.quarrel.calcite.engine;

import dev.quarrel.calcite.Execution;
import dev.quarrel.calcite.parse.Statement;
import dev.quarrel.core.column.Batch;
import dev.quarrel.core.table.CatalogSnapshot;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

/// The answer of an EXPLAIN statement, a line a row.
///
/// @param planningNanos of its plan, or of the look-up in the plan cache
/// @param threads how many run a plan
/// @param catalog that names of tables are of
/// @param phases the lines of `EXPLAIN (PLANS)`, which stand first
record ExplainLines(
        Statement.Explain explain,
        PlannedQuery planned,
        long planningNanos,
        int threads,
        CatalogSnapshot catalog,
        List<String> phases) {

    /// @param execution starts the plan, for ANALYZE
    Execution run(Supplier<QueryExecution> execution) {
        Explain.Options options =
                new Explain.Options(explain.verbose(), explain.costs(), explain.timing(), explain.summary(), threads);
        List<String> lines = new ArrayList<>(phases);
        if (!explain.analyze()) {
            lines.addAll(PlanText.lines(planned, options, null, catalog));
            summary(lines, -1);
        } else {
            long start = System.nanoTime();
            try (QueryExecution running = execution.get()) {
                for (Batch batch = running.cursor().next();
                        batch != null;
                        batch = running.cursor().next()) {
                    batch.close();
                }
                long elapsed = System.nanoTime() - start;
                lines.addAll(PlanText.lines(planned, options, running, catalog));
                summary(lines, elapsed);
            }
        }
        return RowsExecution.ofText(
                "EXPLAIN", List.of("QUERY PLAN"), lines.stream().map(List::of).toList());
    }

    private void summary(List<String> lines, long elapsedNanos) {
        if (!explain.summary()) {
            return;
        }
        lines.add(Explain.timeLine("Planning Time", planningNanos));
        if (elapsedNanos >= 0) {
            lines.add(Explain.timeLine("Execution Time", elapsedNanos));
        }
    }
}
