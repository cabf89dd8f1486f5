package dev.quarrel.core.arrow.stats;

import java.util.List;

/// What one pass over a batch found.
///
/// @param columns one a field of the file's schema
public record BatchSummary(int rowCount, List<ColumnSummary> columns) {
    public BatchSummary {
        columns = List.copyOf(columns);
    }
}
