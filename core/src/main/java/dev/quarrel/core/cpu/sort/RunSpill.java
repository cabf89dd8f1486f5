package dev.quarrel.core.cpu.sort;

import dev.quarrel.core.cpu.sink.MemoryPressure;
import dev.quarrel.core.cpu.sink.RowSink;
import dev.quarrel.core.cpu.sink.SinkSpill;
import dev.quarrel.core.cpu.sink.TileSink;
import dev.quarrel.core.device.Materialized;
import dev.quarrel.core.device.PipelineContext;
import dev.quarrel.core.ir.Pipeline;
import dev.quarrel.core.ir.Sink;
import java.util.List;

/// The sorted runs of a spilled sort, in a temporary file, and their merge, which goes on while the next
/// pipeline or the reader takes rows.
public final class RunSpill implements SinkSpill {
    /// What sorting takes beside the rows, a row: places and room to move them, and the words of each key.
    private static final long SORT_ROW_BYTES = 40;

    private static final long SORT_KEY_BYTES = 24;

    private final Pipeline pipeline;
    private final Sink.Sort sort;
    private final PipelineContext context;
    private final MemoryPressure pressure;
    private final long firstRow;
    private final long endRow;
    private SortedRuns runs;

    /// @param firstRow rows left out of the sorted ones, at their beginning
    /// @param endRow where the rows wanted end
    public RunSpill(Pipeline pipeline, PipelineContext context, MemoryPressure pressure, long firstRow, long endRow) {
        this.pipeline = pipeline;
        this.sort = (Sink.Sort) pipeline.sink();
        this.context = context;
        this.pressure = pressure;
        this.firstRow = firstRow;
        this.endRow = endRow;
        this.runs = new SortedRuns(sort.keys(), pipeline.id(), context, pressure.threads());
    }

    @Override
    public boolean isDue(TileSink sink) {
        long bytes = sink.reservedBytes();
        return pressure.isDue(bytes, 2 * bytes + 2 * sortBytes(((SortSink) sink).rowCount()));
    }

    private long sortBytes(long rows) {
        return rows * (SORT_ROW_BYTES + SORT_KEY_BYTES * sort.keys().size());
    }

    @Override
    public void spill(TileSink sink) {
        runs.add((SortSink) sink);
    }

    @Override
    public boolean takesOver(List<TileSink> sinks) {
        long bytes = TileSink.reservedBytes(sinks);
        // In memory the rows are brought into scan order, sorted, and written out as columns.
        if (runs.isEmpty() && pressure.mayStay(bytes, 2 * bytes + sortBytes(RowSink.rowCount(sinks)))) {
            return false;
        }
        sinks.forEach(this::spill);
        // What is merged ahead of the reader, a part a thread, is at most so much.
        runs.settle(pressure.threads() == 1 ? Long.MAX_VALUE : waitingBytes() / (pressure.threads() - 1));
        return true;
    }

    private long waitingBytes() {
        return context.budget().limitBytes() / 8;
    }

    @Override
    public int beginRound(int round) {
        return round == 0 ? runs.cutCount() : 0;
    }

    @Override
    public void run(int part) {
        runs.cut(part);
    }

    @Override
    public Materialized finish() {
        long rows = runs.rowCount();
        long first = Math.min(firstRow, rows);
        Materialized made = new MergedRuns(
                pipeline,
                runs,
                first,
                Math.min(endRow, rows),
                pressure.threads(),
                waitingBytes(),
                context.cancellation());
        runs = null;
        return made;
    }

    @Override
    public void close() {
        if (runs != null) {
            runs.close();
        }
    }
}
