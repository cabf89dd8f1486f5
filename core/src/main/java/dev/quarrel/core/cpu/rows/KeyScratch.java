package dev.quarrel.core.cpu.rows;

import java.util.Arrays;

/// The buffers that one worker needs to look up the keys of a tile.
public final class KeyScratch {
    private static final int FEW_KEYS = 1 << 12;
    private static final int MANY_KEYS = 1 << 18;

    /// The number of row `rows.indexes()[i]`'s key at i; -1 for none.
    public final int[] ids;

    /// After adding: places i of the keys that were new, in the order of their numbers.
    public final int[] newAt;

    public int newCount;
    final long[][] codes;
    public final long[] packed;
    final int[] numbers;
    final int[] nulls; // a bit a key column
    final boolean[] missing;
    boolean anyNull;
    boolean anyMissing;
    private final int tileRows;
    private KeyTile tile;
    private long looked; // of late
    private long found;

    public KeyScratch(int keyCount, int tileRows) {
        this.tileRows = tileRows;
        this.ids = new int[tileRows];
        this.newAt = new int[tileRows];
        this.codes = new long[keyCount][tileRows];
        this.packed = new long[tileRows];
        this.numbers = new int[tileRows];
        this.nulls = new int[tileRows];
        this.missing = new boolean[tileRows];
    }

    /// What it takes to compare a tile's keys with stored ones; made when first asked for.
    KeyTile tile() {
        if (tile == null) {
            tile = new KeyTile(codes.length, tileRows);
        }
        return tile;
    }

    /// Whether so few keys were there of late that asking a filter first pays.
    boolean isSelective() {
        return looked >= FEW_KEYS && found * 2 < looked;
    }

    void noteFound(int count, int foundCount) {
        looked += count;
        found += foundCount;
        if (looked >= MANY_KEYS) {
            looked /= 2;
            found /= 2;
        }
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
