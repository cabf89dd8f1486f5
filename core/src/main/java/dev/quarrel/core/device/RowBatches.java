package dev.quarrel.core.device;

import dev.quarrel.core.column.Batch;
import dev.quarrel.core.ir.Pipeline;
import java.util.List;

/// The rows that a sink made, as batches outside the heap.
public final class RowBatches implements Materialized {
    private final Pipeline pipeline;
    private final List<Batch> batches;
    private final Runnable release;

    /// @param release frees the batches' memory, which is owned from here on
    public RowBatches(Pipeline pipeline, List<Batch> batches, Runnable release) {
        this.pipeline = pipeline;
        this.batches = List.copyOf(batches);
        this.release = release;
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
        release.run();
    }
}
