package dev.quarrel.core.cpu;

import dev.quarrel.core.column.Batch;
import dev.quarrel.core.device.Morsel;
import dev.quarrel.core.run.MemoryBudget;
import dev.quarrel.core.type.DataType;
import dev.quarrel.core.type.Schema;
import java.util.List;
import java.util.function.Consumer;

/// Gathers the last rows of each morsel, whose tiles come from the end to the start.
final class LastRowsSink implements TileSink {
    private final long wanted;
    private final int tileRows;
    private final Vector[] values;
    private RowStore rows;
    private int morsel;
    private long morselRows;
    private long rowsOut;

    /// @param wanted rows
    LastRowsSink(List<DataType> types, long wanted, int tileRows, MemoryBudget budget) {
        this.wanted = wanted;
        this.tileRows = tileRows;
        this.values = new Vector[types.size()];
        this.rows = new RowStore(types, budget);
    }

    RowStore takeRows() {
        RowStore taken = rows;
        rows = new RowStore(taken.types(), taken.reservation().budget());
        return taken;
    }

    @Override
    public boolean readsBackwards() {
        return true;
    }

    @Override
    public void startMorsel(Morsel started) {
        morsel = started.index();
        morselRows = 0;
    }

    @Override
    public void startTile(int firstRow) {
        rows.startRun(morsel, firstRow);
    }

    @Override
    public void consume(TileOutputs outputs, Mask selected) {
        for (int index = 0; index < values.length; index++) {
            values[index] = outputs.get(index, selected);
        }
        rows.append(values, selected);
        morselRows += selected.count();
        rowsOut += selected.count();
    }

    @Override
    public boolean isMorselDone() {
        return morselRows >= wanted;
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

    /// Rows have no keys to partition by: partition 0 is all of them.
    @Override
    public void exportPartitions(int firstBit, int partitionCount, PartitionReceiver receiver) {
        rows.exportChunks(
                null, null, RowStore.chunkBytes(rows.reservation().budget()), batch -> receiver.accept(0, batch));
        rows.clear();
    }

    @Override
    public void close() {
        rows.close();
    }
}
