package dev.quarrel.core.table;

import java.util.List;

/// The statistics of a table: for planning, never for answers.
///
/// @param rowCount exact
/// @param columns one a field of the table's schema
public record TableStats(long rowCount, List<ColumnStats> columns) {
    public TableStats {
        columns = List.copyOf(columns);
    }
}
