package dev.quarrel.core.arrow;

import dev.quarrel.core.arrow.stats.BatchSummary;
import dev.quarrel.core.arrow.stats.FileStats;
import dev.quarrel.core.arrow.stats.StromStats;
import dev.quarrel.core.column.Allocator;
import dev.quarrel.core.column.Batch;
import dev.quarrel.core.type.Schema;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;

/// Writes batches to an Arrow IPC file, under a temporary name until it is whole.
///
/// Several workers may append at once: each encodes, compresses and writes its own batch, and they take turns at
/// writing. Dictionaries grow with the file and are written at its end. Statistics are gathered on the
/// way and stand in the footer under `quarrel.stats`.
///
/// - Shape: every buffer starts at a multiple of 64 bytes of the file.
/// - Memory: batches are only read; a batch is kept no longer than `append` runs.
/// - Errors: `QueryException` 58030 or 53100 when the disk fails, naming the file. After an error the writer can
///   only be closed.
/// - Source: Arrow columnar format, section "IPC File Format".
public final class ArrowFileWriter implements AutoCloseable {
    /// Ends the names of files that are being written; no reader opens them.
    public static final String TEMPORARY_SUFFIX = ".tmp";

    private static final byte[] MAGIC = "ARROW1".getBytes(StandardCharsets.US_ASCII);
    private static final MemorySegment PADDING = MemorySegment.ofArray(new byte[BatchEncoder.ALIGNMENT]);
    private static final int CONTINUATION = -1;
    private static final int PREFIX_BYTES = 8;

    private final boolean isNameKept;
    private final Path target;
    private final Path temporary;
    private final Schema schema;
    private final WriteOptions options;
    private final BatchEncoder encoder;
    private final FileAppender file; // guarded by itself
    private final AtomicLong nextSequence = new AtomicLong();
    private final List<Appended> appended = new ArrayList<>(); // guarded by itself
    private boolean finished;

    private record Appended(long sequence, Footer.Block block, BatchSummary summary) {}

    private ArrowFileWriter(Path target, Schema schema, WriteOptions options, OpenFiles files, boolean isNameKept)
            throws IOException {
        this.isNameKept = isNameKept;
        this.target = target;
        this.temporary = target.resolveSibling(target.getFileName() + TEMPORARY_SUFFIX);
        this.schema = schema;
        this.options = options;
        this.encoder = new BatchEncoder(schema, options);
        byte[] schemaMessage = encoder.metadata().schemaMessage();
        this.file = new FileAppender(temporary, options, files);
        try {
            file.begin(schemaMessage.length);
            file.append(Arrays.copyOf(MAGIC, 8)); // padded
            writeMessage(schemaMessage, 0);
            file.end();
        } catch (IOException | RuntimeException e) {
            try (file) {
                Files.deleteIfExists(temporary);
            } catch (IOException suppressed) {
                e.addSuppressed(suppressed);
            }
            throw e;
        }
    }

    /// Starts the file `target`, which appears when it is finished; its folder is made if it is missing.
    ///
    /// - Errors: `QueryException` 53100 without room, else 58030, also for a device.
    public static ArrowFileWriter create(Path target, Schema schema, WriteOptions options) {
        return create(target, schema, options, new OpenFiles(1));
    }

    /// The same for one of many files.
    static ArrowFileWriter create(Path target, Schema schema, WriteOptions options, OpenFiles files) {
        return create(target, schema, options, files, true);
    }

    /// @param isNameKept whether its name is to outlive a power cut where its bytes do; not where it moves on
    public static ArrowFileWriter create(
            Path target, Schema schema, WriteOptions options, OpenFiles files, boolean isNameKept) {
        try {
            if (Durable.isDevice(target)) {
                throw new IOException("it is a device, which a file that is finished would replace");
            }
            Path folder = target.toAbsolutePath().getParent();
            if (folder != null) {
                Files.createDirectories(folder);
            }
            return new ArrowFileWriter(target, schema, options, files, isNameKept);
        } catch (IOException e) {
            throw Durable.failed(target, e);
        }
    }

    public Path target() {
        return target;
    }

    public Schema schema() {
        return schema;
    }

    /// Bytes written so far.
    public long byteSize() {
        synchronized (file) {
            return file.position();
        }
    }

    /// Appends a batch in order of arrival. Any thread.
    ///
    /// - Memory: `batch` stays the caller's.
    public void append(Batch batch) {
        append(nextSequence.getAndIncrement(), batch);
    }

    /// Appends a batch at a place of its own: the file's batches are read in ascending `sequence`, whoever came first.
    /// Any thread.
    ///
    /// - Memory: `batch` stays the caller's.
    public void append(long sequence, Batch batch) {
        try (Arena arena = Arena.ofConfined()) {
            BatchEncoder.Encoded encoded =
                    encoder.encode(batch, Allocator.of(arena), summaries -> StromStats.ofBatch(schema, summaries));
            Footer.Block block = write(encoded.message());
            synchronized (appended) {
                appended.add(new Appended(sequence, block, new BatchSummary(batch.rowCount(), encoded.summaries())));
            }
        } catch (IOException e) {
            throw Durable.failed(temporary, e);
        }
    }

    private Footer.Block write(BatchEncoder.Message message) throws IOException {
        synchronized (file) {
            file.begin(message.metadata().length + message.bodyBytes());
            try {
                Footer.Block block = writeMessage(message.metadata(), message.bodyBytes());
                for (MemorySegment buffer : message.buffers()) {
                    file.append(buffer);
                    file.append(PADDING.asSlice(0, BatchEncoder.aligned(buffer.byteSize()) - buffer.byteSize()));
                }
                return block;
            } finally {
                file.end();
            }
        }
    }

    /// Appends an encapsulated message, padded so that its body is aligned.
    private Footer.Block writeMessage(byte[] message, long bodyBytes) throws IOException {
        long offset = file.position();
        int metadataBytes = Math.toIntExact(BatchEncoder.aligned(offset + PREFIX_BYTES + message.length) - offset);
        ByteBuffer bytes = ByteBuffer.allocate(metadataBytes).order(ByteOrder.LITTLE_ENDIAN);
        bytes.putInt(CONTINUATION).putInt(metadataBytes - PREFIX_BYTES).put(message);
        file.append(bytes.array());
        return new Footer.Block(offset, metadataBytes, bodyBytes);
    }

    /// Writes dictionaries and footer and gives the file its name. Every `append` must have returned.
    ///
    /// - Errors: as `append`; the file does not appear then.
    public WrittenFile finish() {
        if (finished) {
            throw new IllegalStateException("finished before: " + target);
        }
        List<Appended> ordered;
        synchronized (appended) {
            ordered = new ArrayList<>(appended);
        }
        ordered.sort(Comparator.comparingLong(Appended::sequence));
        List<BatchSummary> batches = ordered.stream().map(Appended::summary).toList();
        long rowCount = batches.stream().mapToLong(BatchSummary::rowCount).sum();
        FileStats stats = FileStats.of(schema, batches);
        try {
            List<Footer.Block> dictionaryBlocks = new ArrayList<>();
            for (int column : encoder.dictionaries().keySet()) {
                try (Arena arena = Arena.ofConfined()) {
                    dictionaryBlocks.add(write(encoder.dictionary(column, Allocator.of(arena))));
                }
            }
            Map<String, String> fileMetadata = new HashMap<>(options.metadata());
            fileMetadata.put(FooterStats.KEY, FooterStats.text(stats, schema));
            byte[] footer = encoder.metadata()
                    .footer(
                            dictionaryBlocks,
                            ordered.stream().map(Appended::block).toList(),
                            fileMetadata,
                            stats);
            ByteBuffer tail = ByteBuffer.allocate(PREFIX_BYTES + footer.length + 4 + MAGIC.length)
                    .order(ByteOrder.LITTLE_ENDIAN);
            tail.putInt(CONTINUATION)
                    .putInt(0)
                    .put(footer)
                    .putInt(footer.length)
                    .put(MAGIC);
            file.begin(tail.capacity());
            file.append(tail.array());
            file.end();
            long byteSize = file.position();
            String sha256 = file.finish();
            file.close();
            Files.move(temporary, target, StandardCopyOption.ATOMIC_MOVE);
            if (options.durable() && isNameKept) {
                Durable.syncFolder(target);
            }
            finished = true;
            return new WrittenFile(target, schema, rowCount, byteSize, sha256, stats);
        } catch (IOException e) {
            throw Durable.failed(temporary, e);
        }
    }

    /// Removes what was written unless the file is finished.
    @Override
    public void close() {
        if (finished) {
            return;
        }
        try (file) {
            Files.deleteIfExists(temporary);
        } catch (IOException e) {
            throw Durable.failed(temporary, e);
        }
    }
}
