package dev.quarrel.ingest.log;

import dev.quarrel.core.arrow.Durable;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.ingest.intake.Chunk;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.zip.CRC32C;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Appends chunks to numbered segments, which go once their rows are in files.
///
/// ```
/// _ingest/log-0000000007.wal: QRLINGL1, then records ([LogRecord])
/// ```
///
/// A segment is never written again once the next one has begun: the next begins with the ids of chunks that were kept
/// lately, so that what follows needs no segment before it.
///
/// - Threads: one, but for [#drop].
public final class WriteAheadLog implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(WriteAheadLog.class);
    static final byte[] MAGIC = {'Q', 'R', 'L', 'I', 'N', 'G', 'L', '1'};
    private static final int BUFFER_BYTES = 1 << 20;

    private final Path folder;
    private final ChunkIds ids;
    private final ByteBuffer buffer = ByteBuffer.allocateDirect(BUFFER_BYTES).order(ByteOrder.LITTLE_ENDIAN);
    private final CRC32C crc = new CRC32C();
    private FileChannel channel; // null where the next append begins a segment
    private long segment;
    private long position; // of the channel's end, the buffer counted in
    private long synced;

    /// @param lastSegment the greatest number that was given so far
    public WriteAheadLog(Path folder, long lastSegment, ChunkIds ids) {
        this.folder = folder;
        this.segment = lastSegment;
        this.ids = ids;
    }

    static Path path(Path folder, long segment) {
        return folder.resolve("log-%010d.wal".formatted(segment));
    }

    /// Bytes of the segment that is being written.
    public long segmentBytes() {
        return channel == null ? 0 : position;
    }

    /// Appends a chunk, which is safe after [#sync].
    ///
    /// - Errors: `QueryException` 53100 or 58030; what was appended since the last `sync` is gone then.
    public void append(Chunk chunk, long arrivalMicros) {
        try {
            begin();
            append(LogRecord.chunkHead(chunk, arrivalMicros), chunk.bytes(), chunk.start(), chunk.byteSize());
        } catch (IOException e) {
            throw failed(e);
        }
    }

    private void begin() throws IOException {
        if (channel != null) {
            return;
        }
        segment++;
        Path path = path(folder, segment);
        buffer.clear();
        position = 0;
        synced = 0;
        channel = FileChannel.open(path, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
        put(MAGIC, 0, MAGIC.length);
        if (ids.size() > 0) {
            append(LogRecord.ids(ids), MAGIC, 0, 0);
        }
        Durable.syncFolder(path);
    }

    private void append(byte[] head, byte[] bytes, int start, int length) throws IOException {
        crc.reset();
        crc.update(head);
        crc.update(bytes, start, length);
        if (buffer.remaining() < LogRecord.HEAD_BYTES) {
            writeBuffer();
        }
        buffer.putInt(Math.addExact(head.length, length)).putInt((int) crc.getValue());
        position += LogRecord.HEAD_BYTES;
        put(head, 0, head.length);
        put(bytes, start, length);
    }

    private void put(byte[] bytes, int start, int length) throws IOException {
        int at = start;
        int end = start + length;
        while (at < end) {
            if (!buffer.hasRemaining()) {
                writeBuffer();
            }
            int part = Math.min(end - at, buffer.remaining());
            buffer.put(bytes, at, part);
            at += part;
        }
        position += length;
    }

    private void writeBuffer() throws IOException {
        buffer.flip();
        while (buffer.hasRemaining()) {
            channel.write(buffer);
        }
        buffer.clear();
    }

    /// Waits until everything appended is on disk.
    ///
    /// - Errors: as `append`.
    public void sync() {
        if (channel == null) {
            return;
        }
        try {
            writeBuffer();
            channel.force(false);
            synced = position;
        } catch (IOException e) {
            throw failed(e);
        }
    }

    /// Takes back what was not synchronised. The segment ends there: what the system holds of its pages after a failed
    /// write is not known.
    private QueryException failed(IOException e) {
        QueryException failure = Durable.failed(path(folder, segment), e);
        FileChannel broken = channel;
        channel = null;
        try (FileChannel closing = broken) {
            if (closing != null && synced == 0) {
                Files.deleteIfExists(path(folder, segment));
            } else if (closing != null) {
                closing.truncate(synced);
                closing.force(true);
            }
        } catch (IOException more) {
            failure.addSuppressed(more); // a reader stops at what is not whole
        }
        return failure;
    }

    /// Ends the segment and begins another one, if there are ids to be known still when the one before is gone.
    ///
    /// @return the number of the ended one: everything appended so far is in it or in one before
    public long rotate() {
        long ended = end();
        if (ids.size() > 0) {
            try {
                begin();
                sync();
            } catch (IOException e) {
                LOG.warn("ingest.ids_unwritten error={}", failed(e).getMessage());
            } catch (QueryException e) { // the next append tries again
                LOG.warn("ingest.ids_unwritten error={}", e.getMessage());
            }
        }
        return ended;
    }

    private long end() {
        sync();
        FileChannel ended = channel;
        channel = null;
        if (ended != null) {
            try {
                ended.close();
            } catch (IOException e) {
                throw Durable.failed(path(folder, segment), e);
            }
        }
        return segment;
    }

    /// Deletes segments, the last of which is `last`. Any thread.
    public static void drop(Path folder, long last) {
        try {
            for (long number : LogReader.segments(folder)) {
                if (number <= last) {
                    Files.deleteIfExists(path(folder, number));
                }
            }
        } catch (IOException e) {
            throw Durable.failed(folder, e);
        }
    }

    @Override
    public void close() {
        end();
    }
}
