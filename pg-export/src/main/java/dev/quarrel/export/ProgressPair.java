package dev.quarrel.export;

import dev.quarrel.core.arrow.dataset.Manifest;

/// Tells two who want to hear of an export: `first` before `second`.
record ProgressPair(ExportProgress first, ExportProgress second) implements ExportProgress {
    @Override
    public void begun(Manifest.Origin origin, int tables, long estimatedRows) {
        first.begun(origin, tables, estimatedRows);
        second.begun(origin, tables, estimatedRows);
    }

    @Override
    public void tableStarted(String table, long estimatedRows) {
        first.tableStarted(table, estimatedRows);
        second.tableStarted(table, estimatedRows);
    }

    @Override
    public void advanced(String table, long rows, long bytes) {
        first.advanced(table, rows, bytes);
        second.advanced(table, rows, bytes);
    }

    @Override
    public void notice(String text) {
        first.notice(text);
        second.notice(text);
    }

    @Override
    public void tableFinished(ExportReport.TableReport table) {
        first.tableFinished(table);
        second.tableFinished(table);
    }
}
