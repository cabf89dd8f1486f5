package dev.quarrel.export;

import dev.quarrel.core.arrow.dataset.Manifest;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/// The result of an export.
///
/// @param origin the database, and the snapshot that every row is of
/// @param output the dataset's root, or the one file
public record ExportReport(Manifest.Origin origin, Path output, List<TableReport> tables, Duration elapsed) {
    public ExportReport {
        tables = List.copyOf(tables);
    }

    /// Which transactions' rows are seen, as `pg_current_snapshot()` writes it.
    public String snapshot() {
        return origin.snapshot();
    }

    /// The write-ahead log's position when the snapshot was taken; null for a snapshot that was taken elsewhere.
    public String lsn() {
        return origin.lsn();
    }

    /// Of all files.
    public long byteSize() {
        return tables.stream().mapToLong(TableReport::byteSize).sum();
    }

    public long rowCount() {
        return tables.stream().mapToLong(TableReport::rowCount).sum();
    }

    /// @param file the Arrow file; of a table that is partitioned by keys the folder that holds their folders
    /// @param byteSize of the file, or all of them
    /// @param copyBytes what PostgreSQL sent; 0 for a table that an interrupted run had finished
    /// @param elapsed from its first row being asked for to its files being finished
    /// @param change what became of the rows that were there, of a table whose changed rows alone were read, else
    /// null
    public record TableReport(
            String schema,
            String name,
            Path file,
            long rowCount,
            int batchCount,
            long byteSize,
            long copyBytes,
            Duration elapsed,
            Change change) {
        public TableReport(
                String schema,
                String name,
                Path file,
                long rowCount,
                int batchCount,
                long byteSize,
                long copyBytes,
                Duration elapsed) {
            this(schema, name, file, rowCount, batchCount, byteSize, copyBytes, elapsed, null);
        }

        /// `schema.name`.
        public String qualifiedName() {
            return schema + "." + name;
        }
    }

    /// @param replaced rows of the runs before in whose places new ones are
    /// @param deleted rows that the source has no more
    /// @param rowCount all rows that the table has now
    public record Change(long replaced, long deleted, long rowCount) {}
}
