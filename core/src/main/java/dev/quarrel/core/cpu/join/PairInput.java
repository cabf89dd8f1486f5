package dev.quarrel.core.cpu.join;

import dev.quarrel.core.cpu.tile.Mask;
import dev.quarrel.core.cpu.tile.TextVector;
import dev.quarrel.core.cpu.tile.TileInput;
import dev.quarrel.core.cpu.tile.TileOutputs;
import dev.quarrel.core.cpu.tile.Vector;
import dev.quarrel.core.type.DataType;
import java.util.Arrays;
import java.util.List;

/// What a program loads over a tile of pairs, each of a probe row and a build row. A column is copied when it is asked
/// for, and for few pairs alone when few are left.
final class PairInput implements TileInput {
    private final List<Integer> carried;
    private final List<Integer> payload;
    private final List<DataType> types;
    private final JoinTable table;
    private final int tileRows;
    private final Vector[] vectors;
    private final Vector[] sources;
    private final Mask[] loaded;
    private final boolean[] isLoaded;
    private final boolean[] isComplete;
    private TileOutputs outputs = null;
    private Mask probed = null;
    private int[] probeRows = new int[0];
    private int[] buildRows = new int[0];
    private Mask all = null;
    private boolean mayBeAbsent;

    /// @param types of carried columns and payload
    PairInput(List<Integer> carried, List<Integer> payload, List<DataType> types, JoinTable table, int tileRows) {
        this.carried = carried;
        this.payload = payload;
        this.types = types;
        this.table = table;
        this.tileRows = tileRows;
        this.vectors = new Vector[types.size()];
        this.sources = new Vector[carried.size()];
        this.loaded = new Mask[types.size()];
        this.isLoaded = new boolean[types.size()];
        this.isComplete = new boolean[types.size()];
    }

    /// Begins with another tile of probe rows.
    ///
    /// @param newProbed the probe rows that pairs will have
    void startTile(TileOutputs newOutputs, Mask newProbed) {
        outputs = newOutputs;
        probed = newProbed;
        Arrays.fill(sources, null);
    }

    /// Begins with another tile of pairs.
    ///
    /// @param pairs all of them
    /// @param newMayBeAbsent whether a build row may be negative
    void startPairs(int[] newProbeRows, int[] newBuildRows, Mask pairs, boolean newMayBeAbsent) {
        probeRows = newProbeRows;
        buildRows = newBuildRows;
        all = pairs;
        mayBeAbsent = newMayBeAbsent;
        Arrays.fill(isLoaded, false);
        Arrays.fill(isComplete, false);
    }

    @Override
    public Vector load(int input, Mask rows) {
        if (vectors[input] == null) {
            vectors[input] = Vector.of(types.get(input), tileRows);
            loaded[input] = new Mask(tileRows);
        }
        Vector vector = vectors[input];
        if (isComplete[input] || isLoaded[input] && isWithin(rows, loaded[input])) {
            return vector;
        }
        boolean whole = isLoaded[input] || !rows.isSparse();
        isLoaded[input] = true;
        isComplete[input] = whole;
        loaded[input].set(rows);
        if (input < carried.size()) {
            carried(input, vector, whole ? null : rows);
        } else {
            table.payload(payload.get(input - carried.size()))
                    .gather(buildRows, whole ? all : rows, vector, mayBeAbsent);
        }
        return vector;
    }

    private void carried(int input, Vector vector, Mask rows) {
        if (sources[input] == null) {
            sources[input] = outputs.get(carried.get(input), probed);
        }
        if (rows == null || vector instanceof TextVector) {
            isComplete[input] = true;
            vector.gather(sources[input], probeRows, all.count());
        } else {
            vector.gather(sources[input], probeRows, rows);
        }
    }

    private static boolean isWithin(Mask inner, Mask outer) {
        for (int word = 0; word < inner.wordCount(); word++) {
            if ((inner.bits()[word] & ~outer.bits()[word]) != 0) {
                return false;
            }
        }
        return true;
    }
}
