package dev.quarrel.core.cpu.join;

import dev.quarrel.core.budget.MemoryBudget;
import dev.quarrel.core.budget.Reservation;
import dev.quarrel.core.cpu.number.KeyBloom;
import dev.quarrel.core.cpu.rows.IntStore;
import dev.quarrel.core.cpu.rows.LongStore;
import dev.quarrel.core.cpu.rows.ValueStore;

/// The values that a column of a build side has, as filters ask for them: a bit a value between the least and the
/// greatest one where they lie near each other, otherwise a Bloom filter.
///
/// - Nulls: NULL is not in it.
/// - Memory: reserved with the build side, and given back with it. Any number of threads reads it.
///
/// @param least of the values; above `greatest` where there are none
/// @param bitmap bit `value - from`, 32 an element, of which bit 0 is 0; null for a Bloom filter
/// @param from the value of bit 0
/// @param last the greatest place in the bitmap
/// @param bloom null for a bitmap
public record KeySet(long least, long greatest, int[] bitmap, long from, int last, KeyBloom bloom) {
    /// Bits a row, at most: past that a Bloom filter is smaller and nearer.
    private static final long MAX_ROW_BITS = 64;

    private static final long MIN_BITS = 1 << 16;
    private static final long MAX_BITS = 1L << 31;
    /// The share of the memory that is left which a filter is worth.
    private static final int MEMORY_SHARE = 8;

    private static final int STOP_CHECK_ROWS = 1 << 16;

    /// Whether there is no value.
    public boolean isEmpty() {
        return least > greatest;
    }

    /// The set, or null where there is none to be had.
    static KeySet of(JoinTable table, int column, Reservation reservation) {
        ValueStore store = table.column(column);
        if (!(store instanceof IntStore) && !(store instanceof LongStore)) {
            return null;
        }
        MemoryBudget budget = reservation.budget();
        int rows = store.size();
        long least = Long.MAX_VALUE;
        long greatest = Long.MIN_VALUE;
        for (int start = 0; start < rows; start += STOP_CHECK_ROWS) {
            budget.checkStop();
            for (int row = start; row < Math.min(rows, start + STOP_CHECK_ROWS); row++) {
                if (store.isPresent(row)) {
                    long value = value(store, row);
                    least = Math.min(least, value);
                    greatest = Math.max(greatest, value);
                }
            }
        }
        if (least > greatest) {
            return new KeySet(0, -1, new int[1], 0, 0, null);
        }
        // A whole build side's array tells as much.
        if (column == 0 && table.isDenseInteger()) {
            return new KeySet(
                    least,
                    greatest,
                    table.bitmap(),
                    table.index().denseBase() - 1,
                    table.index().denseSpan() - 1,
                    null);
        }
        long span = greatest - least;
        boolean isNear = span >= 0 && span < Math.min(MAX_BITS - 2, Math.max(MIN_BITS, rows * MAX_ROW_BITS));
        long bytes = isNear ? (span + 2) / Integer.SIZE * 4 + 4 : KeyBloom.bytes(rows);
        if (bytes > budget.availableBytes() / MEMORY_SHARE) {
            return null;
        }
        reservation.grow(bytes);
        int[] bitmap = isNear ? new int[(int) ((span + 2) / Integer.SIZE) + 1] : null;
        KeyBloom bloom = isNear ? null : new KeyBloom(rows);
        long from = least - 1;
        for (int start = 0; start < rows; start += STOP_CHECK_ROWS) {
            budget.checkStop();
            for (int row = start; row < Math.min(rows, start + STOP_CHECK_ROWS); row++) {
                if (!store.isPresent(row)) {
                    continue;
                }
                if (isNear) {
                    int place = (int) (value(store, row) - from);
                    bitmap[place >>> 5] |= 1 << place;
                } else {
                    bloom.add(value(store, row));
                }
            }
        }
        return new KeySet(least, greatest, bitmap, from, isNear ? (int) span + 1 : 0, bloom);
    }

    private static long value(ValueStore store, int row) {
        return store instanceof IntStore ints ? ints.values()[row] : ((LongStore) store).values()[row];
    }
}
