package dev.quarrel.core.cpu;

import dev.quarrel.core.column.Batch;
import dev.quarrel.core.device.Materialized;
import dev.quarrel.core.ir.Pipeline;
import dev.quarrel.core.run.BudgetArena;
import dev.quarrel.core.run.MemoryBudget;
import dev.quarrel.core.spill.SpillFile;
import java.util.List;

/// Rows that a sink made, in a temporary file: each batch is read when it is asked for.
final class SpilledRows implements Materialized {
    private final Pipeline pipeline;
    private final SpillFile file;
    private final List<SpillFile.Chunk> chunks;
    private final MemoryBudget budget;

    /// @param file owned from here on
    SpilledRows(Pipeline pipeline, SpillFile file, List<SpillFile.Chunk> chunks, MemoryBudget budget) {
        this.pipeline = pipeline;
        this.file = file;
        this.chunks = List.copyOf(chunks);
        this.budget = budget;
    }

    @Override
    public Pipeline pipeline() {
        return pipeline;
    }

    @Override
    public long rowCount() {
        return chunks.stream().mapToLong(SpillFile.Chunk::rowCount).sum();
    }

    @Override
    public int batchCount() {
        return chunks.size();
    }

    @Override
    public int batchRows(int batch) {
        return chunks.get(batch).rowCount();
    }

    @Override
    public Batch batch(int batch) {
        BudgetArena arena = new BudgetArena(budget);
        try {
            Batch view = file.read(chunks.get(batch), arena);
            return Batch.owning(view.schema(), view.columns(), view.rowCount(), arena::close);
        } catch (RuntimeException | Error problem) {
            arena.close();
            throw problem;
        }
    }

    @Override
    public void close() {
        file.close();
    }
}
