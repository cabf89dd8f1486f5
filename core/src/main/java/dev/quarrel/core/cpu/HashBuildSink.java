package dev.quarrel.core.cpu;

import dev.quarrel.core.column.Batch;
import dev.quarrel.core.device.Morsel;
import dev.quarrel.core.ir.Sink;
import dev.quarrel.core.run.MemoryBudget;
import dev.quarrel.core.type.DataType;
import dev.quarrel.core.type.Schema;
import java.util.List;
import java.util.function.Consumer;

/// Gathers the rows of a build side: keys, then payload. Rows with a NULL key are left out, unless somebody
/// asks for them.
final class HashBuildSink implements TileSink {
    private final int[] outputs;
    private final int keyCount;
    private final boolean nullKeys;
    private final int tileRows;
    private final Vector[] values;
    private final Mask present;
    private RowStore rows;
    private long rowsOut;

    HashBuildSink(Sink.HashBuild sink, List<DataType> rowTypes, int tileRows, MemoryBudget budget) {
        this.keyCount = sink.keys().size();
        this.nullKeys = sink.nullKeys();
        this.outputs = new int[rowTypes.size()];
        for (int index = 0; index < outputs.length; index++) {
            outputs[index] =
                    index < keyCount ? sink.keys().get(index) : sink.payload().get(index - keyCount);
        }
        this.tileRows = tileRows;
        this.values = new Vector[outputs.length];
        this.present = new Mask(tileRows);
        this.rows = new RowStore(rowTypes, budget);
    }

    /// The rows, which are the caller's from here on.
    RowStore takeRows() {
        RowStore taken = rows;
        rows = new RowStore(taken.types(), taken.reservation().budget());
        return taken;
    }

    int rowCount() {
        return rows.rowCount();
    }

    @Override
    public void startMorsel(Morsel morsel) {
        rows.startMorsel(morsel.index());
    }

    @Override
    public void consume(TileOutputs tile, Mask selected) {
        present.set(selected);
        for (int key = 0; key < keyCount; key++) {
            values[key] = tile.get(outputs[key], selected);
            if (!nullKeys && values[key].validity() != null) {
                present.setAnd(present, values[key].validity());
            }
        }
        if (present.isEmpty()) {
            return;
        }
        for (int index = keyCount; index < outputs.length; index++) {
            values[index] = tile.get(outputs[index], present);
        }
        rows.append(values, present);
        rowsOut += present.count();
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

    @Override
    public void exportPartitions(int firstBit, int partitionCount, PartitionReceiver receiver) {
        rows.exportPartitions(keyCount, firstBit, partitionCount, receiver);
    }

    @Override
    public void close() {
        rows.close();
    }
}
