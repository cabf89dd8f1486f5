package dev.quarrel.core.device;

import dev.quarrel.core.table.Table;

/// The size of a pipeline's input as statistics predict it, by which a device estimates the cost.
///
/// @param sourceRows rows of its source, or -1 where unknown
/// @param sourceBytes bytes of the columns it reads, or -1 where unknown
/// @param source the table that it scans, or null where there is none or it is not known
public record PlacementHints(long sourceRows, long sourceBytes, Table source) {
    public static final PlacementHints UNKNOWN = new PlacementHints(-1, -1);

    public PlacementHints(long sourceRows, long sourceBytes) {
        this(sourceRows, sourceBytes, null);
    }
}
