package dev.quarrel.export;

import dev.quarrel.core.arrow.dataset.Manifest;

/// Listens to the progress of an export. Called by many threads, so it must be quick and safe for them.
public interface ExportProgress {
    ExportProgress NONE = new ExportProgress() {};

    /// Says what is ahead, before the first row is read.
    ///
    /// @param estimatedRows of all tables, or -1 where it is not known of each
    default void begun(Manifest.Origin origin, int tables, long estimatedRows) {}

    /// @param table `schema.name`
    /// @param estimatedRows the planner's estimate, or -1
    default void tableStarted(String table, long estimatedRows) {}

    /// Says what was read since the last call for `table`.
    ///
    /// @param bytes of the COPY stream
    default void advanced(String table, long rows, long bytes) {}

    /// Says what people should know, such as what is left out.
    default void notice(String text) {}

    default void tableFinished(ExportReport.TableReport table) {}
}
