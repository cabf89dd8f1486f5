package dev.quarrel.core.arrow.stats;

import java.util.List;

/// The statistics that one pass over a batch has gathered.
///
/// @param columns one a field of the file's schema
public record BatchSummary(int rowCount, List<ColumnSummary> columns) {
    public BatchSummary {
        columns = List.copyOf(columns);
    }
}
