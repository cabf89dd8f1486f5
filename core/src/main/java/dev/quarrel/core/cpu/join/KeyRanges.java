package dev.quarrel.core.cpu.join;

import dev.quarrel.core.cpu.rows.IntStore;
import dev.quarrel.core.cpu.rows.LongStore;
import dev.quarrel.core.cpu.rows.RowStore;
import dev.quarrel.core.cpu.rows.ValueStore;
import java.util.Arrays;

/// The least and the greatest value of each integer key of a build side. Threads add some of the rows each.
final class KeyRanges {
    private final RowStore rows;
    private final long[] min;
    private final long[] max;

    private KeyRanges(RowStore rows, int keyCount) {
        this.rows = rows;
        this.min = new long[keyCount];
        this.max = new long[keyCount];
        Arrays.fill(min, Long.MAX_VALUE);
        Arrays.fill(max, Long.MIN_VALUE);
    }

    /// Those of no rows so far, or null where a key is no integer.
    static KeyRanges of(RowStore rows, int keyCount) {
        for (int key = 0; key < keyCount; key++) {
            if (!(rows.column(key) instanceof IntStore || rows.column(key) instanceof LongStore)) {
                return null;
            }
        }
        return new KeyRanges(rows, keyCount);
    }

    void add(int from, int to) {
        for (int key = 0; key < min.length; key++) {
            long low = Long.MAX_VALUE;
            long high = Long.MIN_VALUE;
            ValueStore column = rows.column(key);
            boolean allPresent = column.isAllPresent();
            if (column instanceof IntStore ints) {
                int[] values = ints.values();
                for (int row = from; row < to; row++) {
                    if (allPresent || column.isPresent(row)) {
                        low = Math.min(low, values[row]);
                        high = Math.max(high, values[row]);
                    }
                }
            } else {
                long[] values = ((LongStore) column).values();
                for (int row = from; row < to; row++) {
                    if (allPresent || column.isPresent(row)) {
                        low = Math.min(low, values[row]);
                        high = Math.max(high, values[row]);
                    }
                }
            }
            synchronized (this) {
                min[key] = Math.min(min[key], low);
                max[key] = Math.max(max[key], high);
            }
        }
    }

    /// Whether a key is NULL in all rows.
    boolean isAnyEmpty() {
        for (int key = 0; key < min.length; key++) {
            if (min[key] > max[key]) {
                return true;
            }
        }
        return false;
    }

    long[] min() {
        return min;
    }

    long[] max() {
        return max;
    }
}
