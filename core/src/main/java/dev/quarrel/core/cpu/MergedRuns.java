package dev.quarrel.core.cpu;

import dev.quarrel.core.column.Batch;
import dev.quarrel.core.device.Materialized;
import dev.quarrel.core.ir.Pipeline;
import dev.quarrel.core.run.Cancellation;
import dev.quarrel.core.spill.SpillFile;
import java.util.HashMap;
import java.util.Map;

/// Sorted rows, merged from runs as they are asked for.
///
/// Each batch can be had once, and is the receiver's; who asks for one before its turn has the ones before it made, and
/// kept until they are asked for.
final class MergedRuns implements Materialized {
    private final Pipeline pipeline;
    private final RowMerge merge;
    private final SpillFile file;
    private final long rowCount;
    private final int batchRows;
    private final Cancellation cancellation;
    private final Map<Integer, Batch> waiting = new HashMap<>();
    private long toSkip;
    private int made;
    private boolean closed;

    /// @param merge, `file` owned from here on
    /// @param end where the rows wanted end, from `first` on
    MergedRuns(
            Pipeline pipeline,
            RowMerge merge,
            SpillFile file,
            long first,
            long end,
            int batchRows,
            Cancellation cancellation) {
        this.pipeline = pipeline;
        this.merge = merge;
        this.file = file;
        this.toSkip = first;
        this.rowCount = Math.max(0, end - first);
        this.batchRows = batchRows;
        this.cancellation = cancellation;
    }

    @Override
    public Pipeline pipeline() {
        return pipeline;
    }

    @Override
    public long rowCount() {
        return rowCount;
    }

    @Override
    public int batchCount() {
        return Math.toIntExact((rowCount + batchRows - 1) / batchRows);
    }

    @Override
    public int batchRows(int batch) {
        return (int) Math.min(batchRows, rowCount - (long) batch * batchRows);
    }

    @Override
    public synchronized Batch batch(int batch) {
        while (toSkip > 0) {
            cancellation.check();
            int count = (int) Math.min(toSkip, batchRows);
            merge.next(count).close();
            toSkip -= count;
        }
        while (made <= batch) {
            cancellation.check();
            waiting.put(made, merge.next(batchRows(made)));
            made++;
        }
        Batch taken = waiting.remove(batch);
        if (taken == null) {
            throw new IllegalStateException("batch " + batch + " of sorted rows is asked for twice");
        }
        return taken;
    }

    @Override
    public synchronized void close() {
        if (!closed) {
            closed = true;
            waiting.values().forEach(Batch::close);
            waiting.clear();
            merge.close();
            file.close();
        }
    }
}
