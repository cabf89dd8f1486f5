package dev.quarrel.core.cpu.join;

import dev.quarrel.core.budget.MemoryBudget;
import dev.quarrel.core.cpu.sink.RowSink;
import dev.quarrel.core.cpu.tile.Mask;
import dev.quarrel.core.cpu.tile.TileOutputs;
import dev.quarrel.core.cpu.tile.Vector;
import dev.quarrel.core.device.Morsel;
import dev.quarrel.core.ir.Sink;
import dev.quarrel.core.type.DataType;
import java.util.List;

/// The sink of a hash join's build side: it gathers rows, as keys, then payload. It leaves out rows with a NULL
/// key unless the plan asks for them.
public final class HashBuildSink extends RowSink {
    private final int[] outputs;
    private final int keyCount;
    private final boolean nullKeys;
    private final Vector[] values;
    private final Mask present;

    public HashBuildSink(Sink.HashBuild sink, List<DataType> rowTypes, int tileRows, MemoryBudget budget) {
        super(rowTypes, tileRows, budget);
        this.keyCount = sink.keys().size();
        this.nullKeys = sink.nullKeys();
        this.outputs = new int[rowTypes.size()];
        for (int index = 0; index < outputs.length; index++) {
            outputs[index] =
                    index < keyCount ? sink.keys().get(index) : sink.payload().get(index - keyCount);
        }
        this.values = new Vector[outputs.length];
        this.present = new Mask(tileRows);
    }

    @Override
    public void startMorsel(Morsel morsel) {
        rows().startMorsel(morsel.index());
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
        rows().append(values, present);
        countRowsOut(present.count());
    }

    @Override
    public void exportPartitions(int firstBit, int partitionCount, PartitionReceiver receiver) {
        rows().exportPartitions(keyCount, firstBit, partitionCount, receiver);
    }
}
