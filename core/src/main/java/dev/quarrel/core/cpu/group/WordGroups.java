package dev.quarrel.core.cpu.group;

import dev.quarrel.core.budget.Reservation;
import dev.quarrel.core.cpu.rows.DoubleStore;
import dev.quarrel.core.cpu.rows.IntStore;
import dev.quarrel.core.cpu.rows.KeyForm;
import dev.quarrel.core.cpu.rows.LongStore;
import dev.quarrel.core.cpu.rows.ValueStore;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;
import java.util.List;

/// Words group by group, to pick the n-th least of a group without sorting the group.
///
/// In turn: `count` for each worker's rows, by any number of threads at the same time; `settle`; `fill` for each; then
/// any number of threads for groups of their own.
///
/// - Source: Hoare's FIND; pivots are medians of three, so the answer and the way to it depend on the words alone.
final class WordGroups {
    private static final int SHORT = 16;

    /// Rows of one loop: a first run compiles the loop after a few calls.
    private static final int TILE_ROWS = 1 << 13;

    private final List<Rows> pieces;
    private final int groupCount;
    private final int rowCount;
    private final Reservation reservation;
    private final int[] ends;
    private int[][] places; // by worker and group: rows, then where the next one goes
    private long[] words;
    private volatile boolean hasNegativeZero;

    /// The rows of one worker.
    ///
    /// @param groups of each row, as the worker numbers them
    /// @param mapped the group here of each of the worker's; null where they are the same
    record Rows(ValueStore values, int[] groups, int[] mapped) {
        int group(int row) {
            return mapped == null ? groups[row] : mapped[groups[row]];
        }
    }

    WordGroups(List<Rows> pieces, int groupCount, Reservation reservation) {
        long all = pieces.stream().mapToLong(rows -> rows.values.size()).sum();
        if (all > Integer.MAX_VALUE - 16) {
            throw new QueryException(SqlState.OUT_OF_MEMORY, "out of memory")
                    .withDetail(all + " rows would have to be ordered in memory.");
        }
        reservation.grow(all * 8 + groupCount * 4L * (1 + pieces.size()));
        this.pieces = pieces;
        this.groupCount = groupCount;
        this.rowCount = (int) all;
        this.reservation = reservation;
        this.ends = new int[groupCount];
        this.places = new int[pieces.size()][];
    }

    void count(int piece) {
        Rows rows = pieces.get(piece);
        int[] counts = new int[groupCount];
        int count = rows.values.size();
        for (int from = 0; from < count; from += TILE_ROWS) {
            reservation.budget().checkStop();
            count(rows, from, Math.min(from + TILE_ROWS, count), counts);
        }
        places[piece] = counts;
    }

    private static void count(Rows rows, int from, int to, int[] counts) {
        for (int row = from; row < to; row++) {
            counts[rows.group(row)]++;
        }
    }

    void settle() {
        int next = 0;
        for (int group = 0; group < groupCount; group++) {
            for (int[] counts : places) {
                int count = counts[group];
                counts[group] = next;
                next += count;
            }
            ends[group] = next;
        }
        words = new long[rowCount];
    }

    void fill(int piece) {
        Rows rows = pieces.get(piece);
        int count = rows.values.size();
        long[] inOrder = new long[Math.min(TILE_ROWS, count)];
        for (int from = 0; from < count; from += TILE_ROWS) {
            reservation.budget().checkStop();
            int to = Math.min(from + TILE_ROWS, count);
            KeyForm.WordForm.order(rows.values, from, to - from, inOrder);
            fill(rows, from, to, inOrder, places[piece]);
            if (rows.values instanceof DoubleStore doubles && hasNegativeZero(doubles.values(), from, to)) {
                hasNegativeZero = true;
            }
        }
    }

    private void fill(Rows rows, int from, int to, long[] inOrder, int[] next) {
        for (int row = from; row < to; row++) {
            words[next[rows.group(row)]++] = inOrder[row - from];
        }
    }

    private static boolean hasNegativeZero(double[] values, int from, int to) {
        boolean has = false;
        for (int row = from; row < to; row++) {
            has |= Double.doubleToRawLongBits(values[row]) == Long.MIN_VALUE;
        }
        return has;
    }

    /// Frees what served to fill it.
    void filled() {
        reservation.shrink(groupCount * 4L * places.length);
        places = new int[0][];
    }

    /// Whether the word of zero may be that of a negative zero.
    boolean hasNegativeZero() {
        return hasNegativeZero;
    }

    /// Whether values have a word, and the word says all of the value.
    static boolean isFor(ValueStore values) {
        return values instanceof IntStore || values instanceof LongStore || values instanceof DoubleStore;
    }

    int start(int group) {
        return group == 0 ? 0 : ends[group - 1];
    }

    int size(int group) {
        return ends[group] - start(group);
    }

    /// The word at a place of the group's order; afterwards no word in front of it is greater, and none behind it less.
    long nth(int group, int place) {
        int from = start(group);
        int wanted = from + place;
        int to = ends[group] - 1;
        while (to - from >= SHORT) {
            long pivot = median(words[from], words[from + to >>> 1], words[to]);
            int low = from;
            int high = to;
            while (low <= high) {
                while (words[low] < pivot) {
                    low++;
                }
                while (words[high] > pivot) {
                    high--;
                }
                if (low <= high) {
                    long word = words[low];
                    words[low++] = words[high];
                    words[high--] = word;
                }
            }
            // Between high and low words are the pivot.
            if (wanted <= high) {
                to = high;
            } else if (wanted >= low) {
                from = low;
            } else {
                return pivot;
            }
        }
        sort(from, to);
        return words[wanted];
    }

    /// The least word behind a place at which [#nth] was asked for.
    long after(int group, int place) {
        long least = Long.MAX_VALUE;
        for (int at = start(group) + place + 1; at < ends[group]; at++) {
            least = Math.min(least, words[at]);
        }
        return least;
    }

    private void sort(int from, int to) {
        for (int index = from + 1; index <= to; index++) {
            long word = words[index];
            int at = index;
            while (at > from && words[at - 1] > word) {
                words[at] = words[at - 1];
                at--;
            }
            words[at] = word;
        }
    }

    private static long median(long one, long other, long third) {
        return Math.max(Math.min(one, other), Math.min(Math.max(one, other), third));
    }
}
