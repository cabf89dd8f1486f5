package dev.quarrel.core.cpu.sink;

import dev.quarrel.core.budget.BudgetArena;
import dev.quarrel.core.budget.MemoryBudget;
import dev.quarrel.core.column.Batch;
import dev.quarrel.core.column.Column;
import dev.quarrel.core.cpu.rows.RowStore;
import dev.quarrel.core.device.Materialized;
import dev.quarrel.core.ir.Pipeline;
import dev.quarrel.core.spill.SpillFile;
import java.util.ArrayList;
import java.util.List;

/// The rows that a sink made, in a temporary file: each batch is read when it is asked for.
///
/// A batch is one chunk of the file, or several of as many rows whose columns stand side by side.
public final class SpilledRows implements Materialized {
    private final Pipeline pipeline;
    private final SpillFile file;
    private final List<List<SpillFile.Chunk>> batches;
    private final MemoryBudget budget;

    /// @param file owned from here on
    public SpilledRows(Pipeline pipeline, SpillFile file, List<List<SpillFile.Chunk>> batches, MemoryBudget budget) {
        this.pipeline = pipeline;
        this.file = file;
        this.batches = List.copyOf(batches);
        this.budget = budget;
    }

    /// The same where a batch is one chunk.
    public static SpilledRows of(Pipeline pipeline, SpillFile file, List<SpillFile.Chunk> chunks, MemoryBudget budget) {
        return new SpilledRows(pipeline, file, chunks.stream().map(List::of).toList(), budget);
    }

    @Override
    public Pipeline pipeline() {
        return pipeline;
    }

    @Override
    public long rowCount() {
        return batches.stream().mapToLong(sides -> sides.getFirst().rowCount()).sum();
    }

    @Override
    public int batchCount() {
        return batches.size();
    }

    @Override
    public int batchRows(int batch) {
        return batches.get(batch).getFirst().rowCount();
    }

    @Override
    public Batch batch(int batch) {
        BudgetArena arena = new BudgetArena(budget);
        try {
            List<Column> columns = new ArrayList<>();
            for (SpillFile.Chunk side : batches.get(batch)) {
                columns.addAll(file.read(side, arena).columns());
            }
            return Batch.owning(RowStore.schema(pipeline.rowTypes()), columns, batchRows(batch), arena::close);
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
