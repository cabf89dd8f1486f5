package dev.quarrel.core.cpu.rows;

import static dev.quarrel.core.column.LittleEndian.INT32;

import dev.quarrel.core.budget.BudgetArena;
import dev.quarrel.core.budget.MemoryBudget;
import dev.quarrel.core.budget.Reservation;
import dev.quarrel.core.column.Allocator;
import dev.quarrel.core.column.Batch;
import dev.quarrel.core.column.Column;
import dev.quarrel.core.column.FixedColumn;
import dev.quarrel.core.column.Validity;
import dev.quarrel.core.cpu.tile.BatchInput;
import dev.quarrel.core.cpu.tile.Mask;
import dev.quarrel.core.cpu.tile.Vector;
import dev.quarrel.core.device.SinkState;
import dev.quarrel.core.ir.SortKey;
import dev.quarrel.core.spill.ScratchMemory;
import dev.quarrel.core.type.DataType;
import dev.quarrel.core.type.Field;
import dev.quarrel.core.type.Schema;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.function.Consumer;

/// The rows that one worker gathers, column by column, and the morsels that they came from.
///
/// - Memory: reserved from the query's budget; `close` gives it back.
public final class RowStore implements AutoCloseable {
    /// Rows of one exported or materialised batch at most.
    public static final int BATCH_ROWS = 1 << 16;

    private static final int FORESEEN_FRACTION = 8;

    /// Bytes of one spilled batch, about.
    public static long chunkBytes(MemoryBudget budget) {
        return Math.clamp(budget.limitBytes() / 128, 1 << 13, 1 << 20);
    }

    private final Reservation reservation;
    private final List<DataType> types;
    private final ValueStore[] columns;
    /// Rows from `start` on came from a place in the source: a morsel in the upper half of `morsel`, a row in
    /// the lower.
    private final List<Run> runs = new ArrayList<>();

    private record Run(RowStore store, long morsel, int start, int count) {}

    public RowStore(List<DataType> types, MemoryBudget budget) {
        this.types = List.copyOf(types);
        this.reservation = new Reservation(budget);
        this.columns = new ValueStore[types.size()];
        for (int index = 0; index < columns.length; index++) {
            columns[index] = ValueStore.of(types.get(index), reservation);
        }
    }

    /// Rows in columns that somebody else owns; `close` is not for it.
    public RowStore(ValueStore[] columns, Reservation reservation) {
        this.types = Arrays.stream(columns).map(ValueStore::type).toList();
        this.reservation = reservation;
        this.columns = columns;
        this.rows = columns[0].size();
    }

    private int rows; // counts rows also where there is no column

    public int rowCount() {
        return rows;
    }

    public List<DataType> types() {
        return types;
    }

    public ValueStore column(int index) {
        return columns[index];
    }

    ValueStore[] columns() {
        return columns;
    }

    public Reservation reservation() {
        return reservation;
    }

    /// Says how many rows there will be, about. What would take a good part of the budget is not foreseen: it grows
    /// step by step, and may be spilled before.
    public void expect(long count) {
        long rowBits = 0;
        for (ValueStore column : columns) {
            rowBits += column.bitsPerRow() + 1;
        }
        boolean isModest = count / 8 * rowBits <= reservation.budget().limitBytes() / FORESEEN_FRACTION;
        for (ValueStore column : columns) {
            column.expect(isModest ? (int) Math.min(count, Integer.MAX_VALUE) : 0);
        }
    }

    /// Says that rows from now on come from a morsel, by its index; rows with no morsel come after all others.
    public void startMorsel(int morsel) {
        startRun(morsel, 0);
    }

    /// Says that rows from now on come from a tile of a morsel.
    public void startRun(int morsel, int firstRow) {
        startRun((long) morsel << 32 | firstRow);
    }

    private void startRun(long place) {
        if (!runs.isEmpty() && runs.getLast().start == rows) {
            runs.removeLast();
        }
        if (runs.isEmpty() || runs.getLast().morsel != place) {
            runs.add(new Run(this, place, rows, 0));
        }
    }

    /// Appends the selected rows of vectors, one a column.
    public void append(Vector[] values, Mask selected) {
        for (int index = 0; index < columns.length; index++) {
            columns[index].append(values[index], selected);
        }
        rows += selected.count();
    }

    /// Appends a batch of the same types; the batch stays the caller's.
    public void append(Batch batch, int tileRows) {
        BatchInput input = new BatchInput(types, tileRows);
        Mask all = new Mask(tileRows);
        Vector[] values = new Vector[columns.length];
        for (int first = 0; first < batch.rowCount(); first += tileRows) {
            int count = Math.min(tileRows, batch.rowCount() - first);
            all.setAll(count);
            input.moveTo(batch, first, count);
            for (int index = 0; index < columns.length; index++) {
                values[index] = input.load(index, all);
            }
            append(values, all);
        }
    }

    /// Says that all columns have so many rows now.
    public void filled(int count) {
        rows = count;
    }

    /// Keeps the rows given (ascending) alone.
    public void retain(int[] kept, int count) {
        for (ValueStore column : columns) {
            column.retain(kept, count);
        }
        List<Run> old = List.copyOf(runs);
        runs.clear();
        int next = 0;
        for (int run = 0; run < old.size(); run++) {
            int end = run + 1 < old.size() ? old.get(run + 1).start : rows;
            int start = next;
            while (next < count && kept[next] < end) {
                next++;
            }
            if (next > start || run == old.size() - 1) {
                runs.add(new Run(this, old.get(run).morsel, start, 0));
            }
        }
        rows = count;
    }

    /// Runs of rows in scan order: each lies in one store.
    ///
    /// @param store place of each run's store in the list given
    /// @param from its first row there
    record Runs(int[] store, int[] from, int[] count) {
        /// Cuts the runs into parts of about `partRows` rows: the place of each part's first run, and the end. Runs are
        /// no longer than the smallest part.
        int[] parts(int partRows) {
            int[] starts = new int[store.length + 1];
            int next = 0;
            long rows = partRows;
            for (int run = 0; run < store.length; run++) {
                if (rows >= partRows) {
                    starts[next++] = run;
                    rows = 0;
                }
                rows += count[run];
            }
            starts[next] = store.length;
            return Arrays.copyOf(starts, next + 1);
        }

        /// Rows of runs [first, end).
        int rows(int first, int end) {
            int rows = 0;
            for (int run = first; run < end; run++) {
                rows += count[run];
            }
            return rows;
        }

        /// Numbers of all rows, in scan order.
        int[] ids(int rowCount, RowIds numbers, Reservation reservation) {
            reservation.grow(rowCount * 4L);
            int[] ids = new int[rowCount];
            int next = 0;
            for (int run = 0; run < store.length; run++) {
                reservation.budget().checkStop();
                for (int row = from[run]; row < from[run] + count[run]; row++) {
                    ids[next++] = numbers.id(store[run], row);
                }
            }
            return ids;
        }
    }

    private static final int MAX_RUN_ROWS = 1 << 16;

    /// The rows of several stores in scan order.
    static Runs runs(List<RowStore> stores) {
        List<Piece> pieces = new ArrayList<>();
        for (int store = 0; store < stores.size(); store++) {
            RowStore rows = stores.get(store);
            int runCount = rows.runs.size();
            if (runCount == 0 || rows.runs.getFirst().start > 0) {
                int end = runCount == 0 ? rows.rows : rows.runs.getFirst().start;
                addPieces(-1, store, 0, end, pieces);
            }
            for (int run = 0; run < runCount; run++) {
                int start = rows.runs.get(run).start;
                int end = run + 1 < runCount ? rows.runs.get(run + 1).start : rows.rows;
                addPieces(rows.runs.get(run).morsel, store, start, end, pieces);
            }
        }
        pieces.sort(Comparator.comparingLong(Piece::morsel));
        return new Runs(
                pieces.stream().mapToInt(Piece::store).toArray(),
                pieces.stream().mapToInt(Piece::from).toArray(),
                pieces.stream().mapToInt(Piece::count).toArray());
    }

    private record Piece(long morsel, int store, int from, int count) {}

    private static void addPieces(long morsel, int store, int start, int end, List<Piece> pieces) {
        for (int from = start; from < end; from += MAX_RUN_ROWS) {
            pieces.add(new Piece(morsel, store, from, Math.min(MAX_RUN_ROWS, end - from)));
        }
    }

    /// The morsel that each row came from. The caller accounts for it: 4 bytes a row.
    int[] morsels() {
        int[] morsels = new int[rows];
        for (int run = 0; run < runs.size(); run++) {
            int end = run + 1 < runs.size() ? runs.get(run + 1).start : rows;
            Arrays.fill(morsels, runs.get(run).start, end, (int) (runs.get(run).morsel >>> 32));
        }
        return morsels;
    }

    /// Names for columns that have none: `c0`, `c1`…
    public static Schema schema(List<DataType> types) {
        List<Field> fields = new ArrayList<>();
        for (int index = 0; index < types.size(); index++) {
            fields.add(new Field("c" + index, types.get(index), true));
        }
        return new Schema(fields);
    }

    /// Rows [from, from + count), or those of `order`, as columns of `allocator`'s memory.
    public List<Column> toColumns(int[] order, int from, int count, Allocator allocator) {
        List<Column> made = new ArrayList<>(columns.length);
        for (ValueStore column : columns) {
            made.add(column.toColumn(order, from, count, allocator));
        }
        return made;
    }

    /// Gives out rows, batch by batch; each batch owns its memory.
    ///
    /// @param order places of the rows, or null for the first `count` ones
    public void exportTo(int[] order, int count, Consumer<Batch> receiver) {
        Schema schema = schema(types);
        for (int from = 0; from < count; from += BATCH_ROWS) {
            int part = Math.min(BATCH_ROWS, count - from);
            BudgetArena arena = new BudgetArena(reservation.budget());
            Batch batch;
            try {
                batch = Batch.owning(schema, toColumns(order, from, part, arena), part, arena::close);
            } catch (RuntimeException | Error problem) {
                arena.close();
                throw problem;
            }
            receiver.accept(batch);
        }
    }

    /// Gives out all rows in small batches, each of use until the receiver returns.
    ///
    /// @param order places of the rows, or null for their own order
    /// @param extra an int32 for each row, which makes a last column, or null
    public void exportChunks(int[] order, int[] extra, long chunkBytes, Consumer<Batch> receiver) {
        Schema schema = schema(extra == null ? types : withMorsel(types));
        int chunkRows = chunkRows(reservation.bytes(), rows, chunkBytes);
        try (ScratchMemory scratch = new ScratchMemory(reservation.budget())) {
            for (int from = 0; from < rows; from += chunkRows) {
                int count = Math.min(chunkRows, rows - from);
                List<Column> made = toColumns(order, from, count, scratch);
                if (extra != null) {
                    made.add(column(extra, order, from, count, scratch));
                }
                receiver.accept(Batch.view(schema, made, count));
                scratch.reset();
            }
        }
    }

    private static Column column(int[] numbers, int[] order, int from, int count, Allocator allocator) {
        MemorySegment values = allocator.allocate(count * 4L);
        for (int index = 0; index < count; index++) {
            values.set(INT32, index * 4L, numbers[order == null ? from + index : order[from + index]]);
        }
        return new FixedColumn(DataType.INT32, count, values, Validity.allPresent());
    }

    /// Gives out all rows by the hash of their first columns, and leaves this empty ([SinkState#exportPartitions]).
    public void exportPartitions(int keyCount, int firstBit, int partitionCount, SinkState.PartitionReceiver receiver) {
        exportPartitions(Arrays.copyOf(columns, keyCount), null, firstBit, partitionCount, receiver);
    }

    /// The same by the hash of any columns, with the index of each row's morsel as a last column.
    public void exportWithMorsels(
            List<Integer> keyColumns, int firstBit, int partitionCount, SinkState.PartitionReceiver receiver) {
        ValueStore[] keys = keyColumns.stream().map(this::column).toArray(ValueStore[]::new);
        try (Reservation scratch = new Reservation(reservation.budget())) {
            scratch.growToSpill(rows * 4L);
            exportPartitions(keys, morsels(), firstBit, partitionCount, receiver);
        }
    }

    private void exportPartitions(
            ValueStore[] keys, int[] extra, int firstBit, int partitionCount, SinkState.PartitionReceiver receiver) {
        Schema schema = schema(extra == null ? types : withMorsel(types));
        int chunkRows = chunkRows(reservation.bytes(), rows, chunkBytes(reservation.budget()));
        MemoryBudget budget = reservation.budget();
        try (ScratchMemory scratch = new ScratchMemory(budget);
                Partitions partitions = Partitions.of(keys, null, rows, firstBit, partitionCount, budget)) {
            partitions.forEach(chunkRows, (partition, from, count) -> {
                List<Column> made = toColumns(partitions.order(), from, count, scratch);
                if (extra != null) {
                    made.add(column(extra, partitions.order(), from, count, scratch));
                }
                receiver.accept(partition, Batch.view(schema, made, count));
                scratch.reset();
            });
        }
        clear();
    }

    /// Gives out all rows in an order, the index of each row's morsel as a last column, and leaves this empty.
    ///
    /// - Memory: each batch is a view, of use until the receiver returns.
    public void exportSorted(List<SortKey> keys, long chunkBytes, Consumer<Batch> receiver) {
        int[] order = keys.isEmpty() ? null : SortOrder.of(this, keys);
        try (Reservation scratch = new Reservation(reservation.budget())) {
            scratch.growToSpill(rows * 4L);
            exportChunks(order, morsels(), chunkBytes, receiver);
        }
        clear();
    }

    /// The types of rows with the index of their morsel behind them.
    public static List<DataType> withMorsel(List<DataType> types) {
        List<DataType> all = new ArrayList<>(types);
        all.add(DataType.INT32);
        return all;
    }

    /// Rows of a batch of about so many bytes.
    public static int chunkRows(long allBytes, int allRows, long chunkBytes) {
        if (allRows == 0) {
            return 1;
        }
        long rowBytes = Math.max(1, allBytes / allRows);
        return (int) Math.clamp(chunkBytes / rowBytes, 64, BATCH_ROWS);
    }

    /// Forgets all rows, and keeps the memory for the next ones.
    public void reset() {
        for (ValueStore column : columns) {
            column.reset();
        }
        runs.clear();
        rows = 0;
    }

    /// Forgets all rows and gives their memory back.
    public void clear() {
        for (ValueStore column : columns) {
            column.clear();
        }
        runs.clear();
        rows = 0;
    }

    @Override
    public void close() {
        clear();
        reservation.close();
    }
}
