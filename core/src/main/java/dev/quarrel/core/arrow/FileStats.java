package dev.quarrel.core.arrow;

import dev.quarrel.core.table.ColumnStats;
import java.util.List;

/// What is known of one file's values, batch by batch.
///
/// @param sortedBy names of the columns whose values ascend through the file, most significant first
/// @param batches one a record batch, in the footer's order
public record FileStats(List<String> sortedBy, List<BatchStats> batches) {
    public FileStats {
        sortedBy = List.copyOf(sortedBy);
        batches = List.copyOf(batches);
    }

    /// @param columns one a field of the file's schema; values in canonical form (see [dev.quarrel.core.ir.Literal])
    public record BatchStats(int rowCount, List<ColumnStats> columns) {
        public BatchStats {
            columns = List.copyOf(columns);
        }
    }
}
