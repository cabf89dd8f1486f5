package dev.quarrel.core.cpu.window;

import dev.quarrel.core.column.Batch;
import dev.quarrel.core.cpu.sink.MemoryPressure;
import dev.quarrel.core.cpu.sink.RowSink;
import dev.quarrel.core.cpu.sink.SinkSpill;
import dev.quarrel.core.cpu.sink.SpilledRows;
import dev.quarrel.core.cpu.sink.TileSink;
import dev.quarrel.core.cpu.sort.RowMerge;
import dev.quarrel.core.cpu.sort.SortSink;
import dev.quarrel.core.cpu.sort.SortedRuns;
import dev.quarrel.core.device.Materialized;
import dev.quarrel.core.device.PipelineContext;
import dev.quarrel.core.ir.Pipeline;
import dev.quarrel.core.ir.Sink;
import dev.quarrel.core.spill.SpillFile;
import java.util.List;

/// The spilled rows of windows with a single partition, as sorted runs in a temporary file. At the end the runs
/// are merged, and the functions computed as rows come by; the results go to a file too, from which the next
/// pipeline reads.
public final class WindowRunSpill implements SinkSpill {
    private final Pipeline pipeline;
    private final Sink.Window sink;
    private final PipelineContext context;
    private final MemoryPressure pressure;
    private final SortedRuns runs;

    /// @param pipeline ends in windows that can be had from a stream ([WindowStream#canStream])
    public WindowRunSpill(Pipeline pipeline, PipelineContext context, MemoryPressure pressure) {
        this.pipeline = pipeline;
        this.sink = (Sink.Window) pipeline.sink();
        this.context = context;
        this.pressure = pressure;
        this.runs = new SortedRuns(sink.keys(), pipeline.id(), context, 1);
    }

    @Override
    public boolean isDue(TileSink filled) {
        long bytes = filled.reservedBytes();
        return pressure.isDue(bytes, WindowSpill.growth(sink, bytes, ((SortSink) filled).rowCount()));
    }

    @Override
    public void spill(TileSink filled) {
        runs.add((SortSink) filled);
    }

    @Override
    public boolean takesOver(List<TileSink> sinks) {
        long bytes = TileSink.reservedBytes(sinks);
        if (runs.isEmpty() && pressure.mayStay(bytes, WindowSpill.growth(sink, bytes, RowSink.rowCount(sinks)))) {
            return false;
        }
        sinks.forEach(this::spill);
        return true;
    }

    @Override
    public Materialized finish() {
        SpillFile results = context.spill().open();
        boolean done = false;
        try {
            Materialized made =
                    new SpilledRows(pipeline, results, stream(pipeline, runs, results, context), context.budget());
            done = true;
            return made;
        } finally {
            runs.close();
            if (!done) {
                results.close();
            }
        }
    }

    /// Merges runs and computes the functions of a window sink.
    ///
    /// @return batches of rows and answers, each of chunks of `results` that stand side by side
    static List<List<SpillFile.Chunk>> stream(
            Pipeline pipeline, SortedRuns runs, SpillFile results, PipelineContext context) {
        Sink.Window sink = (Sink.Window) pipeline.sink();
        runs.settle(Long.MAX_VALUE);
        try (RowMerge merge = runs.merge(0);
                WindowStream stream = new WindowStream(
                        sink, pipeline.lastProgram().outputTypes(), context, results, runs.rowBytes())) {
            while (!merge.isAtEnd()) {
                try (Batch batch = merge.next(stream.chunkRows())) {
                    stream.add(batch);
                }
            }
            return stream.finish();
        }
    }

    @Override
    public void close() {
        runs.close();
    }
}
