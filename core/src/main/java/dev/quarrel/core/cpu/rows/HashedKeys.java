package dev.quarrel.core.cpu.rows;

import dev.quarrel.core.cpu.tile.Mask;
import dev.quarrel.core.cpu.tile.Vector;
import java.util.List;

/// The keys of stored rows, where their hashes stand for them in an index: none of them is kept once more, and what a
/// hash finds is compared with the key of a row.
final class HashedKeys {
    private final ValueStore[] columns;
    private final long hashMask;
    private int[] starts = {};
    private int[] order = {};

    /// @param columns of the rows' keys
    /// @param hashMask bits of hashes that are looked at
    HashedKeys(List<ValueStore> columns, long hashMask) {
        this.columns = columns.toArray(ValueStore[]::new);
        this.hashMask = hashMask;
    }

    /// Says which rows have which key: those of key k are `order[starts[k]]` and what follows it. Where `starts` is
    /// empty, a key's number is its row.
    void setRows(int[] newStarts, int[] newOrder) {
        starts = newStarts;
        order = newOrder;
    }

    /// The hashes of the selected rows' keys (`scratch.packed`).
    void words(Vector[] keys, Mask selected, KeyScratch scratch) {
        KeyTile tile = scratch.tile();
        int count = selected.count();
        tile.load(keys, selected.indexes(), count);
        for (int index = 0; index < count; index++) {
            scratch.packed[index] = tile.hashes[index] & hashMask;
        }
    }

    /// Compares keys, whose words were made, with those that have the same ones (`scratch.ids`): of those that differ
    /// the numbers become -1.
    void compare(int count, KeyScratch scratch) {
        int[] places = scratch.tile().places;
        int[] ids = scratch.ids;
        int[] rows = scratch.numbers;
        int candidates = 0;
        for (int index = 0; index < count; index++) {
            places[candidates] = index;
            candidates += ~ids[index] >>> 31;
        }
        for (int index = 0; index < candidates; index++) {
            int place = places[index];
            rows[place] = starts.length == 0 ? ids[place] : order[starts[ids[place]]];
        }
        int differing = candidates == 0 ? 0 : scratch.tile().keepDiffering(columns, rows, 0, candidates);
        for (int index = 0; index < differing; index++) {
            ids[places[index]] = -1;
        }
    }

    /// Whether the keys of some rows are those of others.
    ///
    /// @param keys of the rows
    /// @param others by place in `selected`: the row that each is compared with
    boolean areEqual(Vector[] keys, Mask selected, int[] others, KeyScratch scratch) {
        KeyTile tile = scratch.tile();
        int count = selected.count();
        tile.loadForComparison(keys, selected.indexes(), count);
        for (int index = 0; index < count; index++) {
            tile.places[index] = index;
        }
        return count == 0 || tile.keepDiffering(columns, others, 0, count) == 0;
    }
}
