package dev.quarrel.export;

import dev.quarrel.export.snapshot.RowRange;

/// One connection that reads ranges of tables, one after another.
interface RowReader {
    /// Appends a range's rows, and hands on what has become a batch. One thread at a time.
    ///
    /// - Errors: `QueryException`; the export is over then.
    void read(TableExport table, RowRange range, BatchBuilder builder, ExportProgress progress);
}
