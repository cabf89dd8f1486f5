package dev.quarrel.export;

import dev.quarrel.export.files.UnwrittenRows;
import dev.quarrel.export.snapshot.RowRange;

/// One connection that reads ranges of tables, one after another.
interface RowReader {
    /// Reads a range into `rows`, and offers them to be written from time to time. One thread at a time.
    ///
    /// - Errors: `QueryException`; the export is over then.
    void read(TableExport table, RowRange range, UnwrittenRows rows, ExportProgress progress);
}
