package dev.quarrel.core.device;

/// The range of rows that one worker takes at a time.
///
/// @param index its place among the pipeline's morsels, in scan order
/// @param batch batch of the source; the device may give negative numbers to work of its own
/// @param firstRow row of that batch
/// @param rowCount rows, above 0
public record Morsel(int index, int batch, int firstRow, int rowCount) {}
