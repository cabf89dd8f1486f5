package dev.quarrel.core.cpu;

import dev.quarrel.core.column.Batch;
import dev.quarrel.core.column.FixedColumn;
import dev.quarrel.core.device.Materialized;
import dev.quarrel.core.device.PipelineContext;
import dev.quarrel.core.ir.Pipeline;
import dev.quarrel.core.ir.Sink;
import dev.quarrel.core.spill.ScratchMemory;
import dev.quarrel.core.spill.SpillFile;
import dev.quarrel.core.type.DataType;
import java.util.ArrayList;
import java.util.List;

/// Rows of windows in temporary files, by the hash of what they are partitioned by. At the end workers take a part
/// each: its windows' partitions are whole, and in scan order where the windows' order says nothing. What comes out
/// goes to a file, from which the next pipeline reads batch by batch.
final class WindowSpill implements SinkSpill {
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
    private final List<List<List<SpillFile.Chunk>>> resultChunks = new ArrayList<>(); // by part and batch
    private PartitionedRows rows;
    private SpillFile results;

    WindowSpill(Pipeline pipeline, PipelineContext context, int tileRows, MemoryPressure pressure) {
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
        long bytes = 0;
        long count = 0;
        for (TileSink filled : sinks) {
            bytes += filled.reservedBytes();
            count += ((SortSink) filled).rowCount();
        }
        if (rows == null
                && (pressure.fits(growth(sink, bytes, count))
                        || bytes < pressure.budget().limitBytes() / 64)) {
            return false;
        }
        sinks.forEach(this::spill);
        for (int partition = 0; partition < PartitionedRows.PARTITIONS; partition++) {
            resultChunks.add(new ArrayList<>());
        }
        results = context.spill().open();
        return true;
    }

    @Override
    public int mergeParts() {
        return PartitionedRows.PARTITIONS;
    }

    @Override
    public void merge(int part) {
        PartitionedRows from = rows();
        merge(from, part, from.firstBit() + PartitionedRows.BITS, resultChunks.get(part));
    }

    /// @param nextBit by which bits rows too many for memory are cut again; past the last ones if they cannot be
    private void merge(PartitionedRows from, int partition, int nextBit, List<List<SpillFile.Chunk>> made) {
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
                made.addAll(WindowRunSpill.stream(pipeline, runs, results, context));
            } else {
                compute(store, made);
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
            mergeSmaller(smaller, PartitionedRows.rowCount(chunks), made);
        }
    }

    private void mergeSmaller(PartitionedRows smaller, long rowCount, List<List<SpillFile.Chunk>> made) {
        try (PartitionedRows parts = smaller) {
            int nextBit = parts.firstBit() + PartitionedRows.BITS;
            for (int part = 0; part < PartitionedRows.PARTITIONS; part++) {
                // One partition of the windows cannot be cut: it is streamed, or fits without room to spare, or the
                // query ends here.
                boolean isWhole = PartitionedRows.rowCount(parts.partition(part)) == rowCount;
                merge(parts, part, isWhole ? PartitionedRows.MAX_FIRST_BIT + 1 : nextBit, made);
            }
        }
    }

    /// @param store closed here or later
    private void compute(RowStore store, List<List<SpillFile.Chunk>> made) {
        try (WindowMerge merge = new WindowMerge(pipeline, sink, List.of(store), context);
                Materialized windows = merge.finish()) {
            for (int index = 0; index < windows.batchCount(); index++) {
                try (Batch batch = windows.batch(index)) {
                    made.add(List.of(results.write(batch)));
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
            return morsels.values().get(ValueStore.INT32, row * 4L);
        }
    }

    @Override
    public Materialized finish() {
        rows().close();
        List<List<SpillFile.Chunk>> all = new ArrayList<>();
        resultChunks.forEach(all::addAll);
        Materialized made = new SpilledRows(pipeline, results, all, context.budget());
        results = null;
        return made;
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
