package dev.quarrel.core.cpu;

import dev.quarrel.core.column.Batch;
import dev.quarrel.core.device.Materialized;
import dev.quarrel.core.device.PipelineContext;
import dev.quarrel.core.event.SpillWritten;
import dev.quarrel.core.ir.Pipeline;
import dev.quarrel.core.ir.Sink;
import dev.quarrel.core.spill.SpillFile;
import java.util.ArrayList;
import java.util.List;

/// Sorted runs in a temporary file, and their merge, which goes on while the next pipeline or the reader takes rows.
final class RunSpill implements SinkSpill {
    /// Runs merged at a time at most; more are first merged into longer ones.
    private static final int MAX_RUNS = 64;

    /// What one run takes at least while it is merged.
    private static final int MIN_RUN_BYTES = 1 << 14;

    private static final int MAX_BATCH_ROWS = 1 << 14;

    /// What sorting takes beside the rows, a row: places and room to move them, and the words of each key.
    private static final long SORT_ROW_BYTES = 40;

    private static final long SORT_KEY_BYTES = 24;

    private final Pipeline pipeline;
    private final Sink.Sort sort;
    private final PipelineContext context;
    private final MemoryPressure pressure;
    private final long firstRow;
    private final long endRow;
    private final int maxRuns;
    private final long chunkBytes;
    private final List<List<SpillFile.Chunk>> runs = new ArrayList<>();
    private SpillFile file;

    /// @param firstRow rows left out of the sorted ones, at their beginning
    /// @param endRow where the rows wanted end
    RunSpill(Pipeline pipeline, PipelineContext context, MemoryPressure pressure, long firstRow, long endRow) {
        this.pipeline = pipeline;
        this.sort = (Sink.Sort) pipeline.sink();
        this.context = context;
        this.pressure = pressure;
        this.firstRow = firstRow;
        this.endRow = endRow;
        // One batch of each run is in memory while they are merged: in all an eighth of the budget.
        long forMerge = context.budget().limitBytes() / 8;
        this.maxRuns = (int) Math.clamp(forMerge / MIN_RUN_BYTES, 4, MAX_RUNS);
        this.chunkBytes = Math.clamp(forMerge / maxRuns / 2, 1 << 12, 1 << 19);
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
        SpillWritten event = new SpillWritten();
        event.begin();
        SortSink rows = (SortSink) sink;
        if (rows.rowCount() == 0) {
            return;
        }
        SpillFile to = file();
        List<SpillFile.Chunk> run = new ArrayList<>();
        rows.exportSorted(chunkBytes, batch -> write(batch, to, run));
        add(run);
        long rowCount = run.stream().mapToLong(SpillFile.Chunk::rowCount).sum();
        long bytes = run.stream().mapToLong(SpillFile.Chunk::bytes).sum();
        context.counters().rowsSpilled.add(rowCount);
        context.counters().bytesSpilled.add(bytes);
        event.commit(context.queryId(), pipeline.id(), rowCount, bytes);
    }

    private void write(Batch batch, SpillFile to, List<SpillFile.Chunk> run) {
        context.cancellation().check();
        run.add(to.write(batch));
    }

    private synchronized SpillFile file() {
        if (file == null) {
            file = context.spill().open();
        }
        return file;
    }

    private synchronized void add(List<SpillFile.Chunk> run) {
        runs.add(run);
    }

    @Override
    public boolean takesOver(List<TileSink> sinks) {
        long bytes = 0;
        long rows = 0;
        for (TileSink sink : sinks) {
            bytes += sink.reservedBytes();
            rows += ((SortSink) sink).rowCount();
        }
        // In memory the rows are brought into scan order, sorted, and written out as columns.
        if (file == null
                && (pressure.fits(2 * bytes + sortBytes(rows))
                        || bytes < pressure.budget().limitBytes() / 64)) {
            return false;
        }
        sinks.forEach(this::spill);
        return true;
    }

    @Override
    public int mergeParts() {
        return 0;
    }

    @Override
    public void merge(int part) {
        throw new IllegalStateException("runs are merged one after another");
    }

    @Override
    public Materialized finish() {
        while (runs.size() > maxRuns) {
            // The first runs alone, so that each row is written again as seldom as can be.
            int count = Math.min(maxRuns, runs.size() - maxRuns + 1);
            List<List<SpillFile.Chunk>> part = List.copyOf(runs.subList(0, count));
            runs.subList(0, count).clear();
            List<SpillFile.Chunk> longer = new ArrayList<>();
            int chunkRows = part.getFirst().getFirst().rowCount();
            try (RowMerge merge = new RowMerge(sort.keys(), file, part, context.budget())) {
                while (!merge.isAtEnd()) {
                    try (Batch batch = merge.next(chunkRows)) {
                        write(batch, file, longer);
                    }
                }
            }
            runs.addFirst(longer);
        }
        long rows = runs.stream()
                .flatMap(List::stream)
                .mapToLong(SpillFile.Chunk::rowCount)
                .sum();
        long bytes = runs.stream()
                .flatMap(List::stream)
                .mapToLong(SpillFile.Chunk::bytes)
                .sum();
        // The reader may have several batches wait.
        int batchRows = (int) Math.clamp(
                context.budget().limitBytes() / 256 / Math.max(1, bytes / Math.max(1, rows)), 256, MAX_BATCH_ROWS);
        long first = Math.min(firstRow, rows);
        RowMerge merge = new RowMerge(sort.keys(), file, runs, context.budget());
        Materialized made =
                new MergedRuns(pipeline, merge, file, first, Math.min(endRow, rows), batchRows, context.cancellation());
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
