package dev.quarrel.core.cpu.sink;

import dev.quarrel.core.column.Batch;
import dev.quarrel.core.device.PipelineContext;
import dev.quarrel.core.device.SinkState;
import dev.quarrel.core.event.SpillWritten;
import dev.quarrel.core.spill.SpillFile;
import java.util.ArrayList;
import java.util.List;

/// Rows or groups in a temporary file, partitioned by the hash of their keys.
///
/// Threads share it: any number adds and reads at a time.
public final class PartitionedRows implements AutoCloseable {
    /// Bits of the hash that one level of partitions takes.
    public static final int BITS = 6;

    public static final int PARTITIONS = 1 << BITS;
    /// A level beyond which partitions are not cut further: all the hash's bits are used up.
    public static final int MAX_FIRST_BIT = 64 - BITS;

    private final PipelineContext context;
    private final int pipeline;
    private final int firstBit;
    private final SpillFile file;
    private final List<List<SpillFile.Chunk>> chunks = new ArrayList<>();

    /// @param firstBit bits of the hash that all rows share
    public PartitionedRows(PipelineContext context, int pipeline, int firstBit) {
        this.context = context;
        this.pipeline = pipeline;
        this.firstBit = firstBit;
        for (int partition = 0; partition < PARTITIONS; partition++) {
            chunks.add(new ArrayList<>());
        }
        this.file = context.spill().open();
    }

    public int firstBit() {
        return firstBit;
    }

    public SpillFile file() {
        return file;
    }

    /// The content of a state that can be given out by partitions ([SinkState#exportPartitions]).
    public interface Content {
        void exportPartitions(int firstBit, int partitionCount, SinkState.PartitionReceiver receiver);
    }

    /// Adds a whole content, which is empty then.
    public void add(Content content) {
        SpillWritten event = new SpillWritten();
        event.begin();
        long[] written = new long[2];
        content.exportPartitions(firstBit, PARTITIONS, (partition, batch) -> {
            context.cancellation().check();
            SpillFile.Chunk chunk = add(partition, batch);
            written[0] += chunk.rowCount();
            written[1] += chunk.bytes();
        });
        context.counters().rowsSpilled.add(written[0]);
        context.counters().bytesSpilled.add(written[1]);
        event.commit(context.queryId(), pipeline, written[0], written[1]);
    }

    private SpillFile.Chunk add(int partition, Batch batch) {
        SpillFile.Chunk chunk = file.write(batch);
        synchronized (chunks) {
            chunks.get(partition).add(chunk);
        }
        return chunk;
    }

    /// A partition's chunks; when nothing is added any more.
    public List<SpillFile.Chunk> partition(int partition) {
        synchronized (chunks) {
            return chunks.get(partition);
        }
    }

    /// All chunks, partition by partition; when nothing is added any more.
    public List<SpillFile.Chunk> all() {
        return chunks.stream().flatMap(List::stream).toList();
    }

    public static long rowCount(List<SpillFile.Chunk> chunks) {
        return chunks.stream().mapToLong(SpillFile.Chunk::rowCount).sum();
    }

    public static long bytes(List<SpillFile.Chunk> chunks) {
        return chunks.stream().mapToLong(SpillFile.Chunk::bytes).sum();
    }

    @Override
    public void close() {
        file.close();
    }
}
