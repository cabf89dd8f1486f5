package dev.quarrel.core.cpu.rows;

import dev.quarrel.core.budget.Reservation;
import java.util.Arrays;

/// Sorts a cache-sized run of rows, stably, by their key words: the bits that differ are packed with each row's place
/// into one word, so that only words move; runs that are equal so far go on with their further bits and words.
///
/// - Memory: scratch that grows to the largest run; one thread at a time uses it.
final class WordSort {
    private static final int INSERTION_ROWS = 24;
    private static final int SHORT_ROWS = 512;
    private static final int LONG_ROWS = 4096;
    private static final int STOP_CHECK_ROWS = 1 << 14;

    private final KeyWords keys;
    private final Reservation reservation;
    private long[] packed = new long[0];
    private long[] spare = new long[0];
    private int[] oldIds = new int[0];
    private long[] oldWords = new long[0];
    private final int[] counts = new int[1 << 11];

    WordSort(KeyWords keys, Reservation reservation) {
        this.keys = keys;
        this.reservation = reservation;
    }

    /// Sorts rows [from, to).
    ///
    /// @param words the rows' first words; afterwards they say nothing
    /// @param ids the rows
    void sort(long[] words, int[] ids, int from, int to) {
        sort(words, ids, from, to, 0);
    }

    private void sort(long[] words, int[] ids, int from, int to, int level) {
        int count = to - from;
        if (count < 2) {
            return;
        }
        if (count >= STOP_CHECK_ROWS) {
            reservation.budget().checkStop();
        }
        if (count <= INSERTION_ROWS) {
            insert(words, ids, from, to);
            ties(words, ids, from, to, level);
            return;
        }
        long first = words[from];
        long differing = 0;
        for (int index = from + 1; index < to; index++) {
            differing |= words[index] ^ first;
        }
        if (differing == 0) {
            next(words, ids, from, to, level);
            return;
        }
        int end = 64 - Long.numberOfLeadingZeros(differing);
        int low = Long.numberOfTrailingZeros(differing);
        int placeBits = 32 - Integer.numberOfLeadingZeros(count - 1);
        int bits = Math.min(end - low, 63 - placeBits);
        int shift = end - bits;
        pack(words, from, count, shift, bits, placeBits);
        long[] sorted = order(count, placeBits, bits);
        place(sorted, words, ids, from, count, placeBits);
        if (shift > low) {
            for (int start = from; start < to; ) {
                int stop = start + 1;
                while (stop < to && words[stop] >>> shift == words[start] >>> shift) {
                    stop++;
                }
                sort(words, ids, start, stop, level);
                start = stop;
            }
        } else {
            ties(words, ids, from, to, level);
        }
    }

    private static void insert(long[] words, int[] ids, int from, int to) {
        for (int index = from + 1; index < to; index++) {
            long word = words[index];
            int id = ids[index];
            int place = index;
            while (place > from && words[place - 1] > word) {
                words[place] = words[place - 1];
                ids[place] = ids[place - 1];
                place--;
            }
            words[place] = word;
            ids[place] = id;
        }
    }

    private void pack(long[] words, int from, int count, int shift, int bits, int placeBits) {
        if (packed.length < count) {
            int length = Math.max(count, 1 << 10);
            reservation.grow((length - (long) packed.length) * 28);
            packed = new long[length];
            spare = new long[length];
            oldIds = new int[length];
            oldWords = new long[length];
        }
        long mask = -1L >>> 64 - bits;
        for (int index = 0; index < count; index++) {
            packed[index] = (words[from + index] >>> shift & mask) << placeBits | index;
        }
    }

    /// The packed words in order; in `packed` or `spare`.
    private long[] order(int count, int low, int bits) {
        int digitBits = count >= LONG_ROWS ? 11 : 8;
        int passes = (bits + digitBits - 1) / digitBits;
        if (count < 64 || count < SHORT_ROWS && passes > 4) {
            Arrays.sort(packed, 0, count); // no two are equal
            return packed;
        }
        digitBits = (bits + passes - 1) / passes;
        long[] from = packed;
        long[] to = spare;
        for (int shift = low; shift < low + bits; shift += digitBits) {
            int width = Math.min(digitBits, low + bits - shift);
            int mask = (1 << width) - 1;
            Arrays.fill(counts, 0, mask + 1, 0);
            for (int index = 0; index < count; index++) {
                counts[(int) (from[index] >>> shift) & mask]++;
            }
            if (counts[(int) (from[0] >>> shift) & mask] == count) {
                continue;
            }
            int sum = 0;
            for (int digit = 0; digit <= mask; digit++) {
                int size = counts[digit];
                counts[digit] = sum;
                sum += size;
            }
            for (int index = 0; index < count; index++) {
                long word = from[index];
                to[counts[(int) (word >>> shift) & mask]++] = word;
            }
            long[] swap = from;
            from = to;
            to = swap;
        }
        return from;
    }

    private void place(long[] sorted, long[] words, int[] ids, int from, int count, int placeBits) {
        System.arraycopy(ids, from, oldIds, 0, count);
        System.arraycopy(words, from, oldWords, 0, count);
        int mask = (int) ((1L << placeBits) - 1);
        for (int index = 0; index < count; index++) {
            int old = (int) sorted[index] & mask;
            ids[from + index] = oldIds[old];
            words[from + index] = oldWords[old];
        }
    }

    /// Sorts runs of equal words by what comes behind.
    private void ties(long[] words, int[] ids, int from, int to, int level) {
        if (level + 1 >= keys.wordCount() && keys.isExact()) {
            return;
        }
        for (int start = from; start < to; ) {
            int stop = start + 1;
            while (stop < to && words[stop] == words[start]) {
                stop++;
            }
            if (stop > start + 1) {
                next(words, ids, start, stop, level);
            }
            start = stop;
        }
    }

    /// Sorts rows of one word by the next word, or by comparing.
    private void next(long[] words, int[] ids, int from, int to, int level) {
        if (level + 1 < keys.wordCount()) {
            RowIds places = keys.ids();
            for (int index = from; index < to; index++) {
                words[index] = keys.words(level + 1, places.store(ids[index]))[places.row(ids[index])];
            }
            sort(words, ids, from, to, level + 1);
        } else if (!keys.isExact()) {
            TieSort.sort(ids, from, to, keys::compare, reservation.budget()::checkStop);
        }
    }
}
