package dev.quarrel.core.device;

/// What is expected of a pipeline, from statistics.
///
/// @param sourceRows rows of its source, or -1 where unknown
/// @param sourceBytes bytes of the columns it reads, or -1 where unknown
public record PlacementHints(long sourceRows, long sourceBytes) {
    public static final PlacementHints UNKNOWN = new PlacementHints(-1, -1);
}
