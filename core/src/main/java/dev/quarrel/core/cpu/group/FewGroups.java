package dev.quarrel.core.cpu.group;

import dev.quarrel.core.budget.BudgetArena;
import dev.quarrel.core.column.Batch;
import dev.quarrel.core.cpu.sink.Ending;
import dev.quarrel.core.device.Materialized;
import dev.quarrel.core.device.PipelineContext;
import dev.quarrel.core.device.RowBatches;
import dev.quarrel.core.ir.Pipeline;
import java.util.List;

/// The merge of so few groups that one worker does it as fast as several: all go into the first worker's.
final class FewGroups implements Ending {
    private final Pipeline pipeline;
    private final PipelineContext context;
    private final List<AggregateSink> sinks;

    FewGroups(Pipeline pipeline, PipelineContext context, List<AggregateSink> sinks) {
        this.pipeline = pipeline;
        this.context = context;
        this.sinks = sinks;
    }

    @Override
    public Materialized finish() {
        AggregateSink first = sinks.getFirst();
        for (AggregateSink other : sinks.subList(1, sinks.size())) {
            context.cancellation().check();
            first.merge(other);
        }
        BudgetArena arena = new BudgetArena(context.budget());
        try {
            List<Batch> batches = first.results(pipeline.rowTypes(), arena);
            context.counters().rowsOut.add(first.groupCount());
            return new RowBatches(pipeline, batches, arena::close);
        } catch (RuntimeException | Error problem) {
            arena.close();
            throw problem;
        }
    }

    @Override
    public void close() {
        // The sinks are their workers'.
    }
}
