package dev.quarrel.core.cpu.sink;

import dev.quarrel.core.budget.MemoryBudget;
import dev.quarrel.core.column.Batch;
import dev.quarrel.core.cpu.rows.RowStore;
import dev.quarrel.core.cpu.tile.Mask;
import dev.quarrel.core.cpu.tile.TileOutputs;
import dev.quarrel.core.cpu.tile.Vector;
import dev.quarrel.core.device.Morsel;
import dev.quarrel.core.device.ResultChannel;
import dev.quarrel.core.type.DataType;
import dev.quarrel.core.type.Schema;
import java.util.List;
import java.util.function.Consumer;

/// Hands a morsel's rows to the result channel in batches.
public final class ResultSink implements TileSink {
    /// Rows of a batch for the reader: it should get the first ones soon.
    private static final int BATCH_ROWS = 1 << 14;
    /// And bytes, about: rows may be long.
    private static final long BATCH_BYTES = 4 << 20;

    private final RowStore rows;
    private final ResultChannel channel;
    private final long lastRow;
    private final Vector[] values;
    private Morsel morsel;
    private long morselRows;
    private long rowsOut;

    /// @param lastRow rows of a morsel that can matter at most
    public ResultSink(List<DataType> types, ResultChannel channel, long lastRow, MemoryBudget budget) {
        this.rows = new RowStore(types, budget);
        this.channel = channel;
        this.lastRow = lastRow;
        this.values = new Vector[types.size()];
    }

    @Override
    public void startMorsel(Morsel newMorsel) {
        morsel = newMorsel;
        morselRows = 0;
        rows.reset();
    }

    @Override
    public void consume(TileOutputs outputs, Mask selected) {
        for (int index = 0; index < values.length; index++) {
            values[index] = outputs.get(index, selected);
        }
        rows.append(values, selected);
        morselRows += selected.count();
        rowsOut += selected.count();
        if (rows.rowCount() >= BATCH_ROWS || rows.reservation().bytes() >= BATCH_BYTES) {
            // A join may make rows without end of a morsel.
            channel.awaitRoom(morsel);
            flush();
        }
    }

    private void flush() {
        if (rows.rowCount() > 0) {
            rows.exportTo(null, rows.rowCount(), batch -> channel.transfer(morsel, batch));
            rows.reset();
        }
    }

    @Override
    public boolean isMorselDone() {
        return morselRows >= lastRow;
    }

    @Override
    public void endMorsel(Morsel ended) {
        flush();
    }

    @Override
    public long takeRowsOut() {
        long count = rowsOut;
        rowsOut = 0;
        return count;
    }

    @Override
    public Schema layout() {
        return new Schema(List.of());
    }

    @Override
    public void exportTo(Consumer<Batch> receiver) {
        // Rows have left by the channel.
    }

    @Override
    public void transferIn(Batch content) {
        content.close();
        throw new UnsupportedOperationException("rows of a result leave by the channel");
    }

    @Override
    public long reservedBytes() {
        return rows.reservation().bytes();
    }

    @Override
    public void exportPartitions(int firstBit, int partitionCount, PartitionReceiver receiver) {
        // Nothing is kept.
    }

    @Override
    public void close() {
        rows.close();
    }
}
