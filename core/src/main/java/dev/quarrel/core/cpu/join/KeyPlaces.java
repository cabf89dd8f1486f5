package dev.quarrel.core.cpu.join;

import dev.quarrel.core.cpu.rows.IntStore;
import dev.quarrel.core.cpu.rows.KeyIndex;
import dev.quarrel.core.cpu.rows.LongStore;
import dev.quarrel.core.cpu.rows.ValueStore;

/// Integer keys of a small range that go straight to their places in an index's dense array: if no key comes twice, the
/// index is made then.
final class KeyPlaces {
    private final KeyIndex index;
    private final ValueStore keys;
    private volatile boolean isRepeated; // whether a key came twice

    /// @param index dense
    /// @param keys all present
    KeyPlaces(KeyIndex index, ValueStore keys) {
        this.index = index;
        this.keys = keys;
    }

    /// Puts rows to their places. All are put before any is checked.
    void put(int from, int to) {
        int[] places = index.denseNumbers();
        long base = index.denseBase() - 1;
        // Of rows with one key, any may win: the check sees it.
        switch (keys) {
            case IntStore ints -> {
                int[] values = ints.values();
                for (int row = from; row < to; row++) {
                    places[(int) (values[row] - base)] = row;
                }
            }
            case LongStore longs -> {
                long[] values = longs.values();
                for (int row = from; row < to; row++) {
                    places[(int) (values[row] - base)] = row;
                }
            }
            case ValueStore other -> throw new IllegalStateException("a range of " + other.type());
        }
    }

    /// Sees whether rows are where they were put.
    void check(int from, int to) {
        if (isRepeated) {
            return;
        }
        int[] places = index.denseNumbers();
        long base = index.denseBase() - 1;
        int others = 0;
        switch (keys) {
            case IntStore ints -> {
                int[] values = ints.values();
                for (int row = from; row < to; row++) {
                    others |= places[(int) (values[row] - base)] ^ row;
                }
            }
            case LongStore longs -> {
                long[] values = longs.values();
                for (int row = from; row < to; row++) {
                    others |= places[(int) (values[row] - base)] ^ row;
                }
            }
            case ValueStore other -> throw new IllegalStateException("a range of " + other.type());
        }
        if (others != 0) {
            isRepeated = true;
        }
    }

    /// Whether a key came twice, as far as it was checked.
    boolean isRepeated() {
        return isRepeated;
    }
}
