package dev.quarrel.core.cpu.sink;

import dev.quarrel.core.budget.MemoryBudget;
import dev.quarrel.core.cpu.tile.Mask;
import dev.quarrel.core.cpu.tile.TileOutputs;
import dev.quarrel.core.cpu.tile.Vector;
import dev.quarrel.core.type.DataType;
import java.util.List;

/// Gathers all rows, in no order.
public final class CollectSink extends RowSink {
    private final Vector[] values;

    public CollectSink(List<DataType> types, int tileRows, MemoryBudget budget) {
        super(types, tileRows, budget);
        this.values = new Vector[types.size()];
    }

    @Override
    public void consume(TileOutputs outputs, Mask selected) {
        countRowsOut(selected.count());
        for (int index = 0; index < values.length; index++) {
            values[index] = outputs.get(index, selected);
        }
        rows().append(values, selected);
    }
}
