package dev.quarrel.core.cpu.join;

import dev.quarrel.core.cpu.sink.MemoryPressure;
import dev.quarrel.core.cpu.sink.PartitionedRows;
import dev.quarrel.core.cpu.sink.RowSink;
import dev.quarrel.core.cpu.sink.SinkSpill;
import dev.quarrel.core.cpu.sink.TileSink;
import dev.quarrel.core.device.Materialized;
import dev.quarrel.core.device.PipelineContext;
import dev.quarrel.core.ir.Pipeline;
import java.util.List;

/// The spilled rows of a build side: in a temporary file, partitioned by the hash of their keys.
public final class BuildSpill implements SinkSpill {
    /// What the table takes beside the rows, a row: the index and lists of places.
    static final long INDEX_ROW_BYTES = 80;

    private final Pipeline pipeline;
    private final PipelineContext context;
    private final MemoryPressure pressure;
    private PartitionedRows rows;

    public BuildSpill(Pipeline pipeline, PipelineContext context, MemoryPressure pressure) {
        this.pipeline = pipeline;
        this.context = context;
        this.pressure = pressure;
    }

    @Override
    public boolean isDue(TileSink sink) {
        long bytes = sink.reservedBytes();
        return pressure.isDue(bytes, 3 * bytes);
    }

    @Override
    public void spill(TileSink sink) {
        rows().add(sink::exportPartitions);
    }

    private synchronized PartitionedRows rows() {
        if (rows == null) {
            rows = new PartitionedRows(context, pipeline.id(), 0);
        }
        return rows;
    }

    @Override
    public boolean takesOver(List<TileSink> sinks) {
        long bytes = TileSink.reservedBytes(sinks);
        if (rows == null && pressure.mayStay(bytes, bytes + RowSink.rowCount(sinks) * INDEX_ROW_BYTES)) {
            return false;
        }
        sinks.forEach(this::spill);
        return true;
    }

    @Override
    public Materialized finish() {
        Materialized made = new SpilledBuild(pipeline, rows, context.budget());
        rows = null;
        return made;
    }

    @Override
    public void close() {
        if (rows != null) {
            rows.close();
        }
    }
}
