package dev.quarrel.core.arrow.dataset;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.quarrel.core.arrow.ArrowFile;
import dev.quarrel.core.arrow.ArrowFileWriter;
import dev.quarrel.core.arrow.FileStamp;
import dev.quarrel.core.arrow.stats.BatchSummary;
import dev.quarrel.core.arrow.stats.ColumnSummary;
import dev.quarrel.core.arrow.stats.StatsJson;
import dev.quarrel.core.arrow.stats.StatsText;
import dev.quarrel.core.file.FileOwner;
import dev.quarrel.core.table.ColumnStats;
import dev.quarrel.core.type.DataType;
import dev.quarrel.core.type.Schema;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/// A cache of statistics for files that bring none of their own, in a folder of the user's: one entry per file,
/// found by its path.
///
/// An entry counts only for the file as it was: of the same size, time of change and number in the file system, and of
/// the same columns and batches, and if it is this user's. Entries that do not, or cannot be read, are as none.
/// Statistics are never worth an error: what cannot be written is left out.
///
/// Threads share it, and so may processes: an entry is written beside the old one, and renamed.
public final class StatsCache {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final int FORMAT = 1;
    private static final int MAX_BOUND_CHARS = 256;
    private static final String SUFFIX = ".json";

    private final Path folder;

    /// @param folder made when the first entry is written
    public StatsCache(Path folder) {
        this.folder = folder;
    }

    /// Where a user's cache is: `$XDG_CACHE_HOME/quarrel/statistics`, or `~/.cache/quarrel/statistics`; null
    /// where there is no home.
    public static StatsCache ofUser() {
        return ofUser(System.getenv(), System.getProperty("user.home"));
    }

    static StatsCache ofUser(Map<String, String> environment, String home) {
        String caches = environment.get("XDG_CACHE_HOME");
        // The specification has relative paths ignored.
        Path parent = caches != null && Path.of(caches).isAbsolute()
                ? Path.of(caches)
                : home == null || home.isEmpty() || !Path.of(home).isAbsolute() ? null : Path.of(home, ".cache");
        return parent == null ? null : new StatsCache(parent.resolve("quarrel").resolve("statistics"));
    }

    public Path folder() {
        return folder;
    }

    private Path entry(Path file) {
        try {
            byte[] digest = MessageDigest.getInstance("SHA-256")
                    .digest(file.toAbsolutePath().normalize().toString().getBytes(StandardCharsets.UTF_8));
            return folder.resolve(HexFormat.of().formatHex(digest, 0, 16) + SUFFIX);
        } catch (NoSuchAlgorithmException impossible) {
            throw new IllegalStateException(impossible);
        }
    }

    /// What is known of a file's batches: null for those nobody has looked at yet.
    List<BatchSummary> read(ArrowFile file, FileStamp stamp) {
        List<BatchSummary> batches = new ArrayList<>(Collections.nCopies(file.batchCount(), null));
        JsonNode node;
        Path entry = entry(file.path());
        if (!FileOwner.isOurs(entry)) {
            return batches; // statistics that are wrong make rows wrong: nobody else's count
        }
        try (InputStream in = Files.newInputStream(entry, LinkOption.NOFOLLOW_LINKS)) {
            node = JSON.readTree(in);
        } catch (IOException _) {
            return batches;
        }
        if (!isOf(node, file, stamp)) {
            return batches;
        }
        for (int batch = 0; batch < file.batchCount(); batch++) {
            batches.set(batch, batch(node.path("batches").path(batch), file, batch));
        }
        return batches;
    }

    private static boolean isOf(JsonNode node, ArrowFile file, FileStamp stamp) {
        return node != null
                && node.path("format").asInt() == FORMAT
                && node.path("path").asText().equals(file.path().toString())
                && node.path("size").asLong(-1) == stamp.size()
                && node.path("modified").asLong(-1) == stamp.modifiedNanos()
                && node.path("key").asText().equals(Objects.toString(stamp.fileKey()))
                && node.path("columns").asText().equals(file.wholeSchema().toString())
                && node.path("batches").size() == file.batchCount();
    }

    private static BatchSummary batch(JsonNode node, ArrowFile file, int batch) {
        Schema schema = file.wholeSchema();
        int rowCount = file.batchRows(batch);
        JsonNode columns = node.path("columns");
        if (node.path("rows").asInt(-1) != rowCount || columns.size() != schema.size()) {
            return null;
        }
        List<ColumnSummary> summaries = new ArrayList<>();
        for (int column = 0; column < schema.size(); column++) {
            DataType type = schema.type(column);
            JsonNode one = columns.path(column);
            ColumnStats stats = StatsJson.column(one, type, rowCount);
            Object first = StatsJson.bound(one.path("first"), type);
            Object last = StatsJson.bound(one.path("last"), type);
            boolean ascending = rowCount == 0 || first != null && last != null;
            summaries.add(new ColumnSummary(stats, ascending, first, last));
        }
        return new BatchSummary(rowCount, summaries);
    }

    /// Keeps what is known of a file's batches.
    ///
    /// @param batches null for those nobody has looked at
    void write(ArrowFile file, FileStamp stamp, List<BatchSummary> batches) {
        ObjectNode node = JSON.createObjectNode();
        node.put("format", FORMAT);
        node.put("path", file.path().toString());
        node.put("size", stamp.size());
        node.put("modified", stamp.modifiedNanos());
        node.put("key", Objects.toString(stamp.fileKey()));
        node.put("columns", file.wholeSchema().toString());
        ArrayNode array = node.putArray("batches");
        for (BatchSummary batch : batches) {
            if (batch == null) {
                array.addNull();
            } else {
                add(batch, file.wholeSchema(), array.addObject());
            }
        }
        try {
            Files.createDirectories(folder);
            Path entry = entry(file.path());
            Path beside = folder.getFileSystem().supportedFileAttributeViews().contains("posix")
                    ? Files.createTempFile(
                            folder,
                            "",
                            ArrowFileWriter.TEMPORARY_SUFFIX,
                            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")))
                    : Files.createTempFile(folder, "", ArrowFileWriter.TEMPORARY_SUFFIX);
            try {
                Files.write(beside, JSON.writeValueAsBytes(node));
                Files.move(beside, entry, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
            } finally {
                Files.deleteIfExists(beside);
            }
        } catch (IOException _) {
            // A full disk, or a folder that is not ours: the next process looks at the file again.
        }
    }

    private static void add(BatchSummary batch, Schema schema, ObjectNode node) {
        node.put("rows", batch.rowCount());
        ArrayNode columns = node.putArray("columns");
        for (int column = 0; column < schema.size(); column++) {
            ColumnSummary summary = batch.columns().get(column);
            DataType type = schema.type(column);
            ObjectNode one = StatsJson.column(summary.stats(), type);
            if (summary.ascending() && summary.first() != null) {
                String first = StatsText.format(type, summary.first());
                String last = StatsText.format(type, summary.last());
                if (first.length() <= MAX_BOUND_CHARS && last.length() <= MAX_BOUND_CHARS) {
                    one.put("first", first);
                    one.put("last", last);
                }
            }
            columns.add(one);
        }
    }
}
