package dev.quarrel.core.cpu;

import dev.quarrel.core.run.Reservation;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;
import java.util.Arrays;

/// A map from 64-bit keys to numbers, cut into parts by the keys' hash: threads fill a part each at the same time, and
/// any number of threads finds afterwards.
///
/// A part is a table of its own: open addressing, linear probing, at most half full; a slot is two words side by side
/// (the key; the number plus one, 0 = empty), so that a probe touches one cache line. Parts are few and large: the
/// garbage collector leaves large arrays where they are.
final class SplitTable {
    /// Bits of the hash that make a part: enough for the threads of a machine.
    private static final int BITS = 4;

    private static final long MULTIPLIER = 0x9E37_79B9_7F4A_7C15L;
    private static final int MAX_SLOTS = 1 << 29;

    private final Reservation reservation;
    private final long[][] parts = new long[1 << BITS][];

    SplitTable(Reservation reservation) {
        this.reservation = reservation;
        Arrays.fill(parts, new long[2]);
    }

    private static long hash(long key) {
        return (key ^ key >>> 32) * MULTIPLIER;
    }

    /// Cuts keys finer: regions are runs of `2^finerBits` to a part.
    static int region(long key, int finerBits) {
        return (int) (hash(key) >>> 64 - BITS - finerBits);
    }

    int partCount() {
        return parts.length;
    }

    /// The place of a hash's slot, by the bits after the part's.
    private static int slot(long hash, long[] table) {
        return (int) (hash << BITS >>> Integer.numberOfLeadingZeros(table.length) + 34) << 1;
    }

    /// Begins a part that is to hold so many keys.
    ///
    /// @return where they go, by [#add]
    long[] start(int part, int keyCount) {
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
        return parts[part];
    }

    /// Adds a key that is not there yet.
    static void add(long[] table, long key, int number) {
        int wrap = table.length - 1;
        int at = slot(hash(key), table);
        while (table[at + 1] != 0) {
            at = at + 2 & wrap;
        }
        table[at] = key;
        table[at + 1] = number + 1L;
    }

    /// The numbers of many keys, -1 for those that are not there.
    void findAll(long[] keys, int count, int[] numbers) {
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
