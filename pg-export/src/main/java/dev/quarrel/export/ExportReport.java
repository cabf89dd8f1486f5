package dev.quarrel.export;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/// What an export did.
///
/// @param source the database, without password
/// @param snapshot PostgreSQL's name of the snapshot that every row is of
/// @param lsn the write-ahead log's position when the snapshot was taken
/// @param output the dataset's root, or the one file
public record ExportReport(
        String source, String snapshot, String lsn, Path output, List<TableReport> tables, Duration elapsed) {
    public ExportReport {
        tables = List.copyOf(tables);
    }

    public long rowCount() {
        return tables.stream().mapToLong(TableReport::rowCount).sum();
    }

    /// @param file the Arrow file
    /// @param byteSize of the file
    /// @param copyBytes what PostgreSQL sent
    public record TableReport(
            String schema, String name, Path file, long rowCount, int batchCount, long byteSize, long copyBytes) {
        /// `schema.name`.
        public String qualifiedName() {
            return schema + "." + name;
        }
    }
}
