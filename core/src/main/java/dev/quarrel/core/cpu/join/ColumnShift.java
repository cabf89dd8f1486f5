package dev.quarrel.core.cpu.join;

import dev.quarrel.core.cpu.number.RowErrors;
import dev.quarrel.core.ir.Join;
import dev.quarrel.core.type.CivilDate;
import dev.quarrel.core.type.DataType;
import dev.quarrel.core.type.QueryException;

/// What is added to a column before it is compared with the bounds of a range ([Join.Range.Bound]): it is taken off the
/// bounds instead.
///
/// @param type of the column
/// @param minusInfinity what nothing is added to; below all values where there is none
/// @param infinity likewise
/// @param least the type's least finite value
/// @param most the greatest
/// @param down the shift that takes the column's values furthest down; 0 for none
/// @param up the one that takes them furthest up; 0 for none
record ColumnShift(DataType type, long minusInfinity, long infinity, long least, long most, long down, long up) {
    /// null where nothing is added.
    static ColumnShift of(DataType type, Join.Range range) {
        long low = range.lower() == null ? 0 : range.lower().shift();
        long high = range.upper() == null ? 0 : range.upper().shift();
        if (low == 0 && high == 0) {
            return null;
        }
        long down = Math.min(0, Math.min(low, high));
        long up = Math.max(0, Math.max(low, high));
        return switch (type) {
            case DataType.Int16 _ ->
                new ColumnShift(type, Long.MIN_VALUE, Long.MAX_VALUE, Short.MIN_VALUE, Short.MAX_VALUE, down, up);
            case DataType.Int32 _ ->
                new ColumnShift(type, Long.MIN_VALUE, Long.MAX_VALUE, Integer.MIN_VALUE, Integer.MAX_VALUE, down, up);
            case DataType.Date _ ->
                new ColumnShift(
                        type,
                        CivilDate.MINUS_INFINITY,
                        CivilDate.INFINITY,
                        CivilDate.FIRST_DAY,
                        CivilDate.END_DAY - 1,
                        down,
                        up);
            case DataType.Timestamp _ ->
                new ColumnShift(
                        type,
                        CivilDate.TIMESTAMP_MINUS_INFINITY,
                        CivilDate.TIMESTAMP_INFINITY,
                        CivilDate.FIRST_DAY * CivilDate.MICROS_PER_DAY,
                        CivilDate.TIMESTAMP_INFINITY - 1,
                        down,
                        up);
            default -> throw new IllegalArgumentException("no shift of a " + type);
        };
    }

    /// What the column itself is compared with: a bound less the shift, which is finite if the bound is.
    long unshifted(long bound, long shift) {
        if (shift == 0 || bound <= minusInfinity || bound >= infinity) {
            return bound;
        }
        long moved = bound - shift;
        boolean isTooFar = ((bound ^ shift) & (bound ^ moved)) < 0;
        if (isTooFar) {
            return shift > 0 ? minusInfinity + 1 : infinity - 1;
        }
        return Math.clamp(moved, minusInfinity + 1, infinity - 1);
    }

    /// Checks a value, to which something is added.
    ///
    /// - Errors: 22003 or 22008 where a sum is out of the type's range.
    void require(long value) {
        if (value > minusInfinity && value < infinity && (value < least - down || value > most - up)) {
            throw outOfRange();
        }
    }

    /// Checks the rows of a key, of which only the finite ones at both ends may be too near to the type's.
    ///
    /// - Errors: as of [#require(long)].
    void require(NearestRows rows, int first, int end) {
        int low = first;
        while (low < end && rows.valueAt(low) <= minusInfinity) {
            low++;
        }
        int high = end - 1;
        while (high >= low && rows.valueAt(high) >= infinity) {
            high--;
        }
        if (low <= high) {
            require(rows.valueAt(low));
            require(rows.valueAt(high));
        }
    }

    private QueryException outOfRange() {
        return switch (type) {
            case DataType.Int16 _ -> RowErrors.outOfRange("smallint");
            case DataType.Int32 _ -> RowErrors.outOfRange("integer");
            case DataType.Date _ -> RowErrors.dateOutOfRange();
            default -> RowErrors.timestampOutOfRange();
        };
    }
}
