package dev.quarrel.core.ir;

/// One column of an order.
///
/// @param output output of the pipeline's last program
public record SortKey(int output, boolean descending, boolean nullsFirst) {}
