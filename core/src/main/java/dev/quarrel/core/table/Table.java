package dev.quarrel.core.table;

import dev.quarrel.core.column.Batch;
import dev.quarrel.core.type.Schema;
import java.util.List;

/// A table as one catalog snapshot sees it: immutable, its rows in numbered batches.
///
/// Threads share it freely. It lives as long as the snapshot it came from.
public interface Table {
    String schemaName();

    String name();

    Schema schema();

    TableStats stats();

    /// Columns by index into `schema()` that the rows ascend in, most significant first; empty where none is known.
    default List<Integer> sortedBy() {
        return List.of();
    }

    int batchCount();

    /// Rows of one batch; the sum over all is `stats().rowCount()`.
    int batchRows(int batch);

    /// Statistics of one column in one batch, so that a scan can skip it.
    default ColumnStats batchStats(int batch, int column) {
        return ColumnStats.UNKNOWN;
    }

    /// Reads some columns of one batch.
    ///
    /// - Shape: the batch has `batchRows(batch)` rows and the columns asked for, in that order.
    /// - Memory: zero copy where the file is mapped and plain; decompressed buffers belong to the batch, which the
    // caller closes.
    /// - Errors: `QueryException` 58030 or XX001 naming the file for one that is cut short or corrupt.
    Batch read(int batch, int[] columns);
}
