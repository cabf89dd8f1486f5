package dev.quarrel.core.cpu.group;

import dev.quarrel.core.budget.BudgetArena;
import dev.quarrel.core.column.Batch;
import dev.quarrel.core.cpu.sink.Ending;
import dev.quarrel.core.device.Materialized;
import dev.quarrel.core.device.PipelineContext;
import dev.quarrel.core.device.RowBatches;
import dev.quarrel.core.ir.Pipeline;
import java.util.List;

/// The merge of so few groups that one worker does it as fast as several: all go into the first worker's. Rows that
/// were kept for them stay where they are, and several workers go through them.
final class FewGroups implements Ending {
    private final Pipeline pipeline;
    private final PipelineContext context;
    private final List<AggregateSink> sinks;
    private boolean isMerged;

    FewGroups(Pipeline pipeline, PipelineContext context, List<AggregateSink> sinks) {
        this.pipeline = pipeline;
        this.context = context;
        this.sinks = sinks;
    }

    @Override
    public int beginRound(int round) {
        AggregateSink first = sinks.getFirst();
        if (!first.movesStates()) {
            return 0;
        }
        merge();
        return first.beginRound();
    }

    @Override
    public void run(int part) {
        sinks.getFirst().run(part);
    }

    private void merge() {
        if (isMerged) {
            return;
        }
        isMerged = true;
        AggregateSink first = sinks.getFirst();
        for (AggregateSink other : sinks.subList(1, sinks.size())) {
            context.cancellation().check();
            if (first.movesStates()) {
                first.mergeForResults(other);
            } else {
                first.merge(other);
            }
        }
    }

    @Override
    public Materialized finish() {
        merge();
        AggregateSink first = sinks.getFirst();
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
