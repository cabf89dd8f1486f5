package dev.quarrel.core.cpu.sink;

import dev.quarrel.core.column.Batch;
import dev.quarrel.core.device.Materialized;
import dev.quarrel.core.device.PipelineContext;
import dev.quarrel.core.ir.Pipeline;
import dev.quarrel.core.spill.SpillFile;
import java.util.ArrayList;
import java.util.List;

/// The results that workers make of partitions, each partition on one worker, in one temporary file; in the end
/// they are in the order of the partitions.
///
/// - Threads: a partition's results come from one worker.
public final class PartResults implements AutoCloseable {
    private final Pipeline pipeline;
    private final PipelineContext context;
    private final List<List<List<SpillFile.Chunk>>> chunks = new ArrayList<>(); // by partition and batch
    private SpillFile file; // null once somebody else owns it

    public PartResults(Pipeline pipeline, PipelineContext context) {
        this.pipeline = pipeline;
        this.context = context;
        for (int partition = 0; partition < PartitionedRows.PARTITIONS; partition++) {
            chunks.add(new ArrayList<>());
        }
        this.file = context.spill().open();
    }

    public SpillFile file() {
        return file;
    }

    /// Writes a batch, which stays the caller's.
    public void add(int partition, Batch batch) {
        List<SpillFile.Chunk> written = List.of(file.write(batch));
        synchronized (chunks) {
            chunks.get(partition).add(written);
        }
    }

    /// Adds what was written to the file already: batches, each of chunks that stand side by side.
    public void addAll(int partition, List<List<SpillFile.Chunk>> batches) {
        chunks.get(partition).addAll(batches);
    }

    /// All rows; the file is theirs from now on.
    public Materialized finish() {
        List<List<SpillFile.Chunk>> all = new ArrayList<>();
        chunks.forEach(all::addAll);
        Materialized made = new SpilledRows(pipeline, file, all, context.budget());
        file = null;
        return made;
    }

    @Override
    public void close() {
        if (file != null) {
            file.close();
        }
    }
}
