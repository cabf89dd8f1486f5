package dev.quarrel.core.arrow;

import java.util.List;

/// What one pass over a batch found.
///
/// @param columns one a field of the file's schema
record BatchSummary(int rowCount, List<ColumnSummary> columns) {
    BatchSummary {
        columns = List.copyOf(columns);
    }
}
