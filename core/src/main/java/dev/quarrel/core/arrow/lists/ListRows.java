package dev.quarrel.core.arrow.lists;

import dev.quarrel.core.column.Column;
import dev.quarrel.core.column.Validity;

/// The lists of one column in one batch.
///
/// @param offsets list i's elements are those from `offsets[i]` to before `offsets[i + 1]`, unless it is NULL
/// @param ends where each list ends of those that do not follow one another, which `offsets` has a number each for;
///   null for lists that do
/// @param elements of all lists; null where they were not asked for
public record ListRows(int[] offsets, int[] ends, Validity validity, Column elements) {
    public ListRows(int[] offsets, Validity validity, Column elements) {
        this(offsets, null, validity, elements);
    }

    public int rowCount() {
        return ends == null ? offsets.length - 1 : ends.length;
    }

    /// Where a list ends, if it is not NULL.
    public int end(int row) {
        return ends == null ? offsets[row + 1] : ends[row];
    }

    /// How many elements a list has; a NULL has none.
    public int length(int row) {
        return validity.isPresent(row) ? end(row) - offsets[row] : 0;
    }

    /// A place before which no list has an element.
    public int firstElement() {
        if (ends == null) {
            return offsets[0];
        }
        int first = Integer.MAX_VALUE;
        for (int row = 0; row < rowCount() && first > 0; row++) {
            first = length(row) > 0 ? Math.min(first, offsets[row]) : first;
        }
        return first == Integer.MAX_VALUE ? 0 : first;
    }

    /// The same lists, where the first elements are left out. None of these may be in a list.
    public ListRows from(int element) {
        return new ListRows(shifted(offsets, element), ends == null ? null : shifted(ends, element), validity, null);
    }

    private static int[] shifted(int[] places, int by) {
        int[] shifted = new int[places.length];
        for (int index = 0; index < shifted.length; index++) {
            shifted[index] = Math.max(0, places[index] - by);
        }
        return shifted;
    }

    /// Whether there may be elements that no list has, within or between others: those of NULLs, and of lists that
    /// are left out.
    public boolean hasGaps() {
        if (ends != null) {
            return true;
        }
        if (validity.isAllPresent()) {
            return false;
        }
        for (int row = 0; row < rowCount(); row++) {
            if (offsets[row + 1] > offsets[row] && !validity.isPresent(row)) {
                return true;
            }
        }
        return false;
    }
}
