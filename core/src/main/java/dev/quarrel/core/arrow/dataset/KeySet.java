package dev.quarrel.core.arrow.dataset;

import dev.quarrel.core.column.Column;
import dev.quarrel.core.column.FixedColumn;
import dev.quarrel.core.column.Validity;
import dev.quarrel.core.device.KeyBloom;
import dev.quarrel.core.device.KeyHash;
import dev.quarrel.core.table.ColumnStats;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.IntFunction;
import java.util.stream.IntStream;

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
    private static final int MOST_PICKED = 2; // one of so many rows

    private final KeyCodes codes;
    private long[] low = new long[FIRST_SLOTS];
    private long[] high; // null where keys have 8 bytes at most
    private long size;
    private boolean hasZero; // the key that an empty slot looks like
    private volatile Filter filter; // null after something was added

    /// Tells most keys that are not in the set apart.
    ///
    /// @param bloom of whole keys
    /// @param column the one that tells most; null where none has a fixed width
    private record Filter(KeyBloom bloom, KeyColumn column) {}

    /// Rows whose keys are in the set.
    ///
    /// @param rows ascending
    /// @param codes of these rows alone, in their order; null where there are none
    /// @param values of all rows; null where it was not needed to see that there are none
    record Members(int[] rows, KeyCodes.Codes codes, List<Column> values) {
        static final Members NONE = new Members(new int[0], null, null);
    }

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
        filter = null;
        for (int row = 0; row < rowCount; row++) {
            add(keys.high(row), keys.low()[row]);
        }
    }

    /// Adds keys that were coded by [#codes], up to the first that is there already.
    ///
    /// @return the row that has it; -1 for none
    synchronized int firstKnown(KeyCodes.Codes keys, int rowCount) {
        filter = null;
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
        filter = null;
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
        KeyBloom bloom = areMembers ? filter().bloom() : null;
        for (int row = 0; row < rowCount; row++) {
            if (bloom != null && !bloom.mayHold(folded(keys.high(row), keys.low()[row]))) {
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

    /// The rows of a batch whose keys are in the set, by its columns: where one of them tells most rows apart, the
    /// others are asked for only if some are left.
    ///
    /// - Nulls: in no set.
    ///
    /// @param columns gives those of the key, each at most once
    Members members(IntFunction<Column> columns, int rowCount) {
        KeyColumn first = filter().column();
        Column[] loaded = new Column[codes.columns().size()];
        int[] maybe = null; // all
        if (first != null) {
            loaded[first.column()] = columns.apply(first.column());
            maybe = first.rows((FixedColumn) loaded[first.column()]);
            if (maybe.length == 0) {
                return Members.NONE;
            }
        }
        List<Column> values = new ArrayList<>();
        for (int column = 0; column < loaded.length; column++) {
            values.add(loaded[column] == null ? columns.apply(column) : loaded[column]);
        }
        List<Validity> validities = values.stream()
                .map(Column::validity)
                .filter(validity -> !validity.isAllPresent())
                .toList();
        if (!validities.isEmpty()) {
            maybe = (maybe == null ? IntStream.range(0, rowCount) : Arrays.stream(maybe))
                    .filter(row -> validities.stream().allMatch(validity -> validity.isPresent(row)))
                    .toArray();
        } else if (maybe != null && maybe.length > rowCount / MOST_PICKED) {
            maybe = null; // all are coded faster than so many of them
        }
        KeyCodes.Codes all = maybe == null ? codes.of(values, rowCount) : codes.of(values, maybe);
        int[] found = rows(all, maybe == null ? rowCount : maybe.length, true);
        KeyCodes.Codes foundCodes = all.of(found);
        if (maybe != null) {
            for (int index = 0; index < found.length; index++) {
                found[index] = maybe[found[index]];
            }
        }
        return new Members(found, foundCodes, values);
    }

    /// Whether none of a batch's rows has a key of the set, by the statistics of the key's columns.
    boolean excludes(IntFunction<ColumnStats> stats, long rowCount) {
        KeyColumn first = filter().column();
        if (first == null) {
            return false;
        }
        ColumnStats known = stats.apply(first.column());
        boolean areLongs = (known.min() == null || known.min() instanceof Long)
                && (known.max() == null || known.max() instanceof Long);
        return areLongs && known.excludes(first.least(), first.greatest(), rowCount);
    }

    private Filter filter() {
        Filter made = filter;
        if (made == null) {
            synchronized (this) {
                made = filter;
                if (made == null) {
                    made = new Filter(newBloom(), newColumn());
                    filter = made;
                }
            }
        }
        return made;
    }

    private KeyBloom newBloom() {
        KeyBloom made = new KeyBloom(Math.toIntExact(size));
        forEach((keyHigh, keyLow) -> made.add(folded(keyHigh, keyLow)));
        return made;
    }

    /// The column with the most values.
    private KeyColumn newColumn() {
        KeyColumn best = null;
        for (int column = 0; column < codes.columns().size(); column++) {
            KeyCodes.Place place = codes.place(column);
            if (place == null) {
                continue;
            }
            KeyColumn made = new KeyColumn(column, size);
            forEach((keyHigh, keyLow) -> made.add(place.of(keyHigh, keyLow)));
            best = best == null || made.count() > best.count() ? made : best;
        }
        return best;
    }

    private void forEach(LongBinaryConsumer taker) {
        if (hasZero) {
            taker.accept(0, 0);
        }
        for (int slot = 0; slot < low.length; slot++) {
            long keyHigh = high == null ? 0 : high[slot];
            if (low[slot] != 0 || keyHigh != 0) {
                taker.accept(keyHigh, low[slot]);
            }
        }
    }

    @FunctionalInterface
    private interface LongBinaryConsumer {
        void accept(long keyHigh, long keyLow);
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
