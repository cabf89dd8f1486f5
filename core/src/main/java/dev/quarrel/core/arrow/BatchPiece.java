package dev.quarrel.core.arrow;

/// Rows of one record batch of an [ArrowFile] that are read together: all of them, or some of a batch that is so large
/// that no more of it is to be copied at once.
///
/// @param index among the file's pieces
/// @param firstRow in the batch
/// @param isWhole whether it is all of the batch
public record BatchPiece(int index, int batch, int firstRow, int rowCount, boolean isWhole) {}
