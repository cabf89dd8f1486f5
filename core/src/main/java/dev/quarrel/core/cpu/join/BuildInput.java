package dev.quarrel.core.cpu.join;

import dev.quarrel.core.cpu.tile.Bits;
import dev.quarrel.core.cpu.tile.Mask;
import dev.quarrel.core.cpu.tile.TileInput;
import dev.quarrel.core.cpu.tile.Vector;
import dev.quarrel.core.ir.Join;
import dev.quarrel.core.type.DataType;
import java.util.List;

/// What the program after a join loads for build rows that follow the probe rows: NULL for carried columns.
final class BuildInput implements TileInput {
    private final Join join;
    private final List<DataType> types;
    private final JoinTable table;
    private final int tileRows;
    private final Vector[] vectors;
    private final int[] rows;
    private final Mask wanted;

    /// @param types of carried columns and payload
    BuildInput(Join join, List<DataType> types, JoinTable table, int tileRows) {
        this.join = join;
        this.types = types;
        this.table = table;
        this.tileRows = tileRows;
        this.vectors = new Vector[types.size()];
        this.rows = new int[tileRows];
        this.wanted = new Mask(tileRows);
    }

    /// Moves to the tile of build rows [first, first + count); the answer is those whose flag is `flag`.
    Mask moveTo(int first, int count, byte[] flags, int flag) {
        wanted.setEmpty(count);
        long[] bits = wanted.bits();
        for (int row = 0; row < count; row++) {
            rows[row] = first + row;
            bits[row >>> 6] |= (long) (flags[first + row] ^ flag ^ 1) << row;
        }
        wanted.recount();
        return wanted;
    }

    @Override
    public Vector load(int input, Mask selected) {
        boolean isCarried = input < join.carried().size();
        if (vectors[input] == null) {
            vectors[input] = Vector.of(types.get(input), tileRows);
            if (isCarried) {
                Bits.fill(vectors[input].writableValidity(), false);
            }
        }
        if (!isCarried) {
            int column = join.payload().get(input - join.carried().size());
            table.payload(column).gather(rows, selected, vectors[input], false);
        }
        return vectors[input];
    }
}
