package dev.quarrel.core.cpu;

import dev.quarrel.core.ir.SortKey;
import dev.quarrel.core.run.Reservation;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.List;

/// The order of rows by keys; equal rows stay in their order.
///
/// Each key column becomes 64-bit words that order as the values do (two words for wide decimals; ranks for text),
/// NULLs
/// first or
/// last by one word more; then rows are sorted word by word, the least significant first, by a stable radix sort
/// that
/// leaves out
/// the bytes that all rows share.
final class SortOrder {
    private final RowStore rows;
    private final int count;
    private final int[] order;
    private final int[] spare;
    private final long[] words;
    private final long[] spareWords;

    private SortOrder(RowStore rows) {
        this.rows = rows;
        this.count = rows.rowCount();
        this.order = new int[count];
        this.spare = new int[count];
        this.words = new long[count];
        this.spareWords = new long[count];
    }

    /// Places of the rows, in order.
    static int[] of(RowStore rows, List<SortKey> keys) {
        try (Reservation scratch = new Reservation(rows.reservation().budget())) {
            scratch.grow(rows.rowCount() * 24L);
            SortOrder sort = new SortOrder(rows);
            for (int row = 0; row < sort.count; row++) {
                sort.order[row] = row;
            }
            for (SortKey key : keys.reversed()) {
                sort.byKey(key, scratch);
            }
            return sort.order;
        }
    }

    private void byKey(SortKey key, Reservation scratch) {
        ValueStore column = rows.column(key.output());
        switch (column) {
            case BoolStore bools -> {
                for (int index = 0; index < count; index++) {
                    words[index] = bools.get(order[index]) ? 1 : 0;
                }
                byWords(column, key.descending());
            }
            case IntStore ints -> {
                for (int index = 0; index < count; index++) {
                    words[index] = ints.values()[order[index]];
                }
                byWords(column, key.descending());
            }
            case LongStore longs -> {
                for (int index = 0; index < count; index++) {
                    words[index] = longs.values()[order[index]];
                }
                byWords(column, key.descending());
            }
            case FloatStore floats -> {
                for (int index = 0; index < count; index++) {
                    words[index] = FloatBits.ordered(floats.values()[order[index]]);
                }
                byWords(column, key.descending());
            }
            case DoubleStore doubles -> {
                for (int index = 0; index < count; index++) {
                    words[index] = FloatBits.ordered(doubles.values()[order[index]]);
                }
                byWords(column, key.descending());
            }
            case DecimalStore decimals when decimals.scale() == null -> byDecimals(decimals, key.descending());
            case DecimalStore numerics -> byRanks(numerics, key.descending(), scratch);
            case TextStore text -> byRanks(text, key.descending(), scratch);
        }
        if (!column.isAllPresent()) {
            byNulls(column, key.nullsFirst());
        }
    }

    private void byDecimals(DecimalStore decimals, boolean descending) {
        for (int index = 0; index < count; index++) {
            words[index] = decimals.low()[order[index]] ^ Long.MIN_VALUE;
        }
        byWords(decimals, descending);
        for (int index = 0; index < count; index++) {
            words[index] = decimals.high()[order[index]];
        }
        byWords(decimals, descending);
    }

    private void byNulls(ValueStore column, boolean nullsFirst) {
        for (int index = 0; index < count; index++) {
            words[index] = column.isPresent(order[index]) == nullsFirst ? 1 : 0;
        }
        radixSort();
    }

    private void byWords(ValueStore column, boolean descending) {
        boolean anyNull = !column.isAllPresent();
        for (int index = 0; index < count; index++) {
            long word = words[index] ^ Long.MIN_VALUE;
            word = descending ? ~word : word;
            // What stands under a NULL must not disturb the order of NULLs among themselves.
            words[index] = anyNull && !column.isPresent(order[index]) ? 0 : word;
        }
        radixSort();
    }

    /// Sorts `order` by `words`, unsigned, stably.
    private void radixSort() {
        long any = 0;
        for (int index = 1; index < count; index++) {
            any |= words[index] ^ words[0];
        }
        long[] from = words;
        long[] to = spareWords;
        int[] rowsFrom = order;
        int[] rowsTo = spare;
        int[] starts = new int[256];
        for (int shift = 0; shift < 64; shift += 8) {
            if ((any >>> shift & 0xFF) == 0) {
                continue;
            }
            Arrays.fill(starts, 0);
            for (int index = 0; index < count; index++) {
                starts[(int) (from[index] >>> shift) & 0xFF]++;
            }
            int sum = 0;
            for (int digit = 0; digit < 256; digit++) {
                int size = starts[digit];
                starts[digit] = sum;
                sum += size;
            }
            for (int index = 0; index < count; index++) {
                int at = starts[(int) (from[index] >>> shift) & 0xFF]++;
                to[at] = from[index];
                rowsTo[at] = rowsFrom[index];
            }
            long[] words2 = from;
            from = to;
            to = words2;
            int[] rows2 = rowsFrom;
            rowsFrom = rowsTo;
            rowsTo = rows2;
        }
        if (rowsFrom != order) {
            System.arraycopy(rowsFrom, 0, order, 0, count);
        }
    }

    // Values without a word that orders them: each gets its rank among the distinct ones.

    private void byRanks(ValueStore column, boolean descending, Reservation scratch) {
        if (column instanceof TextStore text && text.dictionary() != null) {
            byDictionary(text, descending, scratch);
            return;
        }
        scratch.grow(count * 8L);
        int[] sorted = new int[count];
        int present = 0;
        for (int row = 0; row < count; row++) {
            if (column.isPresent(row)) {
                sorted[present++] = row;
            }
        }
        mergeSort(column, sorted, present);
        int[] ranks = new int[count];
        int rank = 0;
        for (int index = 0; index < present; index++) {
            if (index > 0 && compare(column, sorted[index - 1], sorted[index]) != 0) {
                rank++;
            }
            ranks[sorted[index]] = rank;
        }
        for (int index = 0; index < count; index++) {
            words[index] = ranks[order[index]];
        }
        byWords(column, descending);
        scratch.shrink(count * 8L);
    }

    private void byDictionary(TextStore text, boolean descending, Reservation scratch) {
        int entries = text.dictionary().size();
        scratch.grow(entries * 9L);
        boolean[] used = new boolean[entries];
        int[] rowOf = new int[entries];
        for (int row = 0; row < count; row++) {
            if (text.isPresent(row)) {
                used[text.codes()[row]] = true;
                rowOf[text.codes()[row]] = row;
            }
        }
        int[] sorted = new int[entries];
        int present = 0;
        for (int code = 0; code < entries; code++) {
            if (used[code]) {
                sorted[present++] = rowOf[code];
            }
        }
        mergeSort(text, sorted, present);
        int[] ranks = rowOf;
        for (int index = 0; index < present; index++) {
            ranks[text.codes()[sorted[index]]] = index;
        }
        for (int index = 0; index < count; index++) {
            int row = order[index];
            words[index] = text.isPresent(row) ? ranks[text.codes()[row]] : 0;
        }
        byWords(text, descending);
        scratch.shrink(entries * 9L);
    }

    private static int compare(ValueStore column, int one, int other) {
        if (column instanceof TextStore text) {
            MemorySegment a = text.bytes(one);
            MemorySegment b = text.bytes(other);
            return compareBytes(a, text.start(one), text.length(one), b, text.start(other), text.length(other));
        }
        DecimalStore numbers = (DecimalStore) column;
        return Int128.compareScaled(
                numbers.high()[one],
                numbers.low()[one],
                numbers.scale()[one],
                numbers.high()[other],
                numbers.low()[other],
                numbers.scale()[other]);
    }

    /// By bytes, unsigned; a prefix comes first.
    static int compareBytes(MemorySegment a, long startA, int lengthA, MemorySegment b, long startB, int lengthB) {
        long at = MemorySegment.mismatch(a, startA, startA + lengthA, b, startB, startB + lengthB);
        if (at < 0) {
            return 0;
        }
        if (at >= lengthA || at >= lengthB) {
            return Integer.compare(lengthA, lengthB);
        }
        return Integer.compare(
                a.get(ValueLayout.JAVA_BYTE, startA + at) & 0xFF, b.get(ValueLayout.JAVA_BYTE, startB + at) & 0xFF);
    }

    private static void mergeSort(ValueStore column, int[] rows, int count) {
        int[] from = rows;
        int[] to = new int[count];
        for (int width = 1; width < count; width *= 2) {
            for (int start = 0; start < count; start += 2 * width) {
                merge(column, from, to, start, Math.min(start + width, count), Math.min(start + 2 * width, count));
            }
            int[] swap = from;
            from = to;
            to = swap;
        }
        if (from != rows) {
            System.arraycopy(from, 0, rows, 0, count);
        }
    }

    private static void merge(ValueStore column, int[] from, int[] to, int start, int middle, int end) {
        int left = start;
        int right = middle;
        for (int at = start; at < end; at++) {
            boolean takeLeft = right >= end || left < middle && compare(column, from[left], from[right]) <= 0;
            to[at] = takeLeft ? from[left++] : from[right++];
        }
    }
}
