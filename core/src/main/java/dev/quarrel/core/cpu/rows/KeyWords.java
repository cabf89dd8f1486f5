package dev.quarrel.core.cpu.rows;

import dev.quarrel.core.budget.Reservation;
import dev.quarrel.core.ir.SortKey;
import java.util.List;

/// Encodes the sort keys of rows as words that order as the rows do: the codes of the keys follow one another,
/// each with as few bits as its range needs, and are cut into words of 63 bits (never negative, so that signed
/// comparison orders them).
///
/// A key whose code is only a beginning of its value (long text) is the last one in the words: rows with equal words
/// are compared by `compare` then.
///
/// In turn: `addStatistics` for all rows, by any number of threads at the same time; `settle`; `encode` for all
/// rows, by any number of threads.
public final class KeyWords {
    static final int WORD_BITS = 63;
    private static final int TILE_ROWS = 2048;

    private final KeyForm[] forms;
    private final SortKey[] keys;
    private final RowIds ids;
    private int exactKeys; // these are in the words in full
    private int bitCount;
    private long[][][] words; // by word and store

    /// @param stores the rows' columns, by store
    KeyWords(List<RowStore> stores, List<SortKey> keys, RowIds ids) {
        this.keys = keys.toArray(SortKey[]::new);
        this.ids = ids;
        this.forms = new KeyForm[keys.size()];
        for (int key = 0; key < forms.length; key++) {
            int column = keys.get(key).output();
            ValueStore[] values =
                    stores.stream().map(store -> store.column(column)).toArray(ValueStore[]::new);
            forms[key] = KeyForm.of(values, keys.get(key));
        }
    }

    /// Room for the codes of some rows, of one thread.
    static final class Tile {
        final long[] codes = new long[TILE_ROWS];
        final long[] upper = new long[TILE_ROWS];
    }

    void addStatistics(int store, int from, int count, Tile tile) {
        for (KeyForm form : forms) {
            for (int row = from; row < from + count; row += TILE_ROWS) {
                form.addStatistics(store, row, Math.min(TILE_ROWS, from + count - row), tile);
            }
        }
    }

    /// Decides where each key's code stands.
    void settle(int[] rowCounts, Reservation reservation) {
        boolean isExact = true;
        for (int key = 0; key < forms.length && isExact; key++) {
            isExact = forms[key].settle(bitCount);
            bitCount += forms[key].bits();
            exactKeys += isExact ? 1 : 0;
        }
        words = new long[Math.max(1, (bitCount + WORD_BITS - 1) / WORD_BITS)][rowCounts.length][];
        for (long[][] stores : words) {
            for (int store = 0; store < stores.length; store++) {
                reservation.budget().checkStop(); // zeros take their time
                reservation.grow(rowCounts[store] * 8L);
                stores[store] = new long[rowCounts[store]];
            }
        }
    }

    void encode(int store, int from, int count, Tile tile) {
        for (int key = 0; key < forms.length && key <= exactKeys; key++) {
            for (int row = from; row < from + count; row += TILE_ROWS) {
                forms[key].encode(store, row, Math.min(TILE_ROWS, from + count - row), tile, this);
            }
        }
    }

    /// Writes codes of `bits` bits, `position` bits after the start of the first word.
    void put(int position, int bits, int store, int from, int count, long[] codes) {
        if (bits == 0) {
            return;
        }
        long[] to = words[position / WORD_BITS][store];
        int room = WORD_BITS - position % WORD_BITS;
        if (bits <= room) {
            int shift = room - bits;
            for (int index = 0; index < count; index++) {
                to[from + index] |= codes[index] << shift;
            }
            return;
        }
        int rest = bits - room;
        long[] next = words[position / WORD_BITS + 1][store];
        for (int index = 0; index < count; index++) {
            to[from + index] |= codes[index] >>> rest;
            next[from + index] |= codes[index] << (WORD_BITS - rest) & Long.MAX_VALUE;
        }
    }

    /// Bits that keys take, from the top of the first word on.
    int bitCount() {
        return bitCount;
    }

    int wordCount() {
        return words.length;
    }

    /// Word number `word` of a store's rows.
    long[] words(int word, int store) {
        return words[word][store];
    }

    RowIds ids() {
        return ids;
    }

    /// Whether rows with equal words are equal in all keys.
    boolean isExact() {
        return exactKeys == forms.length;
    }

    /// The order of two rows whose words are equal.
    int compare(int one, int other) {
        return compare(exactKeys, keys.length, one, other);
    }

    /// Whether two rows are equal in keys [from, to).
    public boolean isEqual(int from, int to, int one, int other) {
        return compare(from, to, one, other) == 0;
    }

    private int compare(int from, int to, int one, int other) {
        for (int key = from; key < to; key++) {
            int order = forms[key].compare(ids.store(one), ids.row(one), ids.store(other), ids.row(other));
            if (order != 0) {
                return order;
            }
        }
        return 0;
    }

    /// Frees the words.
    void clear(Reservation reservation) {
        if (words != null) {
            for (long[][] stores : words) {
                for (long[] store : stores) {
                    reservation.shrink(store.length * 8L);
                }
            }
        }
        words = null;
    }
}
