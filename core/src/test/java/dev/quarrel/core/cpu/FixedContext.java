package dev.quarrel.core.cpu;

import dev.quarrel.core.budget.Cancellation;
import dev.quarrel.core.budget.MemoryBudget;
import dev.quarrel.core.device.Materialized;
import dev.quarrel.core.device.PipelineContext;
import dev.quarrel.core.device.PipelineCounters;
import dev.quarrel.core.device.ResultChannel;
import dev.quarrel.core.ir.Literal;
import dev.quarrel.core.ir.QueryPlan;
import dev.quarrel.core.run.QueryRun;
import dev.quarrel.core.spill.QuerySpill;
import dev.quarrel.core.table.CatalogSnapshot;
import dev.quarrel.core.table.FixedSnapshot;
import dev.quarrel.core.table.Table;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/// A context for pipelines that a test runs step by step.
public record FixedContext(
        List<Literal> slotValues,
        Table table,
        Map<Integer, Materialized> made,
        MemoryBudget budget,
        Cancellation cancellation,
        PipelineCounters counters)
        implements PipelineContext {
    public FixedContext(QueryPlan plan, Table table, MemoryBudget budget) {
        this(
                QueryRun.slotValues(plan, List.of()),
                table,
                new HashMap<>(),
                budget,
                new Cancellation(),
                new PipelineCounters());
    }

    @Override
    public long queryId() {
        return 0;
    }

    @Override
    public Materialized materialized(int pipeline) {
        return made.get(pipeline);
    }

    @Override
    public ResultChannel results() {
        return (_, batch) -> batch.close();
    }

    @Override
    public QuerySpill spill() {
        return QuerySpill.none();
    }

    @Override
    public CatalogSnapshot catalog() {
        return new FixedSnapshot(List.of(table));
    }
}
