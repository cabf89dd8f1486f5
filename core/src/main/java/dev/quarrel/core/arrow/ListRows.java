package dev.quarrel.core.arrow;

import dev.quarrel.core.column.Column;
import dev.quarrel.core.column.Validity;

/// The lists of one column in one batch.
///
/// @param offsets list i's elements are those from `offsets[i]` to before `offsets[i + 1]`, unless it is NULL
/// @param elements of all lists; null where they were not asked for
public record ListRows(int[] offsets, Validity validity, Column elements) {
    public int rowCount() {
        return offsets.length - 1;
    }

    /// How many elements a list has; a NULL has none.
    public int length(int row) {
        return validity.isPresent(row) ? offsets[row + 1] - offsets[row] : 0;
    }

    /// Whether there are elements that no list has, within or between others: those of NULLs.
    public boolean hasGaps() {
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
