package dev.quarrel.core.table;

import dev.quarrel.core.type.ValueOrder;

/// The statistics of a column in a batch, file or table: what is known of its values without reading them.
///
/// @param nullCount rows that are NULL, or -1 where unknown
/// @param min a value no greater than any present one, in the canonical Java form of a `Literal` of the column's type;
///     null where unknown
/// @param max a value no less than any present one (a truncated text bound is rounded up); null where unknown
/// @param distinctCount an estimate of distinct present values, or -1 where unknown
public record ColumnStats(long nullCount, Object min, Object max, long distinctCount) {
    public static final ColumnStats UNKNOWN = new ColumnStats(-1, null, null, -1);

    /// What is known of some of the rows. Bounds stay bounds; how many of these are NULL is not known, unless none are
    /// of all, or all are.
    public ColumnStats ofSome(long allRows, long rows) {
        long nulls = nullCount == 0 ? 0 : nullCount == allRows ? rows : -1;
        return new ColumnStats(nulls, min, max, Math.min(distinctCount, rows));
    }

    /// Whether none of so many rows has a value in a range.
    ///
    /// @param low the least value of the range; null for no bound
    /// @param high the greatest
    public boolean excludes(Object low, Object high, long rows) {
        return nullCount >= 0 && nullCount == rows
                || low != null && max != null && ValueOrder.compare(max, low) < 0
                || high != null && min != null && ValueOrder.compare(min, high) > 0;
    }
}
