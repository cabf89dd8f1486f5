package dev.quarrel.core.ir;

/// Rows of a scan that change nothing: those whose column is NULL or has none of the values that a column of some build
/// side has, since a join later on, of this pipeline or of one that reads what it makes, would drop all that becomes of
/// them.
///
/// It is for a device to use or not. A device that does waits for the build side, which may be a later pipeline of the
/// plan; there is no circle.
///
/// @param column of the source
/// @param build number of the pipeline whose sink is a [Sink.HashBuild]
/// @param buildColumn of its rows, which are keys, then payload; of the type that `column` has
public record RuntimeFilter(int column, int build, int buildColumn) {}
