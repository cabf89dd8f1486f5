package dev.quarrel.core.cpu.number;

import dev.quarrel.core.budget.Reservation;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;
import java.util.Arrays;

/// A map from 64-bit keys to numbers from 0 on: open addressing, linear probing, at most half full.
///
/// A slot is two words side by side (the key; the number plus one, 0 = empty), so that a probe touches one cache
/// line.
/// Finding is for any number of threads at a time, adding for one.
public final class LongTable {
    private static final long MULTIPLIER = 0x9E37_79B9_7F4A_7C15L;
    private static final int MAX_CAPACITY = 1 << 29;

    /// A large table's growth takes long: it looks this often whether the query is to stop.
    private static final int STOP_CHECK_WORDS = 1 << 17;

    private final Reservation reservation;
    private long[] slots;
    private int shift;
    private int size;

    public LongTable(Reservation reservation, int expected) {
        this.reservation = reservation;
        int capacity = 16;
        while (capacity < 2L * expected && capacity < MAX_CAPACITY) {
            capacity *= 2;
        }
        reservation.grow(capacity * 16L);
        this.slots = new long[capacity * 2];
        this.shift = Long.numberOfLeadingZeros(capacity) + 1;
    }

    public int size() {
        return size;
    }

    private static int slot(long key, int shift) {
        long folded = key ^ key >>> 32;
        return (int) (folded * MULTIPLIER >>> shift) << 1;
    }

    /// The number of a key, or -1.
    public int find(long key) {
        long[] table = slots;
        int wrap = table.length - 1;
        int at = slot(key, shift);
        while (table[at + 1] != 0) {
            if (table[at] == key) {
                return (int) table[at + 1] - 1;
            }
            at = at + 2 & wrap;
        }
        return -1;
    }

    /// The numbers of many keys, -1 for those that are not there.
    public void findAll(long[] keys, int count, int[] numbers) {
        long[] table = slots;
        int wrap = table.length - 1;
        int by = shift;
        for (int index = 0; index < count; index++) {
            long key = keys[index];
            if (index > 0 && key == keys[index - 1]) { // as in rows that stand in the order of their keys
                numbers[index] = numbers[index - 1];
                continue;
            }
            int at = slot(key, by);
            long number = table[at + 1];
            while (number != 0 && table[at] != key) {
                at = at + 2 & wrap;
                number = table[at + 1];
            }
            numbers[index] = (int) number - 1;
        }
    }

    /// The number of a key, which becomes `number` if it has none yet.
    public int findOrAdd(long key, int number) {
        long[] table = slots;
        int wrap = table.length - 1;
        int at = slot(key, shift);
        while (table[at + 1] != 0) {
            if (table[at] == key) {
                return (int) table[at + 1] - 1;
            }
            at = at + 2 & wrap;
        }
        table[at] = key;
        table[at + 1] = number + 1L;
        if (++size * 4L >= table.length) {
            grow();
        }
        return number;
    }

    /// The numbers of many keys; new keys get numbers from `next` on.
    ///
    /// @param newAt receives the places in `keys` of the new ones, from `newCount` on
    /// @return the next number
    public int assignAll(long[] keys, int count, int[] numbers, int next, int[] newAt, int newCount) {
        // Finding first lets the core overlap the cache misses of many keys; most are known already.
        findAll(keys, count, numbers);
        int fresh = next;
        int places = newCount;
        for (int index = 0; index < count; index++) {
            if (numbers[index] < 0) {
                if (index > 0 && keys[index] == keys[index - 1]) {
                    numbers[index] = numbers[index - 1];
                    continue;
                }
                int number = findOrAdd(keys[index], fresh);
                numbers[index] = number;
                if (number == fresh) {
                    newAt[places++] = index;
                    fresh++;
                }
            }
        }
        return fresh;
    }

    private void grow() {
        long[] old = slots;
        if (old.length >= MAX_CAPACITY * 2L - 2) {
            throw new QueryException(SqlState.OUT_OF_MEMORY, "out of memory")
                    .withDetail("A hash table holds more than " + MAX_CAPACITY / 2 + " keys.");
        }
        reservation.grow(old.length * 16L);
        long[] larger = new long[old.length * 2];
        int by = shift - 1;
        int wrap = larger.length - 1;
        for (int from = 0; from < old.length; from += 2) {
            if ((from & STOP_CHECK_WORDS - 1) == 0) {
                reservation.budget().checkStop();
            }
            if (old[from + 1] != 0) {
                int at = slot(old[from], by);
                while (larger[at + 1] != 0) {
                    at = at + 2 & wrap;
                }
                larger[at] = old[from];
                larger[at + 1] = old[from + 1];
            }
        }
        slots = larger;
        shift = by;
        reservation.shrink(old.length * 8L);
    }

    /// Forgets all keys, and keeps the memory for the next ones.
    public void clear() {
        Arrays.fill(slots, 0);
        size = 0;
    }

    /// Hands back the memory; it is not to be used after.
    public void release() {
        reservation.shrink(slots.length * 8L);
        slots = new long[0];
    }
}
