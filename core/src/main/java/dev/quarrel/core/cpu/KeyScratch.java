package dev.quarrel.core.cpu;

import java.util.Arrays;

/// What one worker needs to look up the keys of a tile.
final class KeyScratch {
    /// The number of row `rows.indexes()[i]`'s key at i; -1 for none.
    final int[] ids;

    /// After adding: places i of the keys that were new, in the order of their numbers.
    final int[] newAt;

    int newCount;
    final long[][] codes;
    final long[] packed;
    final int[] numbers;
    final int[] nulls; // a bit a key column
    final boolean[] missing;
    boolean anyNull;
    boolean anyMissing;

    KeyScratch(int keyCount, int tileRows) {
        this.ids = new int[tileRows];
        this.newAt = new int[tileRows];
        this.codes = new long[keyCount][tileRows];
        this.packed = new long[tileRows];
        this.numbers = new int[tileRows];
        this.nulls = new int[tileRows];
        this.missing = new boolean[tileRows];
    }

    /// Says that the key at a place is none that was ever added.
    void miss(int index, int count) {
        if (!anyMissing) {
            Arrays.fill(missing, 0, count, false);
            anyMissing = true;
        }
        missing[index] = true;
    }
}
