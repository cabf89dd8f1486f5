package dev.quarrel.core.cpu.window;

import static dev.quarrel.core.column.LittleEndian.INT32;

import dev.quarrel.core.column.Batch;
import dev.quarrel.core.column.FixedColumn;
import dev.quarrel.core.cpu.rows.RowStore;
import dev.quarrel.core.cpu.sink.MemoryPressure;
import dev.quarrel.core.cpu.sink.PartResults;
import dev.quarrel.core.cpu.sink.PartitionedRows;
import dev.quarrel.core.cpu.sink.RowSink;
import dev.quarrel.core.cpu.sink.SinkSpill;
import dev.quarrel.core.cpu.sink.TileSink;
import dev.quarrel.core.cpu.sort.SortSink;
import dev.quarrel.core.cpu.sort.SortedRuns;
import dev.quarrel.core.cpu.tile.BatchInput;
import dev.quarrel.core.cpu.tile.Mask;
import dev.quarrel.core.cpu.tile.Vector;
import dev.quarrel.core.device.Materialized;
import dev.quarrel.core.device.PipelineContext;
import dev.quarrel.core.ir.Pipeline;
import dev.quarrel.core.ir.Sink;
import dev.quarrel.core.spill.ScratchMemory;
import dev.quarrel.core.spill.SpillFile;
import dev.quarrel.core.type.DataType;
import java.util.List;

/// The spilled rows of windows, in temporary files, by the hash of their PARTITION BY columns. At the end each
/// worker takes one part at a time: its windows' partitions are whole, and in scan order where the windows'
/// order says nothing. The results go to a file, from which the next pipeline reads batch by batch.
public final class WindowSpill implements SinkSpill {
    /// What sorting and a function's answers take beside the rows, a row.
    private static final long SORT_ROW_BYTES = 64;

    private static final long CALL_ROW_BYTES = 32;

    private final Pipeline pipeline;
    private final Sink.Window sink;
    private final PipelineContext context;
    private final int tileRows;
    private final MemoryPressure pressure;
    private final List<DataType> types;
    private final boolean canStream;
    private PartitionedRows rows;
    private PartResults results;

    public WindowSpill(Pipeline pipeline, PipelineContext context, int tileRows, MemoryPressure pressure) {
        this.pipeline = pipeline;
        this.sink = (Sink.Window) pipeline.sink();
        this.context = context;
        this.tileRows = tileRows;
        this.pressure = pressure;
        this.types = pipeline.lastProgram().outputTypes();
        this.canStream = WindowStream.canStream(sink);
    }

    /// What finishing in memory takes beside rows of so many bytes.
    static long growth(Sink.Window sink, long bytes, long rowCount) {
        return 2 * bytes
                + rowCount * (SORT_ROW_BYTES + CALL_ROW_BYTES * sink.calls().size());
    }

    @Override
    public boolean isDue(TileSink filled) {
        long bytes = filled.reservedBytes();
        return pressure.isDue(bytes, growth(sink, bytes, ((SortSink) filled).rowCount()));
    }

    @Override
    public void spill(TileSink filled) {
        SortSink sorted = (SortSink) filled;
        if (sorted.rowCount() > 0) {
            rows().add((firstBit, count, receiver) ->
                    sorted.exportWithMorsels(sink.partition(), firstBit, count, receiver));
        }
    }

    private void add(RowStore store, PartitionedRows to) {
        to.add((firstBit, count, receiver) -> store.exportWithMorsels(sink.partition(), firstBit, count, receiver));
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
        if (rows == null && pressure.mayStay(bytes, growth(sink, bytes, RowSink.rowCount(sinks)))) {
            return false;
        }
        sinks.forEach(this::spill);
        results = new PartResults(pipeline, context);
        return true;
    }

    @Override
    public int beginRound(int round) {
        return round == 0 ? PartitionedRows.PARTITIONS : 0;
    }

    @Override
    public void run(int part) {
        PartitionedRows from = rows();
        merge(from, part, from.firstBit() + PartitionedRows.BITS, part);
    }

    /// @param nextBit by which bits rows too many for memory are cut again; past the last ones if they cannot be
    /// @param part whose results it makes
    private void merge(PartitionedRows from, int partition, int nextBit, int part) {
        List<SpillFile.Chunk> chunks = from.partition(partition);
        if (chunks.isEmpty()) {
            return;
        }
        PartitionedRows smaller = null;
        RowStore store = new RowStore(types, context.budget());
        try (ScratchMemory scratch = new ScratchMemory(context.budget());
                SortedRuns runs = new SortedRuns(sink.keys(), pipeline.id(), context, pressure.threads())) {
            Loader loader = new Loader(store);
            for (SpillFile.Chunk chunk : chunks) {
                context.cancellation().check();
                loader.load(from.file().read(chunk, scratch));
                scratch.reset();
                long bytes = store.reservation().bytes();
                boolean isCuttable = nextBit <= PartitionedRows.MAX_FIRST_BIT;
                if (!isCuttable && !canStream || !pressure.isDue(bytes, growth(sink, bytes, store.rowCount()))) {
                    continue;
                }
                if (isCuttable) {
                    smaller = smaller == null ? new PartitionedRows(context, pipeline.id(), nextBit) : smaller;
                    add(store, smaller);
                } else {
                    runs.add(store);
                }
            }
            if (smaller != null) {
                add(store, smaller);
            } else if (!runs.isEmpty()) {
                runs.add(store);
                results.addAll(part, WindowRunSpill.stream(pipeline, runs, results.file(), context));
            } else {
                compute(store, part);
            }
        } catch (RuntimeException | Error problem) {
            if (smaller != null) {
                smaller.close();
            }
            throw problem;
        } finally {
            store.close();
        }
        if (smaller != null) {
            mergeSmaller(smaller, PartitionedRows.rowCount(chunks), part);
        }
    }

    private void mergeSmaller(PartitionedRows smaller, long rowCount, int part) {
        try (PartitionedRows parts = smaller) {
            int nextBit = parts.firstBit() + PartitionedRows.BITS;
            for (int smallerPart = 0; smallerPart < PartitionedRows.PARTITIONS; smallerPart++) {
                // One partition of the windows cannot be cut: it is streamed, or fits without room to spare, or the
                // query ends here.
                boolean isWhole = PartitionedRows.rowCount(parts.partition(smallerPart)) == rowCount;
                merge(parts, smallerPart, isWhole ? PartitionedRows.MAX_FIRST_BIT + 1 : nextBit, part);
            }
        }
    }

    /// @param store closed here or later
    private void compute(RowStore store, int part) {
        try (WindowMerge merge = new WindowMerge(pipeline, sink, List.of(store), context);
                Materialized windows = merge.finish()) {
            for (int index = 0; index < windows.batchCount(); index++) {
                try (Batch batch = windows.batch(index)) {
                    results.add(part, batch);
                }
            }
        }
    }

    /// Appends batches whose last column is the index of each row's morsel to a store.
    private final class Loader {
        private final RowStore store;
        private final BatchInput input = new BatchInput(RowStore.withMorsel(types), tileRows);
        private final Mask all = new Mask(tileRows);
        private final Vector[] values = new Vector[types.size()];

        Loader(RowStore store) {
            this.store = store;
        }

        void load(Batch batch) {
            FixedColumn morsels = (FixedColumn) batch.column(types.size());
            int end;
            for (int first = 0; first < batch.rowCount(); first = end) {
                int morsel = morsel(morsels, first);
                end = first + 1;
                while (end < batch.rowCount() && end - first < tileRows && morsel(morsels, end) == morsel) {
                    end++;
                }
                store.startMorsel(morsel);
                all.setAll(end - first);
                input.moveTo(batch, first, end - first);
                for (int column = 0; column < values.length; column++) {
                    values[column] = input.load(column, all);
                }
                store.append(values, all);
            }
        }

        private static int morsel(FixedColumn morsels, int row) {
            return morsels.values().get(INT32, row * 4L);
        }
    }

    @Override
    public Materialized finish() {
        rows().close();
        return results.finish();
    }

    @Override
    public void close() {
        if (rows != null) {
            rows.close();
        }
        if (results != null) {
            results.close();
        }
    }
}
