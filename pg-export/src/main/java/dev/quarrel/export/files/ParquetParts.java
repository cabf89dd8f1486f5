package dev.quarrel.export.files;

import dev.quarrel.core.arrow.Codec;
import dev.quarrel.core.arrow.Durable;
import dev.quarrel.core.arrow.FileAppender;
import dev.quarrel.core.arrow.WrittenFile;
import dev.quarrel.core.arrow.stats.FileStats;
import dev.quarrel.core.column.Batch;
import dev.quarrel.core.parquet.ParquetWriter;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.Schema;
import dev.quarrel.core.type.SqlState;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.security.DigestOutputStream;
import java.security.MessageDigest;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HexFormat;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;

/// The Parquet files of one table, `part-0.parquet` and so on: as many as workers append at once, since a file is
/// written by one at a time.
///
/// - Memory: each file keeps a row group of the heap, 64 MiB at most, until it is written.
/// - Errors: `QueryException` 22008 or 22003 naming table and column for a value that Parquet does not hold, 58030 or
///   53100 naming the file when the disk fails. The files can only be closed then; whoever owns the folder removes
///   them.
public final class ParquetParts implements BatchFile {
    private static final int BUFFER_BYTES = 1 << 20;
    /// A file that has so many is finished, and another one begun: so that programs read a table side by side.
    private static final long PART_BYTES = 1L << 30;

    private final Path folder;
    private final String table;
    private final Schema schema;
    private final Codec codec;
    private final int zstdLevel;
    private final List<Part> parts = new ArrayList<>(); // that are not finished; guarded by this
    private final SortedMap<Path, WrittenFile> written = new TreeMap<>(); // guarded by this
    private int partCount; // guarded by this
    private final Deque<Part> idle = new ArrayDeque<>(); // guarded by this

    /// One file, written by one thread at a time.
    private static final class Part implements AutoCloseable {
        final Path path;
        final FileChannel channel;
        final MessageDigest digest = FileAppender.sha256();
        final OutputStream out;
        final ParquetWriter writer;
        long rowCount;

        Part(Path path, Schema schema, Codec codec, int zstdLevel) throws IOException {
            this.path = path;
            this.channel = FileChannel.open(path, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
            try {
                this.out = new BufferedOutputStream(
                        new DigestOutputStream(Channels.newOutputStream(channel), digest), BUFFER_BYTES);
                this.writer = new ParquetWriter(out, schema, codec, zstdLevel, ParquetWriter.ROW_GROUP_ROWS);
            } catch (IOException | RuntimeException e) {
                try (channel) {
                    throw e;
                }
            }
        }

        WrittenFile finish(Schema schema) throws IOException {
            writer.finish();
            out.flush();
            channel.force(true);
            long bytes = channel.size();
            channel.close();
            List<FileStats.BatchStats> groups = writer.groupRows().stream()
                    .map(rows -> new FileStats.BatchStats(rows, List.of()))
                    .toList();
            return new WrittenFile(
                    path,
                    schema,
                    rowCount,
                    bytes,
                    HexFormat.of().formatHex(digest.digest()),
                    new FileStats(List.of(), groups));
        }

        @Override
        public void close() throws IOException {
            channel.close();
        }
    }

    /// @param folder that is there, and empty
    /// @param table for errors
    /// @param zstdLevel for ZSTD alone
    public ParquetParts(Path folder, String table, Schema schema, Codec codec, int zstdLevel) {
        this.folder = folder;
        this.table = table;
        this.schema = schema;
        this.codec = codec;
        this.zstdLevel = zstdLevel;
    }

    @Override
    public void append(long sequence, Batch batch) {
        Part part = take();
        try {
            part.writer.append(batch);
            part.rowCount += batch.rowCount();
            if (part.channel.position() >= PART_BYTES) {
                WrittenFile finished = part.finish(schema);
                synchronized (this) {
                    parts.remove(part);
                    written.put(part.path, finished);
                }
                return;
            }
        } catch (IOException e) {
            throw Durable.failed(part.path, e);
        } catch (QueryException e) {
            throw explained(e);
        }
        synchronized (this) {
            idle.push(part);
        }
    }

    /// The part that was written last, since its memory is warm; or one more.
    private synchronized Part take() {
        if (!idle.isEmpty()) {
            return idle.pop();
        }
        Path path = folder.resolve("part-" + partCount + ".parquet");
        try {
            Part part = new Part(path, schema, codec, zstdLevel);
            parts.add(part);
            partCount++;
            return part;
        } catch (IOException e) {
            throw Durable.failed(path, e);
        }
    }

    private QueryException explained(QueryException e) {
        if (e.state() != SqlState.DATETIME_FIELD_OVERFLOW) {
            return e;
        }
        return new QueryException(e.state(), "table " + table + ": " + e.getMessage(), e)
                .withHint(
                        "--cast COLUMN=text writes its text; --infinity null makes infinite dates and timestamps NULL,"
                                + " --interval text or microseconds converts intervals");
    }

    @Override
    public synchronized List<WrittenFile> finish() {
        if (partCount == 0) {
            idle.push(take()); // a file without rows has the columns
        }
        for (Part part : parts) {
            try {
                written.put(part.path, part.finish(schema));
            } catch (IOException e) {
                throw Durable.failed(part.path, e);
            }
        }
        return List.copyOf(written.values());
    }

    @Override
    public synchronized void close() {
        IOException failure = null;
        Path path = null;
        for (Part part : parts) {
            try {
                part.close();
            } catch (IOException e) {
                failure = e;
                path = part.path;
            }
        }
        if (failure != null) {
            throw Durable.failed(path, failure);
        }
    }
}
