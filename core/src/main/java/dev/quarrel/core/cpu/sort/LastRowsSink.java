package dev.quarrel.core.cpu.sort;

import dev.quarrel.core.budget.MemoryBudget;
import dev.quarrel.core.cpu.sink.RowSink;
import dev.quarrel.core.cpu.tile.Mask;
import dev.quarrel.core.cpu.tile.TileOutputs;
import dev.quarrel.core.cpu.tile.Vector;
import dev.quarrel.core.device.Morsel;
import dev.quarrel.core.type.DataType;
import java.util.List;

/// Gathers the last rows of each morsel, whose tiles come from the end to the start.
public final class LastRowsSink extends RowSink {
    private final long wanted;
    private final Vector[] values;
    private int morsel;
    private long morselRows;

    /// @param wanted rows
    public LastRowsSink(List<DataType> types, long wanted, int tileRows, MemoryBudget budget) {
        super(types, tileRows, budget);
        this.wanted = wanted;
        this.values = new Vector[types.size()];
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
        rows().startRun(morsel, firstRow);
    }

    @Override
    public void consume(TileOutputs outputs, Mask selected) {
        for (int index = 0; index < values.length; index++) {
            values[index] = outputs.get(index, selected);
        }
        rows().append(values, selected);
        morselRows += selected.count();
        countRowsOut(selected.count());
    }

    @Override
    public boolean isMorselDone() {
        return morselRows >= wanted;
    }
}
