package dev.quarrel.core.arrow.stats;

import dev.quarrel.core.table.ColumnStats;
import dev.quarrel.core.type.ValueOrder;
import java.util.List;

/// Merges the statistics of a column's batches into those of the column.
public final class StatsMerge {
    private StatsMerge() {}

    /// @param parts one a batch
    /// @param rowCounts one a batch; batches of no rows do not count
    public static ColumnStats merge(List<ColumnStats> parts, long[] rowCounts) {
        long nulls = 0;
        Object min = null;
        Object max = null;
        boolean bounded = true;
        for (int part = 0; part < rowCounts.length; part++) {
            ColumnStats stats = parts.get(part);
            if (rowCounts[part] == 0) {
                continue;
            }
            nulls = nulls < 0 || stats.nullCount() < 0 ? -1 : nulls + stats.nullCount();
            if (stats.nullCount() == rowCounts[part]) {
                continue; // nothing present, so nothing to bound
            }
            bounded &= stats.min() != null && stats.max() != null;
            if (bounded) {
                min = min == null ? stats.min() : ValueOrder.least(min, stats.min());
                max = max == null ? stats.max() : ValueOrder.greatest(max, stats.max());
            }
        }
        return new ColumnStats(
                nulls, bounded ? min : null, bounded ? max : null, distinctCount(parts, rowCounts, min, max));
    }

    /// Batches share their values or they do not; their counts alone do not say. Ranges that follow one another share
    /// none, and so do batches in which nearly every row has a value of its own; otherwise the largest batch speaks
    /// for all.
    private static long distinctCount(List<ColumnStats> parts, long[] rowCounts, Object min, Object max) {
        long largest = 0;
        long total = 0;
        long presentRows = 0;
        Object previousMax = null;
        boolean apart = true;
        for (int part = 0; part < rowCounts.length; part++) {
            ColumnStats stats = parts.get(part);
            if (rowCounts[part] == 0) {
                continue;
            }
            if (stats.distinctCount() < 0) {
                return -1;
            }
            largest = Math.max(largest, stats.distinctCount());
            total += stats.distinctCount();
            presentRows += rowCounts[part] - Math.max(0, stats.nullCount());
            if (stats.min() != null) {
                apart &= previousMax == null || ValueOrder.compare(previousMax, stats.min()) <= 0;
                previousMax = stats.max();
            }
        }
        boolean nearlyUnique = total > presentRows / 2;
        long estimate = apart || nearlyUnique ? Math.min(total, presentRows) : largest;
        if (min instanceof Long low && max instanceof Long high && high - low >= 0) {
            estimate = Math.min(estimate, high - low + 1 > 0 ? high - low + 1 : Long.MAX_VALUE);
        }
        return estimate;
    }
}
