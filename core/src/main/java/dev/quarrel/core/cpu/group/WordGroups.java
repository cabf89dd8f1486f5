package dev.quarrel.core.cpu.group;

import dev.quarrel.core.budget.Reservation;
import dev.quarrel.core.cpu.rows.DoubleStore;
import dev.quarrel.core.cpu.rows.IntStore;
import dev.quarrel.core.cpu.rows.KeyForm;
import dev.quarrel.core.cpu.rows.LongStore;
import dev.quarrel.core.cpu.rows.ValueStore;

/// Words group by group, to pick the n-th least of a group without sorting the group.
///
/// - Source: Hoare's FIND; pivots are medians of three, so the answer and the way to it depend on the words alone.
final class WordGroups {
    private static final int SHORT = 16;

    private final long[] words;
    private final int[] ends;

    /// @param groups of each row; a row's word is that of `values`
    WordGroups(ValueStore values, int[] groups, int groupCount, Reservation reservation) {
        int rowCount = values.size();
        reservation.grow(rowCount * 16L + groupCount * 8L);
        long[] inOrder = new long[rowCount];
        KeyForm.WordForm.order(values, 0, rowCount, inOrder);
        this.words = new long[rowCount];
        int[] next = OrderedGroups.ends(groups, rowCount, groupCount);
        this.ends = next.clone();
        for (int row = rowCount - 1; row >= 0; row--) {
            words[--next[groups[row]]] = inOrder[row];
        }
        reservation.shrink(rowCount * 8L + groupCount * 4L);
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
