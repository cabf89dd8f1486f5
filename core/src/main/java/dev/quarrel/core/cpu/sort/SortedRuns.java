package dev.quarrel.core.cpu.sort;

import dev.quarrel.core.budget.Reservation;
import dev.quarrel.core.column.Batch;
import dev.quarrel.core.column.Column;
import dev.quarrel.core.cpu.rows.RowStore;
import dev.quarrel.core.cpu.sink.PartitionedRows;
import dev.quarrel.core.device.PipelineContext;
import dev.quarrel.core.event.SpillWritten;
import dev.quarrel.core.ir.SortKey;
import dev.quarrel.core.spill.ScratchMemory;
import dev.quarrel.core.spill.SpillFile;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.stream.LongStream;

/// Sorted runs of rows in a temporary file, with the index of each row's morsel as the last column.
///
/// When all rows have come, they can be cut into parts by the first key, each of which has rows of every run and is
/// merged by itself: rows of a part come before those of the next one. `settle`, then `cut` for every cut, by any
/// number of threads, then `merge` for any part.
///
/// Threads share it.
public final class SortedRuns implements AutoCloseable {
    /// Runs merged at a time at most; more are first merged into longer ones.
    private static final int MAX_RUNS = 64;

    /// What one run takes at least while it is merged.
    private static final int MIN_RUN_BYTES = 1 << 14;

    private static final int MAX_BATCH_ROWS = 1 << 14;
    private static final int MAX_PARTS = 256;

    private final List<SortKey> keys;
    private final int pipeline;
    private final PipelineContext context;
    private final int maxRuns;
    private final long chunkBytes;
    private final Reservation reservation;
    private final List<List<SpillFile.Chunk>> runs = new ArrayList<>();
    private final Map<SpillFile.Chunk, Long> starts = new HashMap<>(); // the word of each chunk's first row
    private SpillFile file;
    private RowMerge.Form form;
    private long[] cuts = {}; // words, ascending: a part ends before the first row that reaches its cut
    private RunRange.Place[][] places; // by cut and run

    /// @param merges parts that are merged at the same time
    public SortedRuns(List<SortKey> keys, int pipeline, PipelineContext context, int merges) {
        this.keys = keys;
        this.pipeline = pipeline;
        this.context = context;
        this.reservation = new Reservation(context.budget());
        // One batch of each run is in memory while they are merged: in all an eighth of the budget.
        long forMerge = context.budget().limitBytes() / 8 / merges;
        this.maxRuns = (int) Math.clamp(forMerge / MIN_RUN_BYTES, 4, MAX_RUNS);
        this.chunkBytes = Math.clamp(forMerge / maxRuns / 2, 1 << 12, 1 << 19);
    }

    /// Whether nothing has come.
    public synchronized boolean isEmpty() {
        return runs.isEmpty();
    }

    /// Sorts a worker's rows and writes them out; its sink is empty then.
    public void add(SortSink rows) {
        if (rows.rowCount() > 0) {
            write(receiver -> rows.exportSorted(keys, chunkBytes, receiver));
        }
    }

    /// The same with rows of a store.
    public void add(RowStore rows) {
        if (rows.rowCount() > 0) {
            write(receiver -> rows.exportSorted(keys, chunkBytes, receiver));
        }
    }

    /// What gives out sorted rows, batch by batch.
    private interface Content {
        void export(Consumer<Batch> receiver);
    }

    private void write(Content content) {
        SpillWritten event = new SpillWritten();
        event.begin();
        SpillFile to = file();
        Run run = new Run(to);
        content.export(run::write);
        synchronized (this) {
            runs.add(run.chunks);
            starts.putAll(run.starts);
        }
        long rowCount = PartitionedRows.rowCount(run.chunks);
        long bytes = PartitionedRows.bytes(run.chunks);
        context.counters().rowsSpilled.add(rowCount);
        context.counters().bytesSpilled.add(bytes);
        event.commit(context.queryId(), pipeline, rowCount, bytes);
    }

    /// A run that is being written.
    private final class Run {
        private final SpillFile to;
        private final List<SpillFile.Chunk> chunks = new ArrayList<>();
        private final Map<SpillFile.Chunk, Long> starts = new HashMap<>();
        private final CutKey key = keys.isEmpty() ? null : new CutKey(keys.getFirst());

        Run(SpillFile to) {
            this.to = to;
        }

        void write(Batch batch) {
            context.cancellation().check();
            SpillFile.Chunk chunk = to.write(batch);
            chunks.add(chunk);
            if (key != null) {
                starts.put(chunk, key.first(batch.column(key.column())));
            }
        }
    }

    private synchronized SpillFile file() {
        if (file == null) {
            file = context.spill().open();
        }
        return file;
    }

    long rowCount() {
        return runs.stream().mapToLong(PartitionedRows::rowCount).sum();
    }

    private long bytes() {
        return runs.stream().mapToLong(PartitionedRows::bytes).sum();
    }

    /// Bytes of a row, about.
    public long rowBytes() {
        return Math.max(1, bytes() / Math.max(1, rowCount()));
    }

    /// Rows of a batch of merged rows, of which several may wait for a reader.
    int batchRows() {
        return (int) Math.clamp(context.budget().limitBytes() / 256 / rowBytes(), 256, MAX_BATCH_ROWS);
    }

    /// Ends the adding of rows: merges runs until they are few enough, and decides where to cut them.
    ///
    /// @param partBytes what a part is to have at most; cuts may be too few for that, where many rows have one key
    public void settle(long partBytes) {
        while (runs.size() > maxRuns) {
            // The first runs alone, so that each row is written again as seldom as can be.
            int count = Math.min(maxRuns, runs.size() - maxRuns + 1);
            List<List<SpillFile.Chunk>> some = List.copyOf(runs.subList(0, count));
            runs.subList(0, count).clear();
            some.stream().flatMap(List::stream).forEach(starts::remove);
            Run longer = new Run(file);
            int chunkRows = some.getFirst().getFirst().rowCount();
            try (Reservation ranks = new Reservation(context.budget());
                    RowMerge merge = new RowMerge(
                            new RowMerge.Form(keys, some, ranks),
                            file,
                            some.stream().map(RunRange::all).toList(),
                            context.budget())) {
                while (!merge.isAtEnd()) {
                    try (Batch batch = merge.next(chunkRows)) {
                        longer.write(batch);
                    }
                }
            }
            runs.addFirst(longer.chunks);
            starts.putAll(longer.starts);
        }
        form = new RowMerge.Form(keys, runs, reservation);
        long wanted = keys.isEmpty() ? 1 : Math.clamp(bytes() / Math.max(1, partBytes) + 1, 1, MAX_PARTS);
        long[] sorted =
                starts.values().stream().mapToLong(Long::longValue).sorted().toArray();
        cuts = LongStream.range(1, wanted)
                .map(part -> sorted[(int) (part * sorted.length / wanted)])
                .filter(word -> word > sorted[0])
                .distinct()
                .toArray();
        places = new RunRange.Place[cuts.length][];
    }

    int cutCount() {
        return cuts.length;
    }

    int partCount() {
        return cuts.length + 1;
    }

    /// Finds where one cut goes through the runs.
    void cut(int cut) {
        RunRange.Place[] found = new RunRange.Place[runs.size()];
        try (ScratchMemory scratch = new ScratchMemory(context.budget())) {
            CutKey key = new CutKey(keys.getFirst());
            for (int run = 0; run < found.length; run++) {
                context.cancellation().check();
                found[run] = place(runs.get(run), cuts[cut], key, scratch);
                scratch.reset();
            }
        }
        places[cut] = found;
    }

    /// The first row of a run whose word reaches the one given.
    private RunRange.Place place(List<SpillFile.Chunk> run, long word, CutKey key, ScratchMemory scratch) {
        int low = 0;
        int high = run.size();
        while (low < high) {
            int middle = low + high >>> 1;
            if (starts.get(run.get(middle)) < word) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        if (low == 0) {
            return RunRange.Place.START;
        }
        SpillFile.Chunk chunk = run.get(low - 1);
        int row = key.find(file.read(chunk, key.column(), scratch), word);
        return row == chunk.rowCount() ? new RunRange.Place(low, 0) : new RunRange.Place(low - 1, row);
    }

    private List<RunRange> ranges(int part) {
        List<RunRange> ranges = new ArrayList<>(runs.size());
        for (int run = 0; run < runs.size(); run++) {
            RunRange.Place from = part == 0 ? RunRange.Place.START : places[part - 1][run];
            RunRange.Place to =
                    part == cuts.length ? new RunRange.Place(runs.get(run).size(), 0) : places[part][run];
            ranges.add(RunRange.between(runs.get(run), from, to));
        }
        return ranges;
    }

    /// Rows of a part, once all cuts are found.
    long rowCount(int part) {
        return ranges(part).stream().mapToLong(RunRange::rowCount).sum();
    }

    /// The merge of one part, which the caller closes before this.
    public RowMerge merge(int part) {
        return new RowMerge(form, file, ranges(part), context.budget());
    }

    /// Deletes the file.
    @Override
    public void close() {
        reservation.close();
        if (file != null) {
            file.close();
            file = null;
        }
    }

    /// The first key as words that never descend within a run: what cuts it.
    private static final class CutKey {
        private final SortKey key;
        private final RunKey words;
        private long[] room = new long[1];

        CutKey(SortKey key) {
            this.key = key;
            this.words = RunKey.of(key, null, null);
        }

        int column() {
            return key.output();
        }

        long first(Column column) {
            words.fill(column, 1, room);
            return word(column, 0);
        }

        private long word(Column column, int row) {
            return column.validity().isPresent(row) ? room[row] : key.nullsFirst() ? Long.MIN_VALUE : Long.MAX_VALUE;
        }

        /// The first row whose word reaches the one given; the row count if there is none.
        int find(Column column, long word) {
            if (room.length < column.rowCount()) {
                room = new long[column.rowCount()];
            }
            words.fill(column, column.rowCount(), room);
            int low = 0;
            int high = column.rowCount();
            while (low < high) {
                int middle = low + high >>> 1;
                if (word(column, middle) < word) {
                    low = middle + 1;
                } else {
                    high = middle;
                }
            }
            return low;
        }
    }
}
