package dev.quarrel.export;

import dev.quarrel.core.budget.Cancellation;
import dev.quarrel.export.copy.CopyBinaryReader;
import dev.quarrel.export.files.TableFiles;
import dev.quarrel.export.files.TableLayout;
import dev.quarrel.export.files.UnwrittenRows;
import dev.quarrel.export.snapshot.ExportTable;
import java.util.List;
import java.util.concurrent.atomic.LongAdder;

/// One table on its way into files: several workers read ranges of it and append batches.
///
/// A worker that has no more ranges of the table hands in what it has not written; the last one to do so writes these
/// leftovers and finishes the files.
///
/// - Memory: owns the files and the leftovers.
final class TableExport implements AutoCloseable {
    private final TableLayout layout;
    private final TableFiles files;
    private final boolean countsScanned;
    private final LongAdder copyBytes = new LongAdder();
    private final LongAdder scanned = new LongAdder();
    private volatile boolean isScanLost;

    private boolean isFirst = true; // guarded by this
    private int rangesOpen; // guarded by this
    private int workersOpen; // guarded by this

    /// - Memory: owns `files`.
    ///
    /// @param countsScanned whether the rows are counted that the server looks at, besides those that it sends
    TableExport(TableLayout layout, TableFiles files, boolean countsScanned) {
        this.layout = layout;
        this.files = files;
        this.countsScanned = countsScanned;
        this.rangesOpen = layout.table().ranges().size();
    }

    ExportTable table() {
        return layout.table();
    }

    long copyBytes() {
        return copyBytes.sum();
    }

    void countCopyBytes(long bytes) {
        copyBytes.add(bytes);
    }

    boolean countsScanned() {
        return countsScanned;
    }

    void countScanned(long rows) {
        scanned.add(rows);
    }

    /// Says that a connection was lost that knew how many rows it had looked at.
    void loseScanned() {
        isScanLost = true;
    }

    /// The rows that the server has looked at; -1 where nobody knows.
    long scannedRows() {
        return countsScanned && !isScanLost ? scanned.sum() : -1;
    }

    CopyBinaryReader newReader() {
        return layout.newStreamReader();
    }

    /// What one more worker reads of the table, until it hands that in.
    UnwrittenRows newRows() {
        synchronized (this) {
            workersOpen++;
        }
        return files.newRows();
    }

    /// True once: for the worker that came first.
    synchronized boolean isFirst() {
        boolean first = isFirst;
        isFirst = false;
        return first;
    }

    synchronized void endRange() {
        rangesOpen--;
    }

    /// Takes over the rows of a worker that reads no more of the table.
    ///
    /// @param isLast whether it reads no other table either
    /// @return the finished files, when this was the last part of the table; otherwise none
    List<TableFiles.Finished> handIn(UnwrittenRows rows, boolean isLast, Cancellation cancellation) {
        rows.leave(isLast);
        synchronized (this) {
            workersOpen--;
            if (rangesOpen > 0 || workersOpen > 0) {
                return List.of();
            }
        }
        return files.finish(cancellation);
    }

    /// Frees what is left; unfinished files are removed.
    @Override
    public void close() {
        files.close();
    }
}
