package dev.quarrel.core.arrow.dataset;

import dev.quarrel.core.column.Column;
import dev.quarrel.core.device.KeyBloom;
import dev.quarrel.core.device.KeyHash;
import java.util.Arrays;
import java.util.List;

/// A set of rows' keys, each one or several columns.
///
/// Keys of at most 16 bytes of fixed width are themselves; of others 128 bits of a hash are kept, with a seed for
/// each set's [KeyCodes]: two keys in 10^9 fall together once in 10^20 sets.
///
/// - Memory: 16 bytes of heap for a key of up to 8 bytes, 32 for others, and twice that while it grows; 2 to 4 more
///   once members are looked for.
/// - Threads: one adds at a time; once all is added, any look.
public final class KeySet {
    private static final int FIRST_SLOTS = 1 << 10;
    private static final int MAX_SLOTS = 1 << 29;

    private final KeyCodes codes;
    private long[] low = new long[FIRST_SLOTS];
    private long[] high; // null where keys have 8 bytes at most
    private long size;
    private boolean hasZero; // the key that an empty slot looks like
    private volatile KeyBloom bloom; // null after something was added

    public KeySet(KeyCodes codes) {
        this.codes = codes;
        this.high = codes.isShort() ? null : new long[FIRST_SLOTS];
    }

    public KeyCodes codes() {
        return codes;
    }

    public long size() {
        return size;
    }

    /// Adds the keys of some rows.
    ///
    /// - Nulls: as [KeyCodes#of].
    public void add(List<Column> columns, int rowCount) {
        add(codes.of(columns, rowCount), rowCount);
    }

    /// Adds keys that were coded by [#codes].
    public synchronized void add(KeyCodes.Codes keys, int rowCount) {
        bloom = null;
        for (int row = 0; row < rowCount; row++) {
            add(keys.high(row), keys.low()[row]);
        }
    }

    /// Adds keys that were coded by [#codes], up to the first that is there already.
    ///
    /// @return the row that has it; -1 for none
    synchronized int firstKnown(KeyCodes.Codes keys, int rowCount) {
        bloom = null;
        for (int row = 0; row < rowCount; row++) {
            long before = size;
            add(keys.high(row), keys.low()[row]);
            if (size == before) {
                return row;
            }
        }
        return -1;
    }

    /// Whether a row's key is in the set.
    boolean holds(KeyCodes.Codes keys, int row) {
        return contains(keys, row);
    }

    /// Adds a row's key; false where it was there.
    synchronized boolean addNew(KeyCodes.Codes keys, int row) {
        bloom = null;
        long before = size;
        add(keys.high(row), keys.low()[row]);
        return size > before;
    }

    /// The rows whose keys are in the set, or those whose keys are not.
    ///
    /// @return ascending
    int[] rows(KeyCodes.Codes keys, int rowCount, boolean areMembers) {
        int[] found = new int[Math.min(rowCount, FIRST_SLOTS)];
        int count = 0;
        // Few rows of many are members, as a rule: a filter that fits a core's cache tells most of the others apart.
        KeyBloom filter = areMembers ? bloom() : null;
        for (int row = 0; row < rowCount; row++) {
            if (filter != null && !filter.mayHold(folded(keys.high(row), keys.low()[row]))) {
                continue;
            }
            if ((high == null ? contains(keys.low()[row]) : contains(keys, row)) == areMembers) {
                if (count == found.length) {
                    found = Arrays.copyOf(found, Math.min(rowCount, 2 * count));
                }
                found[count++] = row;
            }
        }
        return Arrays.copyOf(found, count);
    }

    private KeyBloom bloom() {
        KeyBloom made = bloom;
        if (made == null) {
            synchronized (this) {
                made = bloom;
                if (made == null) {
                    made = newBloom();
                    bloom = made;
                }
            }
        }
        return made;
    }

    private KeyBloom newBloom() {
        KeyBloom made = new KeyBloom(Math.toIntExact(size));
        if (hasZero) {
            made.add(0);
        }
        for (int slot = 0; slot < low.length; slot++) {
            long keyHigh = high == null ? 0 : high[slot];
            if (low[slot] != 0 || keyHigh != 0) {
                made.add(folded(keyHigh, low[slot]));
            }
        }
        return made;
    }

    /// What is hashed of a key.
    private static long folded(long keyHigh, long keyLow) {
        return keyLow ^ Long.rotateLeft(keyHigh, 32);
    }

    private boolean contains(long key) {
        if (key == 0) {
            return hasZero;
        }
        long[] slots = low;
        int mask = slots.length - 1;
        int slot = (int) (KeyHash.of(key) & mask);
        while (slots[slot] != key) {
            if (slots[slot] == 0) {
                return false;
            }
            slot = slot + 1 & mask;
        }
        return true;
    }

    private boolean contains(KeyCodes.Codes keys, int row) {
        long keyHigh = keys.high(row);
        long keyLow = keys.low()[row];
        if (keyHigh == 0 && keyLow == 0) {
            return hasZero;
        }
        int slot = slot(keyHigh, keyLow);
        return low[slot] != 0 || high != null && high[slot] != 0;
    }

    private void add(long keyHigh, long keyLow) {
        if (keyHigh == 0 && keyLow == 0) {
            size += hasZero ? 0 : 1;
            hasZero = true;
            return;
        }
        int slot = slot(keyHigh, keyLow);
        if (low[slot] != 0 || high != null && high[slot] != 0) {
            return;
        }
        low[slot] = keyLow;
        if (high != null) {
            high[slot] = keyHigh;
        }
        size++;
        if (size * 2 > low.length && low.length < MAX_SLOTS) {
            grow();
        } else if (size + 1 >= low.length) {
            throw new IllegalStateException("more than " + size + " keys");
        }
    }

    /// Where the key is, or the empty slot where it belongs.
    private int slot(long keyHigh, long keyLow) {
        int mask = low.length - 1;
        int slot = (int) (KeyHash.of(folded(keyHigh, keyLow)) & mask);
        while (true) {
            long there = low[slot];
            long thereHigh = high == null ? 0 : high[slot];
            if (there == keyLow && thereHigh == keyHigh || there == 0 && thereHigh == 0) {
                return slot;
            }
            slot = slot + 1 & mask;
        }
    }

    private void grow() {
        long[] oldLow = low;
        long[] oldHigh = high;
        low = new long[oldLow.length * 2];
        high = oldHigh == null ? null : new long[low.length];
        for (int index = 0; index < oldLow.length; index++) {
            long keyHigh = oldHigh == null ? 0 : oldHigh[index];
            if (oldLow[index] != 0 || keyHigh != 0) {
                int slot = slot(keyHigh, oldLow[index]);
                low[slot] = oldLow[index];
                if (high != null) {
                    high[slot] = keyHigh;
                }
            }
        }
    }
}
