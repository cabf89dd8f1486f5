package dev.quarrel.core.cpu;

import dev.quarrel.core.column.Batch;
import dev.quarrel.core.device.Materialized;
import dev.quarrel.core.ir.Pipeline;
import dev.quarrel.core.run.BudgetArena;
import java.util.List;

/// Rows that a sink made, as batches outside the heap.
final class RowBatches implements Materialized {
    private final Pipeline pipeline;
    private final List<Batch> batches;
    private final List<BudgetArena> arenas;

    /// @param arena holds the batches' memory; owned from here on
    RowBatches(Pipeline pipeline, List<Batch> batches, BudgetArena arena) {
        this(pipeline, batches, List.of(arena));
    }

    /// @param arenas hold the batches' memory; owned from here on
    RowBatches(Pipeline pipeline, List<Batch> batches, List<BudgetArena> arenas) {
        this.pipeline = pipeline;
        this.batches = List.copyOf(batches);
        this.arenas = List.copyOf(arenas);
    }

    @Override
    public Pipeline pipeline() {
        return pipeline;
    }

    @Override
    public long rowCount() {
        return batches.stream().mapToLong(Batch::rowCount).sum();
    }

    @Override
    public int batchCount() {
        return batches.size();
    }

    @Override
    public int batchRows(int batch) {
        return batches.get(batch).rowCount();
    }

    @Override
    public Batch batch(int batch) {
        Batch whole = batches.get(batch);
        return Batch.view(whole.schema(), whole.columns(), whole.rowCount());
    }

    @Override
    public void close() {
        arenas.forEach(BudgetArena::close);
    }
}
