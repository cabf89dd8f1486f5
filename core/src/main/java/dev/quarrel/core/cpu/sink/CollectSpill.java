package dev.quarrel.core.cpu.sink;

import dev.quarrel.core.device.Materialized;
import dev.quarrel.core.device.PipelineContext;
import dev.quarrel.core.event.SpillWritten;
import dev.quarrel.core.ir.Pipeline;
import dev.quarrel.core.spill.SpillFile;
import java.util.ArrayList;
import java.util.List;

/// Gathered rows that memory does not hold, in a temporary file, from which each reader reads them.
public final class CollectSpill implements SinkSpill {
    private final Pipeline pipeline;
    private final PipelineContext context;
    private final MemoryPressure pressure;
    private final List<SpillFile.Chunk> chunks = new ArrayList<>(); // guarded by this
    private SpillFile file; // guarded by this; null before the first rows, and once somebody else owns it

    public CollectSpill(Pipeline pipeline, PipelineContext context, MemoryPressure pressure) {
        this.pipeline = pipeline;
        this.context = context;
        this.pressure = pressure;
    }

    @Override
    public boolean isDue(TileSink sink) {
        long bytes = sink.reservedBytes();
        return pressure.isDue(bytes, 2 * bytes);
    }

    @Override
    public void spill(TileSink sink) {
        RowSink rows = (RowSink) sink;
        if (rows.rowCount() == 0) {
            return;
        }
        SpillWritten event = new SpillWritten();
        event.begin();
        SpillFile to = file();
        List<SpillFile.Chunk> written = new ArrayList<>();
        rows.exportPartitions(0, 2, (_, batch) -> {
            context.cancellation().check();
            written.add(to.write(batch));
        });
        add(written);
        long rowCount = PartitionedRows.rowCount(written);
        long bytes = PartitionedRows.bytes(written);
        context.counters().rowsSpilled.add(rowCount);
        context.counters().bytesSpilled.add(bytes);
        event.commit(context.queryId(), pipeline.id(), rowCount, bytes);
    }

    private synchronized SpillFile file() {
        if (file == null) {
            file = context.spill().open();
        }
        return file;
    }

    private synchronized void add(List<SpillFile.Chunk> written) {
        chunks.addAll(written);
    }

    @Override
    public boolean takesOver(List<TileSink> sinks) {
        long bytes = TileSink.reservedBytes(sinks);
        if (isEmpty() && pressure.mayStay(bytes, bytes)) {
            return false;
        }
        sinks.forEach(this::spill);
        return !isEmpty();
    }

    private synchronized boolean isEmpty() {
        return chunks.isEmpty();
    }

    @Override
    public int beginRound(int round) {
        return 0;
    }

    @Override
    public void run(int part) {
        throw new IllegalStateException("no part " + part);
    }

    @Override
    public synchronized Materialized finish() {
        Materialized made = SpilledRows.of(pipeline, file, chunks, context.budget());
        file = null;
        return made;
    }

    @Override
    public synchronized void close() {
        if (file != null) {
            file.close();
            file = null;
        }
    }
}
