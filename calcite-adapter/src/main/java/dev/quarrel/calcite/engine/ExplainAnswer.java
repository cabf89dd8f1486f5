package dev.quarrel.calcite.engine;

import dev.quarrel.calcite.Execution;
import dev.quarrel.calcite.PreparedQuery.ResultColumn;
import dev.quarrel.calcite.explain.Explain;
import dev.quarrel.calcite.explain.PlanFormat;
import dev.quarrel.calcite.explain.PlanReport;
import dev.quarrel.calcite.explain.PlanTree;
import dev.quarrel.calcite.parse.ExplainOptions;
import dev.quarrel.core.column.Batch;
import dev.quarrel.core.ir.Literal;
import dev.quarrel.core.pg.PgType;
import dev.quarrel.core.table.CatalogSnapshot;
import dev.quarrel.core.type.OtherType;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

/// The answer of an EXPLAIN statement.
///
/// @param planning what its plan took to make, or the look-up in the plan cache
/// @param threads how many run a plan
/// @param catalog that names of tables are of
/// @param parameters that are shown in the place of their numbers; of no more than are known
/// @param phases the lines of `EXPLAIN (PLANS)`
/// @param settings as of [PlanReport]
record ExplainAnswer(
        ExplainOptions options,
        PlannedQuery planned,
        Planning planning,
        int threads,
        CatalogSnapshot catalog,
        List<Literal> parameters,
        List<String> phases,
        Map<String, String> settings) {
    private static final String NAME = "QUERY PLAN";
    private static final OtherType XML = new OtherType(142, "xml");

    /// The column that the answer has in this form.
    static ResultColumn column(PlanFormat format) {
        return switch (format) {
            case TEXT, YAML -> new ResultColumn(NAME, PgType.TEXT, -1);
            case JSON -> new ResultColumn(NAME, PgType.JSON, -1);
            case XML -> new ResultColumn(NAME, PgType.OTHER, -1, XML, null);
        };
    }

    /// The answer for a statement that has no plan.
    static Execution ofUtility(PlanFormat format) {
        return execution(PlanReport.rowsOfUtility(format));
    }

    private static Execution execution(List<String> rows) {
        return RowsExecution.ofText(
                "EXPLAIN", List.of(NAME), rows.stream().map(List::of).toList());
    }

    /// @param execution starts the plan, for ANALYZE
    Execution run(Supplier<QueryExecution> execution) {
        if (!options.analyze()) {
            return execution(report(null, -1));
        }
        long start = System.nanoTime();
        try (QueryExecution running = execution.get()) {
            for (Batch batch = running.cursor().next();
                    batch != null;
                    batch = running.cursor().next()) {
                batch.close();
            }
            return execution(report(running, System.nanoTime() - start));
        }
    }

    /// @param running what ran, or null
    private List<String> report(QueryExecution running, long elapsedNanos) {
        Explain.Options shown = new Explain.Options(
                options.verbose(),
                options.costs(),
                options.timing(),
                options.buffers(),
                options.format() != PlanFormat.TEXT,
                threads);
        PlanTree plan = new PlanTrees(planned, shown, running, catalog, parameters).tree();
        return new PlanReport(
                        phases,
                        plan,
                        settings,
                        options.memory() ? planning.bytes() : -1,
                        options.summary() ? planning.nanos() : -1,
                        options.summary() ? elapsedNanos : -1,
                        options.analyze())
                .rows(options.format());
    }
}
