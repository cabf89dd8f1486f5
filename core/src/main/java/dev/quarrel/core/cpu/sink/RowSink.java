package dev.quarrel.core.cpu.sink;

import dev.quarrel.core.budget.MemoryBudget;
import dev.quarrel.core.column.Batch;
import dev.quarrel.core.cpu.rows.RowStore;
import dev.quarrel.core.device.Morsel;
import dev.quarrel.core.type.DataType;
import dev.quarrel.core.type.Schema;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

/// A sink that keeps rows, and hands them over as they are.
public abstract class RowSink implements TileSink {
    private final int tileRows;
    private RowStore rows;
    private long rowsOut;
    private LongSupplier sourceShare; // null: nothing is foreseen
    private long rowsRead;
    private int rowsKept;

    public RowSink(List<DataType> types, int tileRows, MemoryBudget budget) {
        this.tileRows = tileRows;
        this.rows = new RowStore(types, budget);
    }

    public final RowStore rows() {
        return rows;
    }

    public final int rowCount() {
        return rows.rowCount();
    }

    /// Foresees how many rows there will be, when all source rows that have not gone elsewhere are kept as those were
    /// that this worker has read.
    ///
    /// @param share of the source's rows that one worker will read, about; asked after each morsel
    public final void foresee(LongSupplier share) {
        sourceShare = share;
    }

    @Override
    public void endMorsel(Morsel morsel) {
        if (sourceShare == null) {
            return;
        }
        if (rowCount() < rowsKept) {
            rowsRead = 0; // spilled meanwhile: counted anew
        }
        rowsKept = rowCount();
        rowsRead += morsel.rowCount();
        long toRead = Math.max(sourceShare.getAsLong(), rowsRead) * 17 / 16;
        rows.expect((long) ((double) rowsKept / rowsRead * toRead));
    }

    /// Rows of several sinks, all of them such.
    public static long rowCount(List<TileSink> sinks) {
        return sinks.stream().mapToLong(sink -> ((RowSink) sink).rowCount()).sum();
    }

    /// The rows, which are the caller's from here on.
    public final RowStore takeRows() {
        RowStore taken = rows;
        rows = new RowStore(taken.types(), taken.reservation().budget());
        return taken;
    }

    public final void countRowsOut(int count) {
        rowsOut += count;
    }

    @Override
    public final long takeRowsOut() {
        long count = rowsOut;
        rowsOut = 0;
        return count;
    }

    @Override
    public final Schema layout() {
        return RowStore.schema(rows.types());
    }

    @Override
    public final void exportTo(Consumer<Batch> receiver) {
        rows.exportTo(null, rows.rowCount(), receiver);
        rows.clear();
    }

    @Override
    public final void transferIn(Batch content) {
        try (content) {
            rows.startMorsel(Integer.MAX_VALUE);
            rows.append(content, tileRows);
        }
    }

    @Override
    public final long reservedBytes() {
        return rows.reservation().bytes();
    }

    /// Rows without keys are not to be partitioned: partition 0 is all of them.
    @Override
    public void exportPartitions(int firstBit, int partitionCount, PartitionReceiver receiver) {
        rows.exportChunks(
                null, null, RowStore.chunkBytes(rows.reservation().budget()), batch -> receiver.accept(0, batch));
        rows.clear();
    }

    @Override
    public final void close() {
        endRows();
        rows.close();
    }
}
