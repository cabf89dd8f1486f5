package dev.quarrel.core.cpu.join;

import dev.quarrel.core.cpu.number.LongTable;
import dev.quarrel.core.cpu.rows.KeyScratch;
import dev.quarrel.core.cpu.rows.RowStore;
import dev.quarrel.core.cpu.tile.Mask;
import dev.quarrel.core.cpu.tile.Vector;
import dev.quarrel.core.type.DataType;
import java.util.List;

/// Some rows of a build side with their keys: what one thread needs to make words of them.
final class BuildTile {
    final KeyScratch scratch;
    final Vector[] keys;
    private final Mask all;
    final Mask present;
    private final int[] ids;
    LongTable known; // of a region's words

    BuildTile(List<DataType> keyTypes, int tileRows) {
        this.scratch = new KeyScratch(keyTypes.size(), tileRows);
        this.keys = keyTypes.stream().map(type -> Vector.of(type, tileRows)).toArray(Vector[]::new);
        this.all = new Mask(tileRows);
        this.present = new Mask(tileRows);
        this.ids = new int[tileRows];
    }

    /// Takes rows [first, first + count); `present` are those whose keys are.
    void moveTo(RowStore rows, int first, int count) {
        for (int row = 0; row < count; row++) {
            ids[row] = first + row;
        }
        move(rows, count);
    }

    /// The same of any rows.
    void moveTo(RowStore rows, int[] numbers, int count) {
        System.arraycopy(numbers, 0, ids, 0, count);
        move(rows, count);
    }

    private void move(RowStore rows, int count) {
        all.setAll(count);
        present.set(all);
        for (int key = 0; key < keys.length; key++) {
            rows.column(key).gather(ids, all, keys[key], false);
            if (keys[key].validity() != null) {
                present.setAnd(present, keys[key].validity());
            }
        }
    }
}
