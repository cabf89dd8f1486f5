package dev.quarrel.ingest;

import dev.quarrel.core.type.Field;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/// How events are kept.
///
/// @param root the dataset's folder
/// @param declared columns of tables, as [TableDeclarations] reads them; of others they are learned
/// @param closeAfter the age at which rows go into files
/// @param closeBytes what they take in memory when they do, at the latest
/// @param memoryBytes what all rows that are in no file may take; senders wait then
/// @param queueBytes what chunks that are not in the log yet may take; senders wait then
/// @param resendWindow for how long a chunk that is sent again is known
/// @param mergeBytes files below this are merged with others of their folder; 0 for none
/// @param retention how old a folder's day may be before the folder goes; null for any
/// @param mostTables that may come by events' tags
/// @param mostColumns of one table
public record IngestConfig(
        Path root,
        Map<String, List<Field>> declared,
        Duration closeAfter,
        long closeBytes,
        long memoryBytes,
        long queueBytes,
        Duration resendWindow,
        long mergeBytes,
        Duration retention,
        int mostTables,
        int mostColumns) {
    public static final int MOST_TABLES = 1000;
    public static final int MOST_COLUMNS = 1000;

    private static final long MEBIBYTE = 1L << 20;

    public IngestConfig {
        Objects.requireNonNull(root, "root");
        declared = Map.copyOf(declared);
    }

    public static IngestConfig of(Path root) {
        return new IngestConfig(
                root,
                Map.of(),
                Duration.ofSeconds(60),
                128 * MEBIBYTE,
                512 * MEBIBYTE,
                64 * MEBIBYTE,
                Duration.ofMinutes(30),
                64 * MEBIBYTE,
                null,
                MOST_TABLES,
                MOST_COLUMNS);
    }

    public IngestConfig withDeclared(Map<String, List<Field>> newDeclared) {
        return new IngestConfig(
                root,
                newDeclared,
                closeAfter,
                closeBytes,
                memoryBytes,
                queueBytes,
                resendWindow,
                mergeBytes,
                retention,
                mostTables,
                mostColumns);
    }

    public IngestConfig withClosing(Duration after, long bytes) {
        return new IngestConfig(
                root,
                declared,
                after,
                bytes,
                memoryBytes,
                queueBytes,
                resendWindow,
                mergeBytes,
                retention,
                mostTables,
                mostColumns);
    }

    public IngestConfig withUpkeep(long newMergeBytes, Duration newRetention) {
        return new IngestConfig(
                root,
                declared,
                closeAfter,
                closeBytes,
                memoryBytes,
                queueBytes,
                resendWindow,
                newMergeBytes,
                newRetention,
                mostTables,
                mostColumns);
    }
}
