package dev.quarrel.core.cpu.join;

import dev.quarrel.core.budget.MemoryBudget;
import dev.quarrel.core.budget.Reservation;
import dev.quarrel.core.cpu.rows.IntStore;
import dev.quarrel.core.cpu.rows.LongStore;
import dev.quarrel.core.cpu.rows.ValueStore;
import dev.quarrel.core.device.KeyBloom;
import java.util.Arrays;

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
/// @param few the values of a small set with a Bloom filter, ascending; else null
public record KeySet(long least, long greatest, int[] bitmap, long from, int last, KeyBloom bloom, long[] few) {
    /// Bits a row, at most: past that a Bloom filter is smaller and nearer.
    private static final long MAX_ROW_BITS = 64;

    private static final long MIN_BITS = 1 << 16;
    private static final long MAX_BITS = 1L << 31;
    /// The share of the memory that is left which a filter is worth.
    private static final int MEMORY_SHARE = 8;

    private static final int STOP_CHECK_ROWS = 1 << 16;
    private static final int FEW_ROWS = 1 << 14;

    /// Whether there is no value.
    public boolean isEmpty() {
        return least > greatest;
    }

    /// Whether there may be a value between two, the two of them included.
    public boolean mayHaveBetween(long low, long high) {
        long first = Math.max(low, least);
        long end = Math.min(high, greatest);
        if (first > end) {
            return false;
        }
        if (bitmap != null) {
            return hasBit((int) (first - from), (int) (end - from));
        }
        if (few == null) {
            return true;
        }
        int place = Arrays.binarySearch(few, first);
        return place >= 0 || -place - 1 < few.length && few[-place - 1] <= end;
    }

    /// Whether a bit of [first, end] is 1.
    private boolean hasBit(int first, int end) {
        int word = first >>> 5;
        int lastWord = end >>> 5;
        int bits = bitmap[word] & -1 << first;
        while (word < lastWord && bits == 0) {
            bits = bitmap[++word];
        }
        return word < lastWord ? bits != 0 : (bits & -1 >>> 31 - (end & 31)) != 0;
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
            return new KeySet(0, -1, new int[1], 0, 0, null, null);
        }
        // A whole build side's array tells as much.
        if (column == 0 && table.isDenseInteger()) {
            return new KeySet(
                    least,
                    greatest,
                    table.bitmap(),
                    table.index().denseBase() - 1,
                    table.index().denseSpan() - 1,
                    null,
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
        long[] few = isNear || rows > FEW_ROWS ? null : few(store, reservation);
        return new KeySet(least, greatest, bitmap, from, isNear ? (int) span + 1 : 0, bloom, few);
    }

    private static long[] few(ValueStore store, Reservation reservation) {
        reservation.grow(store.size() * 8L);
        long[] values = new long[store.size()];
        int count = 0;
        for (int row = 0; row < values.length; row++) {
            if (store.isPresent(row)) {
                values[count++] = value(store, row);
            }
        }
        long[] ascending = Arrays.copyOf(values, count);
        Arrays.sort(ascending);
        return ascending;
    }

    private static long value(ValueStore store, int row) {
        return store instanceof IntStore ints ? ints.values()[row] : ((LongStore) store).values()[row];
    }
}
