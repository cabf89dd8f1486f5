package dev.quarrel.core.cpu.sort;

import dev.quarrel.core.budget.MemoryBudget;
import dev.quarrel.core.budget.Reservation;
import dev.quarrel.core.column.Batch;
import dev.quarrel.core.cpu.rows.RowSort;
import dev.quarrel.core.cpu.rows.RowStore;
import dev.quarrel.core.cpu.rows.ValueStore;
import dev.quarrel.core.cpu.sink.RowSink;
import dev.quarrel.core.cpu.tile.Bits;
import dev.quarrel.core.cpu.tile.Mask;
import dev.quarrel.core.cpu.tile.TileOutputs;
import dev.quarrel.core.cpu.tile.Vector;
import dev.quarrel.core.device.Morsel;
import dev.quarrel.core.ir.SortKey;
import dev.quarrel.core.type.DataType;
import java.util.Arrays;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.IntStream;

/// Gathers rows to sort. With a small limit it now and then forgets those that cannot be among the first.
public final class SortSink extends RowSink {
    private static final int MIN_ROWS_TO_PRUNE = 1 << 12;

    /// With a limit of so many rows, memory counts for more than the time that forgetting takes.
    private static final long MANY_ROWS = 1 << 20;

    /// Rows of a tile, for each one wanted, from which on a look at the keys alone pays.
    private static final int TILE_SHARE = 4;

    private final List<SortKey> keys;
    private final long lastRow;
    private final Vector[] values;
    private final Mask admitted;
    private final int[] kept;
    private final TopN top; // null for a sort of all rows, or in scan order
    private final List<SortKey> ownKeys; // the same over the key columns alone
    private final List<DataType> keyTypes;
    private final MemoryBudget budget;
    private final FirstOfPartitions first; // null where all rows of a partition are wanted
    private final FirstSeen seen; // or null
    private final PartitionBars bars; // or null
    private int morsel;
    private int lastMorsel = -1; // of those seen so far
    private long morselRows;

    /// @param lastRow offset + limit, or [Long#MAX_VALUE]
    /// @param top what the workers share, or null
    /// @param first of windows; null for all rows
    public SortSink(
            List<SortKey> keys,
            List<DataType> types,
            long lastRow,
            TopN top,
            FirstOfPartitions first,
            int tileRows,
            MemoryBudget budget) {
        super(types, tileRows, budget);
        this.keys = keys;
        this.top = top;
        this.first = first;
        this.seen = first == null ? null : first.newSeen(types, tileRows, rows().reservation());
        this.bars = first == null ? null : first.newBars(types, tileRows, budget);
        this.budget = budget;
        this.keyTypes = keys.stream().map(key -> types.get(key.output())).toList();
        this.ownKeys = IntStream.range(0, keys.size())
                .mapToObj(place -> new SortKey(
                        place, keys.get(place).descending(), keys.get(place).nullsFirst()))
                .toList();
        this.kept = new int[top == null ? 0 : (tileRows + 63) & -64];
        this.lastRow = lastRow;
        this.values = new Vector[types.size()];
        this.admitted = new Mask(tileRows);
    }

    @Override
    public void startMorsel(Morsel started) {
        morsel = started.index();
        lastMorsel = Math.max(lastMorsel, morsel);
        morselRows = 0;
        rows().startMorsel(morsel);
    }

    @Override
    public boolean readsBackwards() {
        return seen != null && seen.isBackwards();
    }

    @Override
    public void startTile(int firstRow) {
        if (readsBackwards()) {
            rows().startRun(morsel, firstRow);
        }
    }

    @Override
    public boolean isSpent() {
        return seen != null && seen.isComplete();
    }

    @Override
    public void endRows() {
        if (bars != null) {
            bars.close();
        }
    }

    @Override
    public void consume(TileOutputs outputs, Mask selected) {
        countRowsOut(selected.count());
        morselRows += selected.count();
        if (lastRow == 0) {
            return;
        }
        Mask wanted = seen == null ? selected : seen.unseen(outputs, selected);
        if (bars != null) {
            wanted = bars.admitted(outputs, wanted, morsel == lastMorsel);
        }
        if (wanted.isEmpty()) {
            return;
        }
        SortBar bar = top == null ? null : top.bar();
        if (bar != null) {
            Vector first = outputs.get(keys.getFirst().output(), selected);
            bar.admit(first, selected, admitted, kept, morsel, this);
            if (admitted.isEmpty()) {
                return;
            }
            wanted = admitted;
        }
        if (top != null && wanted.count() / TILE_SHARE >= lastRow && values.length > keys.size()) {
            wanted = firstOf(outputs, wanted);
        }
        for (int index = 0; index < values.length; index++) {
            values[index] = outputs.get(index, wanted);
        }
        rows().append(values, wanted);
        int count = rows().rowCount();
        if (count >= MIN_ROWS_TO_PRUNE && count / 4 >= lastRow && keys.isEmpty()) {
            rows().retain(IntStream.range(0, (int) lastRow).toArray(), (int) lastRow);
        } else if (top != null && count >= MIN_ROWS_TO_PRUNE && count >= mostRows(lastRow)) {
            prune();
        } else if (first != null && first.isDue(count, budget)) {
            first.prune(rows());
        }
    }

    /// Of many rows, those that are the first of them by their keys alone, which set a bar at once. For the rest other
    /// columns are not loaded: of a wide table, what a first tile has would be more than all that comes after it.
    private Mask firstOf(TileOutputs outputs, Mask rows) {
        int keep = (int) lastRow;
        try (RowStore own = new RowStore(keyTypes, budget)) {
            Vector[] vectors = new Vector[keyTypes.size()];
            for (int key = 0; key < vectors.length; key++) {
                vectors[key] = outputs.get(keys.get(key).output(), rows);
            }
            own.startMorsel(morsel);
            own.append(vectors, rows);
            try (RowSort sort = RowSort.selecting(own, ownKeys, keep)) {
                sort.run();
                top.offer(SortBar.of(own.column(0), sort.ids()[keep - 1], keys, lastMorsel, this));
                int[] staying = ascending(sort.ids(), keep, own.rowCount());
                int[] indexes = rows.indexes();
                for (int place = 0; place < keep; place++) {
                    kept[place] = indexes[staying[place]];
                }
            }
        }
        admitted.setIndexes(kept, keep, rows.rowCount());
        return admitted;
    }

    /// How many rows a worker has before it forgets all but the first `lastRow`.
    public static long mostRows(long lastRow) {
        return lastRow < MANY_ROWS ? 4 * lastRow : 2 * lastRow;
    }

    /// Where few rows come through, a bar is worth a sort of them as soon as there can be one: it may rule out all
    /// morsels to come.
    @Override
    public void endMorsel(Morsel ended) {
        super.endMorsel(ended);
        boolean isFew = lastRow > 0 && lastRow <= rows().rowCount() && lastRow < MIN_ROWS_TO_PRUNE;
        if (top != null && top.knowsMorsels() && isFew && morselRows > 0) {
            prune();
        }
    }

    /// The first `lastRow` rows of one worker in order are all that can matter.
    private void prune() {
        int keep = (int) lastRow;
        try (Reservation scratch = new Reservation(rows().reservation().budget());
                RowSort sort = RowSort.selecting(rows(), keys, keep)) {
            sort.run();
            int last = sort.ids()[keep - 1];
            scratch.grow(keep * 4L + rows().rowCount() / 8);
            int[] staying = ascending(sort.ids(), keep, rows().rowCount());
            ValueStore first = rows().column(keys.getFirst().output());
            top.offer(SortBar.of(first, last, keys, lastMorsel, this));
            rows().retain(staying, keep);
        }
    }

    /// The first `count` of some rows, in scan order.
    private static int[] ascending(int[] rows, int count, int rowCount) {
        if (count < rowCount >>> 6) {
            int[] ascending = Arrays.copyOf(rows, count);
            Arrays.sort(ascending);
            return ascending;
        }
        long[] bits = new long[Bits.words(rowCount)];
        for (int index = 0; index < count; index++) {
            bits[rows[index] >>> 6] |= 1L << rows[index];
        }
        int[] ascending = new int[count];
        int next = 0;
        for (int word = 0; word < bits.length; word++) {
            for (long rest = bits[word]; rest != 0; rest &= rest - 1) {
                ascending[next++] = (word << 6) + Long.numberOfTrailingZeros(rest);
            }
        }
        return ascending;
    }

    @Override
    public boolean isMorselDone() {
        return lastRow == 0 || isSpent() || keys.isEmpty() && morselRows >= lastRow;
    }

    /// Gives out the rows by the hash of some columns, the index of each row's morsel as a last column, and leaves the
    /// sink empty.
    public void exportWithMorsels(List<Integer> columns, int firstBit, int partitionCount, PartitionReceiver receiver) {
        rows().exportWithMorsels(columns, firstBit, partitionCount, receiver);
        rows().startMorsel(morsel);
    }

    /// Gives out the rows in an order, the index of each row's morsel as a last column, and leaves the sink empty.
    ///
    /// - Memory: each batch is a view, of use until the receiver returns.
    void exportSorted(List<SortKey> order, long chunkBytes, Consumer<Batch> receiver) {
        rows().exportSorted(order, chunkBytes, receiver);
        rows().startMorsel(morsel);
    }
}
