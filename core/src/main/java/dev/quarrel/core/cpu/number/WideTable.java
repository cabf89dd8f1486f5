package dev.quarrel.core.cpu.number;

import dev.quarrel.core.budget.Reservation;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;

/// A map from 128-bit keys to numbers from 0 on, in the order in which they come: open addressing, linear probing, at
/// most half full.
///
/// A key's two words stand side by side and its number at the same place of another array: a probe's two cache misses
/// do not wait for each other. Finding is for any number of threads at a time, adding for one.
public final class WideTable {
    private static final long MULTIPLIER = 0x9E37_79B9_7F4A_7C15L;
    private static final long OTHER_MULTIPLIER = 0xC2B2_AE3D_27D4_EB4FL;
    private static final int FIRST_CAPACITY = 16;
    private static final int MAX_CAPACITY = 1 << 29;
    private static final int SLOT_BYTES = 20;

    /// A large table's growth takes long: it looks this often whether the query is to stop.
    private static final int STOP_CHECK_SLOTS = 1 << 16;

    private final Reservation reservation;
    private long[] keys = new long[FIRST_CAPACITY * 2];
    private int[] numbers = new int[FIRST_CAPACITY]; // plus one; 0 is an empty slot
    private int size;

    public WideTable(Reservation reservation) {
        this.reservation = reservation;
        reservation.grow(FIRST_CAPACITY * (long) SLOT_BYTES);
    }

    int size() {
        return size;
    }

    /// @param shift 64 less the bits of a slot's index
    private static int slot(long high, long low, int shift) {
        long mixed = high * OTHER_MULTIPLIER ^ low;
        mixed = (mixed ^ mixed >>> 32) * MULTIPLIER;
        return (int) ((mixed ^ mixed >>> 29) * OTHER_MULTIPLIER >>> shift);
    }

    private static int shift(int capacity) {
        return Long.numberOfLeadingZeros(capacity) + 1;
    }

    /// The numbers of the keys in some rows, -1 for those that are not there.
    ///
    /// @param out receives the number of `rows[i]` at i
    /// @return whether one is not there
    public boolean findAll(long[] high, long[] low, int[] rows, int count, long[] out) {
        long[] table = keys;
        int[] known = numbers;
        int wrap = known.length - 1;
        int by = shift(known.length);
        int missing = 0;
        for (int index = 0; index < count; index++) {
            int row = rows[index];
            long upper = high[row];
            long lower = low[row];
            int at = slot(upper, lower, by);
            int number = known[at];
            while (number != 0 && (table[at * 2] != upper || table[at * 2 + 1] != lower)) {
                at = at + 1 & wrap;
                number = known[at];
            }
            out[index] = number - 1;
            missing |= number - 1;
        }
        return missing < 0;
    }

    /// The number of a key, which gets the next one if it has none yet.
    public int findOrAdd(long high, long low) {
        int wrap = numbers.length - 1;
        int at = slot(high, low, shift(numbers.length));
        while (numbers[at] != 0) {
            if (keys[at * 2] == high && keys[at * 2 + 1] == low) {
                return numbers[at] - 1;
            }
            at = at + 1 & wrap;
        }
        keys[at * 2] = high;
        keys[at * 2 + 1] = low;
        numbers[at] = ++size;
        if (size * 2L >= numbers.length) {
            grow();
        }
        return size - 1;
    }

    private void grow() {
        int[] old = numbers;
        long[] oldKeys = keys;
        if (old.length >= MAX_CAPACITY) {
            throw new QueryException(SqlState.OUT_OF_MEMORY, "out of memory")
                    .withDetail("A hash table holds more than " + MAX_CAPACITY / 2 + " keys.");
        }
        reservation.grow(old.length * 2L * SLOT_BYTES);
        int[] larger = new int[old.length * 2];
        long[] largerKeys = new long[old.length * 4];
        int by = shift(larger.length);
        int wrap = larger.length - 1;
        for (int from = 0; from < old.length; from++) {
            if ((from & STOP_CHECK_SLOTS - 1) == 0) {
                reservation.budget().checkStop();
            }
            if (old[from] != 0) {
                int at = slot(oldKeys[from * 2], oldKeys[from * 2 + 1], by);
                while (larger[at] != 0) {
                    at = at + 1 & wrap;
                }
                larger[at] = old[from];
                largerKeys[at * 2] = oldKeys[from * 2];
                largerKeys[at * 2 + 1] = oldKeys[from * 2 + 1];
            }
        }
        numbers = larger;
        keys = largerKeys;
        reservation.shrink(old.length * (long) SLOT_BYTES);
    }
}
