package dev.quarrel.cuda;

import dev.quarrel.core.device.Materialized;
import dev.quarrel.core.device.PipelineContext;
import dev.quarrel.core.device.PipelineCounters;
import dev.quarrel.core.device.Placement;
import dev.quarrel.core.device.ResultChannel;
import dev.quarrel.core.ir.Literal;
import dev.quarrel.core.run.Cancellation;
import dev.quarrel.core.run.MemoryBudget;
import dev.quarrel.core.spill.QuerySpill;
import dev.quarrel.core.table.CatalogSnapshot;
import java.util.List;

/// An execution as the CPU has it: what the device has made for it has rows.
///
/// @param slotValues its own ones, and further ones behind them
record CpuContext(PipelineContext context, List<Literal> slotValues) implements PipelineContext {
    CpuContext(PipelineContext context) {
        this(context, context.slotValues());
    }

    @Override
    public long queryId() {
        return context.queryId();
    }

    @Override
    public CatalogSnapshot catalog() {
        return context.catalog();
    }

    @Override
    public Materialized materialized(int pipeline) {
        return DeviceBuild.withRows(context.materialized(pipeline));
    }

    @Override
    public ResultChannel results() {
        return context.results();
    }

    @Override
    public MemoryBudget budget() {
        return context.budget();
    }

    @Override
    public QuerySpill spill() {
        return context.spill();
    }

    @Override
    public Cancellation cancellation() {
        return context.cancellation();
    }

    @Override
    public Placement.Choice choice() {
        return context.choice();
    }

    @Override
    public PipelineCounters counters() {
        return context.counters();
    }
}
