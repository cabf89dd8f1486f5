package dev.quarrel.core.ir;

/// The range of a column's values in which a scan is interested: `low <= column <= high`; NULL is outside.
///
/// @param column index into the scan's columns
/// @param low slot number of the lower bound, or -1 for none; the slot has the column's type
/// @param high slot number of the upper bound, or -1 for none
public record ColumnRange(int column, int low, int high) {}
