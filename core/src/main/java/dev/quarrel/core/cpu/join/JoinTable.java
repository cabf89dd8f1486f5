package dev.quarrel.core.cpu.join;

import dev.quarrel.core.budget.BudgetArena;
import dev.quarrel.core.budget.Reservation;
import dev.quarrel.core.column.Batch;
import dev.quarrel.core.cpu.rows.IntStore;
import dev.quarrel.core.cpu.rows.KeyIndex;
import dev.quarrel.core.cpu.rows.LongStore;
import dev.quarrel.core.cpu.rows.RowStore;
import dev.quarrel.core.cpu.rows.ValueStore;
import dev.quarrel.core.device.Materialized;
import dev.quarrel.core.ir.Join;
import dev.quarrel.core.ir.Pipeline;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Map;

/// The build side of joins: its rows (keys, then payload) in scan order, and an index over the keys.
///
/// With unique keys, a key's number in the index is its row. Otherwise rows of key k are
/// `order[starts[k]]` … `order[starts[k + 1] - 1]`, in scan order. Rows with a NULL key, where the sink keeps
/// them, are in no list.
public final class JoinTable implements Materialized {
    /// Above it a bit test before the look-up in the dense array saves cache misses.
    private static final int BITMAP_ABOVE = 1 << 15;

    private final Pipeline pipeline;
    private final RowStore rows;
    private final int keyCount;
    private final Reservation reservation;
    private final BudgetArena dictionaries;
    private final Sweep sweep; // or null
    private final KeyIndex index;
    private final long[] min;
    private final long[] max;
    private final boolean unique;
    private boolean nullKeys;
    private boolean isPart; // of a build side that has rows
    private final int[] starts;
    private final int[] order;
    private int[] bitmap;
    private final Map<Integer, KeySet> keySets = new HashMap<>(); // by column; guarded by this
    private final Map<Integer, NearestRows> nearest = new HashMap<>(); // by payload column; guarded by this
    private BudgetArena neutral;
    private final Batch[] batches;

    /// Which rows have which key.
    ///
    /// @param min what integer keys lie between, by column; null where some key is no integer, or there is none
    /// @param unique whether each key is that of one row: then its number is that row
    /// @param starts by number, where its rows begin in `order`; the next number's start is where they end. Empty
    ///     for unique keys
    record Keys(KeyIndex index, long[] min, long[] max, boolean unique, boolean nullKeys, int[] starts, int[] order) {}

    /// @param rows `reservation`, `dictionaries` and `sweep` too are owned from here on
    /// @param sweep what reads the rows that are not here; null where all are
    JoinTable(
            Pipeline pipeline,
            RowStore rows,
            int keyCount,
            Keys keys,
            Reservation reservation,
            BudgetArena dictionaries,
            Sweep sweep) {
        this.pipeline = pipeline;
        this.rows = rows;
        this.keyCount = keyCount;
        this.reservation = reservation;
        this.dictionaries = dictionaries;
        this.sweep = sweep;
        this.index = keys.index;
        this.min = keys.min;
        this.max = keys.max;
        this.unique = keys.unique;
        this.nullKeys = keys.nullKeys;
        this.starts = keys.starts;
        this.order = keys.order;
        this.batches = new Batch[(rows.rowCount() + RowStore.BATCH_ROWS - 1) / RowStore.BATCH_ROWS];
    }

    /// Whether the one key is an Int or Long whose numbers stand in the index's dense array.
    public boolean isDenseInteger() {
        return keyCount == 1
                && index.isDense()
                && index.denseSpan() > 0
                && (rows.column(0) instanceof IntStore || rows.column(0) instanceof LongStore);
    }

    /// Whether a look at `bitmap()` before the one in the dense array saves cache misses.
    boolean prefersBitmap() {
        return isDenseInteger() && index.denseSpan() >= BITMAP_ABOVE;
    }

    /// A bit a place of the dense array, 32 a number: made for the first who asks.
    public synchronized int[] bitmap() {
        if (bitmap == null) {
            int places = index.denseSpan();
            reservation.grow(places / 8L + 4);
            int[] numbers = index.denseNumbers();
            int[] bits = new int[places / 32 + 1];
            for (int place = 0; place < places; place++) {
                bits[place >>> 5] |= ~numbers[place] >>> 31 << place;
            }
            bitmap = bits;
        }
        return bitmap;
    }

    /// The values of a column as a set, made for the first who asks; null where they are no integers, or where memory
    /// is short.
    ///
    /// @param column of the rows: keys, then payload
    public synchronized KeySet keySet(int column) {
        if (!keySets.containsKey(column)) {
            keySets.put(column, KeySet.of(this, column, reservation));
        }
        return keySets.get(column);
    }

    /// One worker's search for the nearest rows of an ASOF join.
    NearestSearch newSearch(Join join) {
        return sweep != null
                ? new SweepSearch(sweep, this, join)
                : new NearestRows.Search(
                        this, nearest(join.nearest().payload()), join.nearest().relation());
    }

    /// The rows of each key in the order of a payload column, made for the first who asks.
    synchronized NearestRows nearest(int column) {
        return nearest.computeIfAbsent(column, _ -> NearestRows.of(this, column, reservation));
    }

    /// A column of the rows, which are keys, then payload.
    ValueStore column(int column) {
        return rows.column(column);
    }

    /// Says that this holds some of the rows of a build side, as a NULL of NOT IN is one for all of them.
    ///
    /// @param newNullKeys whether some row of the whole has a NULL key
    void standFor(boolean newNullKeys) {
        nullKeys = newNullKeys;
        isPart = true;
    }

    /// Whether the build side has no row.
    boolean isEmptyBuild() {
        return !isPart && rows.rowCount() == 0;
    }

    /// Whether `minKey` and `maxKey` are known.
    public boolean hasRanges() {
        return min != null;
    }

    public long minKey(int key) {
        return min[key];
    }

    public long maxKey(int key) {
        return max[key];
    }

    public KeyIndex index() {
        return index;
    }

    public boolean isUnique() {
        return unique;
    }

    /// Whether some row has a NULL key.
    boolean hasNullKeys() {
        return nullKeys;
    }

    int[] starts() {
        return starts;
    }

    int[] order() {
        return order;
    }

    int keyCount() {
        return keyCount;
    }

    public ValueStore payload(int column) {
        return rows.column(keyCount + column);
    }

    @Override
    public Pipeline pipeline() {
        return pipeline;
    }

    @Override
    public long rowCount() {
        return rows.rowCount();
    }

    @Override
    public int batchCount() {
        return batches.length;
    }

    @Override
    public int batchRows(int batch) {
        return Math.min(RowStore.BATCH_ROWS, rows.rowCount() - batch * RowStore.BATCH_ROWS);
    }

    @Override
    public synchronized Batch batch(int batch) {
        if (batches[batch] == null) {
            if (neutral == null) {
                neutral = new BudgetArena(reservation.budget());
            }
            int count = batchRows(batch);
            batches[batch] = Batch.view(
                    RowStore.schema(rows.types()),
                    new ArrayList<>(rows.toColumns(null, batch * RowStore.BATCH_ROWS, count, neutral)),
                    count);
        }
        return batches[batch];
    }

    @Override
    public void close() {
        if (neutral != null) {
            neutral.close();
        }
        if (sweep != null) {
            sweep.close();
        }
        rows.close();
        dictionaries.close();
        reservation.close();
    }
}
