package dev.quarrel.core.cpu;

import dev.quarrel.core.column.Batch;
import dev.quarrel.core.device.Morsel;
import dev.quarrel.core.ir.SortKey;
import dev.quarrel.core.run.MemoryBudget;
import dev.quarrel.core.run.Reservation;
import dev.quarrel.core.type.DataType;
import dev.quarrel.core.type.Schema;
import java.util.Arrays;
import java.util.List;
import java.util.function.Consumer;

/// Gathers rows to sort. With a small limit it now and then forgets those that cannot be among the first.
final class SortSink implements TileSink {
    private static final int MIN_ROWS_TO_PRUNE = 1 << 12;

    private final List<SortKey> keys;
    private final long lastRow;
    private final int tileRows;
    private final Vector[] values;
    private final Mask admitted;
    private RowStore rows;
    private SortBar bar; // what the first key must reach once enough rows are there
    private int morselIndex;
    private long rowsOut;

    /// @param lastRow offset + limit, or [Long#MAX_VALUE]
    SortSink(List<SortKey> keys, List<DataType> types, long lastRow, int tileRows, MemoryBudget budget) {
        this.keys = keys;
        this.lastRow = lastRow;
        this.tileRows = tileRows;
        this.values = new Vector[types.size()];
        this.admitted = new Mask(tileRows);
        this.rows = new RowStore(types, budget);
    }

    RowStore takeRows() {
        RowStore taken = rows;
        rows = new RowStore(taken.types(), taken.reservation().budget());
        return taken;
    }

    @Override
    public void startMorsel(Morsel morsel) {
        morselIndex = morsel.index();
        rows.startMorsel(morselIndex);
    }

    @Override
    public void consume(TileOutputs outputs, Mask selected) {
        rowsOut += selected.count();
        if (lastRow == 0) {
            return;
        }
        Mask wanted = selected;
        if (bar != null) {
            bar.admit(outputs.get(keys.getFirst().output(), selected), selected, admitted);
            if (admitted.isEmpty()) {
                return;
            }
            wanted = admitted;
        }
        for (int index = 0; index < values.length; index++) {
            values[index] = outputs.get(index, wanted);
        }
        rows.append(values, wanted);
        prune();
    }

    /// Rows of one worker are in scan order, so the first `lastRow` of them in order are all that can matter.
    private void prune() {
        int count = rows.rowCount();
        if (lastRow >= Integer.MAX_VALUE / 8 || count < MIN_ROWS_TO_PRUNE || count < 4 * lastRow) {
            return;
        }
        int keep = (int) lastRow;
        int[] order = keys.isEmpty() ? null : SortOrder.of(rows, keys, keep);
        int[] kept = new int[keep];
        for (int index = 0; index < keep; index++) {
            kept[index] = order == null ? index : order[index];
        }
        Arrays.sort(kept);
        if (order != null) {
            bar = SortBar.of(rows.column(keys.getFirst().output()), order[keep - 1], keys);
        }
        rows.retain(kept, keep);
    }

    @Override
    public boolean isMorselDone() {
        return lastRow == 0;
    }

    @Override
    public long takeRowsOut() {
        long count = rowsOut;
        rowsOut = 0;
        return count;
    }

    @Override
    public Schema layout() {
        return RowStore.schema(rows.types());
    }

    @Override
    public void exportTo(Consumer<Batch> receiver) {
        rows.exportTo(null, rows.rowCount(), receiver);
        rows.clear();
    }

    @Override
    public void transferIn(Batch content) {
        try (content) {
            rows.startMorsel(Integer.MAX_VALUE);
            rows.append(content, tileRows);
        }
    }

    @Override
    public long reservedBytes() {
        return rows.reservation().bytes();
    }

    /// Rows to sort have no keys to partition by: partition 0 is all of them.
    @Override
    public void exportPartitions(int firstBit, int partitionCount, PartitionReceiver receiver) {
        rows.exportChunks(null, null, RowStore.CHUNK_BYTES, batch -> receiver.accept(0, batch));
        rows.clear();
    }

    int rowCount() {
        return rows.rowCount();
    }

    /// Gives out the rows in order, the index of each row's morsel as a last column, and leaves the sink empty.
    ///
    /// - Memory: each batch is a view, of use until the receiver returns.
    void exportSorted(long chunkBytes, Consumer<Batch> receiver) {
        int[] order = keys.isEmpty() ? null : SortOrder.of(rows, keys);
        try (Reservation scratch = new Reservation(rows.reservation().budget())) {
            scratch.growToSpill(rows.rowCount() * 4L);
            rows.exportChunks(order, rows.morsels(), chunkBytes, receiver);
        }
        rows.clear();
        rows.startMorsel(morselIndex);
    }

    @Override
    public void close() {
        rows.close();
    }
}
