package dev.quarrel.core.cpu.join;

import dev.quarrel.core.cpu.rows.ValueStore;
import dev.quarrel.core.cpu.tile.BoolVector;
import dev.quarrel.core.cpu.tile.Mask;
import dev.quarrel.core.cpu.tile.TileInput;
import dev.quarrel.core.cpu.tile.TileOutputs;
import dev.quarrel.core.cpu.tile.Vector;
import dev.quarrel.core.type.DataType;
import java.util.Arrays;
import java.util.List;
import java.util.function.IntFunction;
import java.util.function.Supplier;

/// What a program after a join loads when probe rows stay in their tile: carried vectors as they are, payload by
/// each row's build row, and the mark.
final class PlaceInput implements TileInput {
    private final List<Integer> carried;
    private final List<Integer> payload;
    private final List<DataType> types;
    private final IntFunction<ValueStore> stores;
    private final int tileRows;
    private final Supplier<int[]> buildRows;
    private final BoolVector mark;
    private final Vector[] vectors;
    private final Mask[] loaded;
    private final boolean[] isLoaded;
    private final Mask missing;
    private TileOutputs outputs = null;
    private boolean mayBeAbsent;

    /// @param types of carried columns, payload and mark
    /// @param stores the build side's payload, by column
    /// @param buildRows gives, by row, the build row of all rows asked for, negative for none; called only if a
    /// payload is
    ///     loaded
    /// @param mark null where there is none
    PlaceInput(
            List<Integer> carried,
            List<Integer> payload,
            List<DataType> types,
            IntFunction<ValueStore> stores,
            int tileRows,
            Supplier<int[]> buildRows,
            BoolVector mark) {
        this.carried = carried;
        this.payload = payload;
        this.types = types;
        this.stores = stores;
        this.tileRows = tileRows;
        this.buildRows = buildRows;
        this.mark = mark;
        this.vectors = new Vector[types.size()];
        this.loaded = new Mask[types.size()];
        this.isLoaded = new boolean[types.size()];
        this.missing = new Mask(tileRows);
    }

    /// @param newMayBeAbsent whether a row may have no build row
    void start(TileOutputs newOutputs, boolean newMayBeAbsent) {
        outputs = newOutputs;
        mayBeAbsent = newMayBeAbsent;
        Arrays.fill(isLoaded, false);
    }

    @Override
    public Vector load(int input, Mask rows) {
        if (input < carried.size()) {
            return outputs.get(carried.get(input), rows);
        }
        int column = input - carried.size();
        return column < payload.size() ? payload(input, stores.apply(payload.get(column)), rows) : mark;
    }

    private Vector payload(int input, ValueStore store, Mask rows) {
        if (vectors[input] == null) {
            vectors[input] = Vector.of(types.get(input), tileRows);
            loaded[input] = new Mask(tileRows);
        }
        int[] ids = buildRows.get();
        if (!isLoaded[input]) {
            isLoaded[input] = true;
            loaded[input].set(rows);
            store.gather(ids, rows, vectors[input], mayBeAbsent);
            return vectors[input];
        }
        missing.setAndNot(rows, loaded[input].bits());
        if (!missing.isEmpty()) {
            store.gather(ids, missing, vectors[input], mayBeAbsent);
            long[] bits = loaded[input].bits();
            for (int word = 0; word < missing.wordCount(); word++) {
                bits[word] |= missing.bits()[word];
            }
            loaded[input].recount();
        }
        return vectors[input];
    }
}
