package dev.quarrel.core.cpu;

import dev.quarrel.core.column.Batch;
import dev.quarrel.core.device.Materialized;
import dev.quarrel.core.ir.Pipeline;
import dev.quarrel.core.run.BudgetArena;
import dev.quarrel.core.run.MemoryBudget;
import dev.quarrel.core.run.Reservation;
import dev.quarrel.core.type.DataType;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;

/// The build side of joins: its rows (keys, then payload) in scan order, and an index over the keys.
///
/// With unique keys, a key's number in the index is its row. Otherwise rows of key k are
/// `order[starts[k]]` … `order[starts[k + 1] - 1]`, in scan order. Rows with a NULL key, where the sink keeps
/// them, are in
/// no list.
final class JoinTable implements Materialized {
    private static final long SMALL_DENSE = 1 << 20;
    private static final long LARGE_DENSE = 1 << 24;
    private static final int LARGE_BUILD = 4096;
    /// Above it a bit test before the look-up in the dense array saves cache misses.
    private static final int BITMAP_ABOVE = 1 << 15;

    private static final int MIN_ENCODED_ROWS = 64;
    private static final int MAX_ENTRIES = 1 << 16;

    private final Pipeline pipeline;
    private final RowStore rows;
    private final int keyCount;
    private final Reservation reservation;
    private final BudgetArena dictionaries;
    private final KeyIndex index;
    private final boolean unique;
    private boolean nullKeys;
    private int[] starts = new int[0];
    private int[] order = new int[0];
    private int[] bitmap;
    private BudgetArena neutral;
    private final Batch[] batches;

    /// @param rows owned from here on, also when this fails
    JoinTable(Pipeline pipeline, RowStore rows, int keyCount, int tileRows, MemoryBudget budget) {
        this(pipeline, rows, keyCount, tileRows, budget, true);
    }

    /// @param encodes whether text may become codes of a dictionary, which rows that come out then need: not where
    ///     this closes before the query ends
    JoinTable(Pipeline pipeline, RowStore rows, int keyCount, int tileRows, MemoryBudget budget, boolean encodes) {
        this.pipeline = pipeline;
        this.rows = rows;
        this.keyCount = keyCount;
        this.reservation = new Reservation(budget);
        this.dictionaries = new BudgetArena(budget);
        this.batches = new Batch[(rows.rowCount() + RowStore.BATCH_ROWS - 1) / RowStore.BATCH_ROWS];
        boolean done = false;
        try {
            int rowCount = rows.rowCount();
            int[] keyOf = new int[0];
            List<DataType> keyTypes = rows.types().subList(0, keyCount);
            this.index = new KeyIndex(
                    keyTypes,
                    reservation,
                    Math.min(
                            budget.limitBytes() / 64,
                            Math.max(8L * rowCount, rowCount < LARGE_BUILD ? SMALL_DENSE : LARGE_DENSE)));
            expectRange();
            reservation.grow(rowCount * 4L);
            keyOf = new int[rowCount];
            if (keyCount == 1
                    && index.isDense()
                    && index.denseSpan() > 0
                    && rows.column(0).isAllPresent()) {
                addDenseKeys(keyOf);
            } else {
                addKeys(keyOf, tileRows);
            }
            this.unique = index.size() == rowCount;
            if (!unique) {
                makeLists(keyOf);
            }
            reservation.shrink(rowCount * 4L);
            if (encodes) {
                encodeText();
            }
            done = true;
        } finally {
            if (!done) {
                close();
            }
        }
    }

    /// Tells the index what integer keys lie between.
    private void expectRange() {
        int count = rows.rowCount();
        long[] min = new long[keyCount];
        long[] max = new long[keyCount];
        for (int key = 0; key < keyCount; key++) {
            min[key] = Long.MAX_VALUE;
            max[key] = Long.MIN_VALUE;
            switch (rows.column(key)) {
                case IntStore ints -> {
                    for (int row = 0; row < count; row++) {
                        if (ints.isPresent(row)) {
                            min[key] = Math.min(min[key], ints.values()[row]);
                            max[key] = Math.max(max[key], ints.values()[row]);
                        }
                    }
                }
                case LongStore longs -> {
                    for (int row = 0; row < count; row++) {
                        if (longs.isPresent(row)) {
                            min[key] = Math.min(min[key], longs.values()[row]);
                            max[key] = Math.max(max[key], longs.values()[row]);
                        }
                    }
                }
                case BoolStore _, FloatStore _, DoubleStore _, DecimalStore _, TextStore _ -> {
                    return;
                }
            }
            if (min[key] > max[key]) {
                return; // NULLs alone
            }
        }
        if (keyCount == 1) {
            index.expect(min[0], max[0], count);
        } else if (keyCount > 1) {
            index.expect(min, max, count);
        }
    }

    /// Integers whose range is known go straight to their places.
    private void addDenseKeys(int[] keyOf) {
        switch (rows.column(0)) {
            case IntStore ints -> index.assignDense(ints.values(), keyOf);
            case LongStore longs -> index.assignDense(longs.values(), keyOf);
            case BoolStore _, FloatStore _, DoubleStore _, DecimalStore _, TextStore _ ->
                throw new IllegalStateException("a range of " + rows.types().getFirst());
        }
    }

    private void addKeys(int[] keyOf, int tileRows) {
        int tile = Math.max(tileRows, 64);
        KeyScratch scratch = new KeyScratch(keyCount, tile);
        Vector[] keys = IntStream.range(0, keyCount)
                .mapToObj(key -> Vector.of(rows.types().get(key), tile))
                .toArray(Vector[]::new);
        Mask all = new Mask(tile);
        Mask present = new Mask(tile);
        int[] ids = new int[tile];
        for (int first = 0; first < rows.rowCount(); first += tile) {
            int count = Math.min(tile, rows.rowCount() - first);
            all.setAll(count);
            for (int row = 0; row < count; row++) {
                ids[row] = first + row;
            }
            present.set(all);
            for (int key = 0; key < keyCount; key++) {
                rows.column(key).gather(ids, all, keys[key], false);
                if (keys[key].validity() != null) {
                    present.setAnd(present, keys[key].validity());
                }
            }
            reservation.budget().checkStop();
            index.assign(keys, present, scratch);
            if (present.isFull()) {
                System.arraycopy(scratch.ids, 0, keyOf, first, count);
            } else {
                nullKeys = true;
                Arrays.fill(keyOf, first, first + count, -1);
                int[] indexes = present.indexes();
                for (int index = 0; index < present.count(); index++) {
                    keyOf[first + indexes[index]] = scratch.ids[index];
                }
            }
        }
    }

    private void makeLists(int[] keyOf) {
        reservation.grow((index.size() + 1L + keyOf.length) * 4);
        starts = new int[index.size() + 1];
        order = new int[keyOf.length];
        for (int key : keyOf) {
            if (key >= 0) {
                starts[key + 1]++;
            }
        }
        for (int key = 0; key < index.size(); key++) {
            starts[key + 1] += starts[key];
        }
        int[] next = Arrays.copyOf(starts, index.size());
        for (int row = 0; row < keyOf.length; row++) {
            if (keyOf[row] >= 0) {
                order[next[keyOf[row]]++] = row;
            }
        }
    }

    private void encodeText() {
        int count = rows.rowCount();
        if (count < MIN_ENCODED_ROWS) {
            return;
        }
        for (int column = keyCount; column < rows.types().size(); column++) {
            if (rows.column(column) instanceof TextStore text) {
                text.encode(Math.min(MAX_ENTRIES, count / 2), dictionaries);
            }
        }
    }

    /// Whether the one key is an Int or Long whose numbers stand in the index's dense array.
    boolean isDenseInteger() {
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
    synchronized int[] bitmap() {
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

    KeyIndex index() {
        return index;
    }

    boolean isUnique() {
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

    ValueStore payload(int column) {
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
        rows.close();
        dictionaries.close();
        reservation.close();
    }
}
