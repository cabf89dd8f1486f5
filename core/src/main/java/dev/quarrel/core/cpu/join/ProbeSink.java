package dev.quarrel.core.cpu.join;

import dev.quarrel.core.budget.MemoryBudget;
import dev.quarrel.core.column.Batch;
import dev.quarrel.core.cpu.rows.RowStore;
import dev.quarrel.core.cpu.sink.MemoryPressure;
import dev.quarrel.core.cpu.sink.PartitionedRows;
import dev.quarrel.core.cpu.sink.TileSink;
import dev.quarrel.core.cpu.tile.Mask;
import dev.quarrel.core.cpu.tile.TileOutputs;
import dev.quarrel.core.cpu.tile.Vector;
import dev.quarrel.core.type.DataType;
import dev.quarrel.core.type.Schema;
import java.util.List;
import java.util.function.Consumer;

/// Writes the rows that are to probe a build side in files to files of their own, by the same partitions.
final class ProbeSink implements TileSink {
    /// Rows are gathered up to so many bytes, memory allowing, so that a partition's part is worth a write.
    private static final long BUFFER_BYTES = 8 << 20;

    private final int[] outputs;
    private final int keyCount;
    private final PartitionedRows to;
    private final MemoryPressure pressure;
    private final Vector[] values;
    private final RowStore rows;

    /// @param outputs keys first
    ProbeSink(int[] outputs, List<DataType> types, int keyCount, PartitionedRows to, MemoryPressure pressure) {
        this.outputs = outputs;
        this.keyCount = keyCount;
        this.to = to;
        this.pressure = pressure;
        this.values = new Vector[outputs.length];
        MemoryBudget budget = pressure.budget();
        this.rows = new RowStore(types, budget);
    }

    @Override
    public void consume(TileOutputs tile, Mask selected) {
        for (int index = 0; index < outputs.length; index++) {
            values[index] = tile.get(outputs[index], selected);
        }
        rows.append(values, selected);
        long bytes = rows.reservation().bytes();
        if (bytes >= BUFFER_BYTES || pressure.isDue(bytes, 3 * bytes)) {
            flush();
        }
    }

    void flush() {
        if (rows.rowCount() > 0) {
            to.add((firstBit, count, receiver) -> rows.exportPartitions(keyCount, firstBit, count, receiver));
        }
    }

    @Override
    public long takeRowsOut() {
        return 0;
    }

    @Override
    public Schema layout() {
        return RowStore.schema(rows.types());
    }

    @Override
    public void exportTo(Consumer<Batch> receiver) {
        throw new UnsupportedOperationException("probe rows stay where they are");
    }

    @Override
    public void transferIn(Batch content) {
        content.close();
        throw new UnsupportedOperationException("probe rows stay where they are");
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
