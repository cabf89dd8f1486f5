package dev.quarrel.core.cpu.number;

import dev.quarrel.core.budget.Reservation;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;
import java.util.Arrays;

/// A map from 64-bit keys to numbers, cut into parts by the keys' hash: threads fill the parts at the same time,
/// one thread per part, and then any number of threads look keys up.
///
/// A part is a table of its own: open addressing, linear probing, at most half full; a slot is two words side by side
/// (the key; the number plus one, 0 = empty), so that a probe touches one cache line. Parts are few and large: the
/// garbage collector leaves large arrays where they are.
///
/// A large table has a filter before it, of ten to twenty bits a key: each key sets four bits of one word, so that most
/// keys that are not there are told by one look into a much smaller memory.
///
/// Source: register-blocked Bloom filters; Putze, Sanders, Singler, "Cache-, Hash- and Space-Efficient Bloom Filters".
public final class SplitTable {
    /// Bits of the hash that make a part: enough for the threads of a machine.
    private static final int BITS = 4;

    private static final long MULTIPLIER = 0x9E37_79B9_7F4A_7C15L;
    private static final long FILTER_MULTIPLIER = 0xC2B2_AE3D_27D4_EB4FL;
    private static final int MAX_SLOTS = 1 << 29;
    /// Keys of smaller tables are near the core.
    private static final int FILTERED_KEYS = 1 << 16;
    /// Keys a word of the filter at most.
    private static final int WORD_KEYS = 6;

    private final Reservation reservation;
    private final long[][] parts = new long[1 << BITS][];
    private final long[][] filters = new long[1 << BITS][];
    private boolean isFiltered;

    public SplitTable(Reservation reservation) {
        this.reservation = reservation;
        Arrays.fill(parts, new long[2]);
        Arrays.fill(filters, new long[1]);
    }

    private static long hash(long key) {
        return (key ^ key >>> 32) * MULTIPLIER;
    }

    /// Cuts keys finer: regions are runs of `2^finerBits` to a part.
    public static int region(long key, int finerBits) {
        return (int) (hash(key) >>> 64 - BITS - finerBits);
    }

    public int partCount() {
        return parts.length;
    }

    /// The place of a hash's slot, by the bits after the part's.
    private static int slot(long hash, long[] table) {
        return (int) (hash << BITS >>> Integer.numberOfLeadingZeros(table.length) + 34) << 1;
    }

    /// Says how many keys will be in the table.
    public void expect(long keyCount) {
        isFiltered = keyCount >= FILTERED_KEYS;
    }

    /// Begins a part that is to hold so many keys.
    public void start(int part, int keyCount) {
        long slots = 16;
        while (slots < 2L * keyCount) {
            slots *= 2;
        }
        if (slots > MAX_SLOTS) {
            throw new QueryException(SqlState.OUT_OF_MEMORY, "out of memory")
                    .withDetail("A hash table holds more than " + MAX_SLOTS / 2 + " keys.");
        }
        reservation.grow(slots * 16);
        parts[part] = new long[(int) slots * 2];
        if (isFiltered) {
            int words = 1;
            while (words < keyCount / WORD_KEYS) {
                words *= 2;
            }
            reservation.grow(words * 8L);
            filters[part] = new long[words];
        }
    }

    /// Adds a key of a part that is not there yet.
    public void add(int part, long key, int number) {
        long hash = hash(key);
        if (isFiltered) {
            filters[part][word(hash, filters[part])] |= filterBits(hash);
        }
        long[] table = parts[part];
        int wrap = table.length - 1;
        int at = slot(hash, table);
        while (table[at + 1] != 0) {
            at = at + 2 & wrap;
        }
        table[at] = key;
        table[at + 1] = number + 1L;
    }

    /// The place of a hash's word in a filter, by the bits after the part's.
    private static int word(long hash, long[] filter) {
        return (int) (hash << BITS >>> 1 >>> Integer.numberOfLeadingZeros(filter.length) + 32);
    }

    private static long filterBits(long hash) {
        long mixed = (hash ^ hash >>> 29) * FILTER_MULTIPLIER;
        return 1L << (mixed >>> 58) | 1L << (mixed >>> 52) | 1L << (mixed >>> 46) | 1L << (mixed >>> 40);
    }

    /// Whether there is a filter to ask first.
    public boolean isFiltered() {
        return isFiltered;
    }

    /// Finds the places of keys that may be there, and hardly any others'.
    ///
    /// @return how many
    public int filter(long[] keys, int count, int[] places) {
        long[][] words = filters;
        int kept = 0;
        for (int index = 0; index < count; index++) {
            long hash = hash(keys[index]);
            long[] filter = words[(int) (hash >>> 64 - BITS)];
            long bits = filterBits(hash);
            places[kept] = index;
            kept += (filter[word(hash, filter)] & bits) == bits ? 1 : 0;
        }
        return kept;
    }

    /// The numbers of many keys, -1 for those that are not there.
    public void findAll(long[] keys, int count, int[] numbers) {
        long[][] tables = parts;
        for (int index = 0; index < count; index++) {
            long key = keys[index];
            long hash = hash(key);
            long[] table = tables[(int) (hash >>> 64 - BITS)];
            int wrap = table.length - 1;
            int at = slot(hash, table);
            long number = table[at + 1];
            while (number != 0 && table[at] != key) {
                at = at + 2 & wrap;
                number = table[at + 1];
            }
            numbers[index] = (int) number - 1;
        }
    }
}
