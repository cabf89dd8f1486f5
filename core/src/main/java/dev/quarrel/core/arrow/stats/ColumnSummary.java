package dev.quarrel.core.arrow.stats;

import dev.quarrel.core.table.ColumnStats;

/// The statistics that one pass over a column of a batch has gathered, and whether the rows ascend.
///
/// @param ascending no row is NULL and none is below the one before it
/// @param first the first row's value, only where `ascending` and there are rows
/// @param last the last row's value, likewise
public record ColumnSummary(ColumnStats stats, boolean ascending, Object first, Object last) {}
