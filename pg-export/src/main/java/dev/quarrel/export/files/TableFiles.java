package dev.quarrel.export.files;

import dev.quarrel.core.arrow.ArrowFileWriter;
import dev.quarrel.core.arrow.WrittenFile;
import dev.quarrel.core.budget.Cancellation;
import dev.quarrel.core.type.Schema;
import java.util.List;
import java.util.Map;

/// The unfinished files of one table, and the rows that workers have left over for them.
///
/// - Memory: owns both.
/// - Threads: any, but `finish` and `close` come after everything else.
public sealed interface TableFiles extends AutoCloseable permits OneFile, FolderFiles, KeyFiles {
    /// Makes a file.
    @FunctionalInterface
    interface Opening {
        /// @param keys names and texts of the keys of the file's folder, null for NULL; none where there are no folders
        ArrowFileWriter open(Map<String, String> keys, Schema schema);
    }

    /// @param keys as [Opening#open] had them
    record Finished(Map<String, String> keys, WrittenFile file) {}

    /// What one more worker reads of the table.
    UnwrittenRows newRows();

    /// Writes what is left over, and finishes the files: at least one, unless it is keys that are read.
    List<Finished> finish(Cancellation cancellation);

    /// Frees what is left; unfinished files are removed.
    @Override
    void close();
}
