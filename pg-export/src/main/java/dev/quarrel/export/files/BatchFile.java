package dev.quarrel.export.files;

import dev.quarrel.core.arrow.ArrowFileWriter;
import dev.quarrel.core.arrow.WrittenFile;
import dev.quarrel.core.column.Batch;
import java.util.List;

/// What a table's batches are appended to.
public sealed interface BatchFile extends AutoCloseable permits BatchFile.Arrow, ParquetParts {
    /// Appends a batch. Any thread.
    ///
    /// - Memory: `batch` stays the caller's.
    ///
    /// @param sequence where the file is one, its batches are read in this order
    void append(long sequence, Batch batch);

    /// Ends the files, at least one. After everything else.
    List<WrittenFile> finish();

    /// Frees what is left; what is not finished is removed.
    @Override
    void close();

    /// One Arrow file.
    ///
    /// - Memory: owns `file`.
    record Arrow(ArrowFileWriter file) implements BatchFile {
        @Override
        public void append(long sequence, Batch batch) {
            file.append(sequence, batch);
        }

        @Override
        public List<WrittenFile> finish() {
            return List.of(file.finish());
        }

        @Override
        public void close() {
            file.close();
        }
    }
}
