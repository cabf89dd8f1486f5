package dev.quarrel.core.cpu.rows;

import dev.quarrel.core.budget.Reservation;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;
import java.util.Arrays;

/// Numbers the distinct keys of any columns by one hash of them all: open addressing, linear probing, at most half
/// full. A slot is half of a key's hash and its number; that a key is the one found is then proven by comparing the
/// tile's columns with the stored ones, column by column.
///
/// - Memory: the keys are the caller's ([Stored]); their hashes are kept here.
///
/// Finding is for any number of threads at a time, adding for one.
final class RowKeys {
    private static final int FIRST_SLOTS = 1 << 6;
    private static final int MAX_SLOTS = 1 << 30;
    private static final int STOP_CHECK_KEYS = 1 << 16;
    private static final long UPPER = 0xFFFF_FFFF_0000_0000L;

    private final Reservation reservation;
    private final long hashMask;
    private long[] hashes = new long[0]; // by number
    private long[] slots; // the upper half of a hash; the number plus one, 0 = empty
    private int size;

    /// The keys.
    interface Stored {
        /// Compares the keys at the tile's first places with stored ones.
        ///
        /// @param numbers by place: the stored key
        /// @return how many differ: their places are the first now, ascending if they were
        int keepDiffering(int[] numbers, int count);

        /// Stores what is new among a tile's keys.
        ///
        /// @param at places of the new keys in entries [from, to), in the order of their numbers
        void append(int[] at, int from, int to);
    }

    /// @param expected keys that will be there, about
    /// @param hashMask bits of hashes that are looked at: all but in tests, which force equal ones
    RowKeys(Reservation reservation, int expected, long hashMask) {
        this.reservation = reservation;
        this.hashMask = hashMask;
        int capacity = FIRST_SLOTS;
        while (capacity < 2L * expected && capacity < MAX_SLOTS) {
            capacity *= 2;
        }
        reservation.grow(capacity * 8L);
        this.slots = new long[capacity];
    }

    /// Adds keys that are stored, all of them distinct.
    void addStored(ValueStore[] columns, int count) {
        ensure(count);
        long[] made = new long[Math.min(count, STOP_CHECK_KEYS)];
        long[] further = new long[columns.length > 1 ? made.length : 0];
        for (int from = 0; from < count; from += made.length) {
            reservation.budget().checkStop();
            int part = Math.min(made.length, count - from);
            ValueStore.hashes(columns, from, part, made, further);
            for (int index = 0; index < part; index++) {
                hashes[from + index] = made[index] & hashMask;
            }
        }
        size = count;
        fill();
    }

    int size() {
        return size;
    }

    /// The keys' hashes ([dev.quarrel.core.device.KeyHash]), by number.
    long[] hashes() {
        return hashes;
    }

    private void mask(KeyTile tile, int count) {
        for (int index = 0; hashMask != -1 && index < count; index++) {
            tile.hashes[index] &= hashMask;
        }
    }

    /// The numbers of a tile's keys, -1 for those that are not there.
    ///
    /// @param numbers receives that of the key at place i at i
    void find(int count, KeyTile tile, int[] numbers, Stored stored) {
        mask(tile, count);
        long[] table = slots;
        int wrap = table.length - 1;
        long[] wanted = tile.hashes;
        int[] places = tile.places;
        int candidates = 0;
        for (int place = 0; place < count; place++) {
            long hash = wanted[place];
            int at = (int) hash & wrap;
            long slot = table[at];
            while (slot != 0 && (slot ^ hash) >>> 32 != 0) {
                at = at + 1 & wrap;
                slot = table[at];
            }
            tile.slots[place] = at;
            numbers[place] = (int) slot - 1;
            places[candidates] = place;
            candidates += slot == 0 ? 0 : 1;
        }
        while (candidates > 0) {
            int differing = stored.keepDiffering(numbers, candidates);
            candidates = 0;
            for (int index = 0; index < differing; index++) {
                int place = places[index];
                long hash = wanted[place];
                int at = tile.slots[place] + 1 & wrap;
                while (table[at] != 0 && (table[at] ^ hash) >>> 32 != 0) {
                    at = at + 1 & wrap;
                }
                tile.slots[place] = at;
                numbers[place] = (int) table[at] - 1;
                places[candidates] = place;
                candidates += table[at] == 0 ? 0 : 1;
            }
        }
    }

    /// Numbers a tile's keys; new ones get the next numbers.
    ///
    /// @param numbers receives that of the key at place i at i
    /// @param newAt receives the places of the new keys, in the order of their numbers
    /// @return how many are new
    int assign(int count, KeyTile tile, int[] numbers, int[] newAt, Stored stored) {
        find(count, tile, numbers, stored);
        int missing = 0;
        for (int place = 0; place < count; place++) {
            tile.places[missing] = place;
            missing += numbers[place] >>> 31;
        }
        if (missing == 0) {
            return 0;
        }
        if (ensure(missing)) {
            for (int index = 0; index < missing; index++) {
                int place = tile.places[index];
                tile.slots[place] = (int) tile.hashes[place] & slots.length - 1;
            }
        }
        int known = size; // these were compared
        int newCount = 0;
        while (missing > 0) {
            int before = newCount;
            int repeated = 0;
            for (int index = 0; index < missing; index++) {
                int place = tile.places[index];
                int number = claim(tile, place, known);
                numbers[place] = number;
                newAt[newCount] = place;
                tile.places[repeated] = place;
                // New: it has the next number. Else its candidate came in this very tile.
                boolean isNew = number == known + newCount;
                newCount += isNew ? 1 : 0;
                repeated += isNew ? 0 : 1;
            }
            stored.append(newAt, before, newCount);
            missing = repeated == 0 ? 0 : stored.keepDiffering(numbers, repeated);
            for (int index = 0; index < missing; index++) {
                int place = tile.places[index];
                tile.slots[place] = tile.slots[place] + 1 & slots.length - 1;
            }
        }
        return newCount;
    }

    /// The number that a key gets which is none of the first `known`: the next one, or that of one with the same hash,
    /// which then is compared.
    private int claim(KeyTile tile, int place, int known) {
        long hash = tile.hashes[place];
        int wrap = slots.length - 1;
        int at = tile.slots[place];
        while (true) {
            int number = (int) slots[at] - 1;
            if (number < 0) {
                slots[at] = hash & UPPER | size + 1;
                hashes[size] = hash;
                tile.slots[place] = at;
                return size++;
            }
            if (number >= known && hashes[number] == hash) {
                tile.slots[place] = at;
                return number;
            }
            at = at + 1 & wrap;
        }
    }

    /// Makes room for more keys.
    ///
    /// @return whether keys have other slots now
    private boolean ensure(int more) {
        long needed = (long) size + more;
        if (needed > hashes.length) {
            if (needed > MAX_SLOTS / 2) {
                throw new QueryException(SqlState.OUT_OF_MEMORY, "out of memory")
                        .withDetail("A hash table holds more than " + MAX_SLOTS / 2 + " keys.");
            }
            int capacity = (int) Math.max(needed, hashes.length * 2L);
            reservation.grow((capacity - hashes.length) * 8L);
            hashes = Arrays.copyOf(hashes, capacity);
        }
        if (needed * 2 <= slots.length) {
            return false;
        }
        long capacity = slots.length;
        while (capacity < needed * 2) {
            capacity *= 2;
        }
        reservation.grow(capacity * 8);
        int before = slots.length;
        slots = new long[(int) capacity];
        reservation.shrink(before * 8L);
        fill();
        return true;
    }

    private void fill() {
        long[] table = slots;
        int wrap = table.length - 1;
        for (int number = 0; number < size; number++) {
            if ((number & STOP_CHECK_KEYS - 1) == 0) {
                reservation.budget().checkStop();
            }
            long hash = hashes[number];
            int at = (int) hash & wrap;
            while (table[at] != 0) {
                at = at + 1 & wrap;
            }
            table[at] = hash & UPPER | number + 1;
        }
    }
}
