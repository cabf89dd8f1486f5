package dev.quarrel.export.snapshot;

import java.util.Set;

/// A table that was chosen for the export.
///
/// @param relation schema and name, quoted where SQL wants it
/// @param kind `pg_class.relkind`
/// @param isNamed whether it was named, and not found by a pattern
/// @param leftOut OIDs of the partitions and children whose rows are not wanted
record SelectedTable(long oid, String relation, String kind, boolean isNamed, Set<Long> leftOut) {
    SelectedTable {
        leftOut = Set.copyOf(leftOut);
    }

    /// Whether LOCK takes it: materialized views and foreign tables it does not.
    boolean isLockable() {
        return "rpv".contains(kind);
    }
}
