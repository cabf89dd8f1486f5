package dev.quarrel.core.arrow.dataset;

import dev.quarrel.core.arrow.OwnedMemory;
import dev.quarrel.core.arrow.dataset.rows.DeletedRows;
import dev.quarrel.core.arrow.dataset.rows.LiveRows;
import dev.quarrel.core.column.Column;
import dev.quarrel.core.type.Schema;
import java.util.List;
import java.util.stream.IntStream;

/// The columns of a key in one file of a table, batch by batch.
///
/// - Threads: any.
final class KeyedFile {
    private final TableFile file;
    private final int columnCount;
    private final long[] firstRows; // of each batch, and behind the last
    private final LiveRows[] live;

    /// @param name of what is looked at, for errors
    /// @param columns of the key
    /// @param deleted which rows of `rowCount` are no part of the table
    KeyedFile(TableFile.Part part, String name, Schema columns, DeletedRows deleted, long rowCount) {
        this.file = TableFile.plain(part, name, columns);
        this.columnCount = columns.size();
        this.firstRows = new long[file.batchCount() + 1];
        int[] batchRows = new int[file.batchCount()];
        for (int batch = 0; batch < batchRows.length; batch++) {
            batchRows[batch] = file.batchRows(batch);
            firstRows[batch + 1] = firstRows[batch] + batchRows[batch];
        }
        this.live = LiveRows.of(batchRows, deleted.rows(rowCount));
    }

    int batchCount() {
        return file.batchCount();
    }

    int batchRows(int batch) {
        return file.batchRows(batch);
    }

    /// The file's batch of which this one is all, or a piece.
    int fileBatch(int batch) {
        return file.fileBatch(batch);
    }

    /// A row's number in the file.
    long row(int batch, int row) {
        return firstRows[batch] + row;
    }

    boolean isDeleted(int batch, int row) {
        return live != null && live[batch] != null && live[batch].isDeleted(row);
    }

    /// The rows of a batch that are deleted, ascending.
    int[] deleted(int batch) {
        return live == null || live[batch] == null ? new int[0] : live[batch].deletedRows();
    }

    /// The key's columns, of all rows of a batch.
    List<Column> columns(int batch, OwnedMemory memory) {
        return IntStream.range(0, columnCount)
                .mapToObj(column -> file.column(batch, column, null, null, memory))
                .toList();
    }

    /// The rows of a batch whose keys are in a set, deleted ones among them. What statistics tell is not read.
    KeySet.Members members(int batch, KeySet keys, OwnedMemory memory) {
        return keys.excludes(column -> file.batchStats(batch, column), batchRows(batch))
                ? KeySet.Members.NONE
                : keys.members(column -> file.column(batch, column, null, null, memory), batchRows(batch));
    }
}
