package dev.quarrel.core.arrow;

import dev.quarrel.core.column.Allocator;
import dev.quarrel.core.column.Batch;
import dev.quarrel.core.type.Schema;
import java.io.IOException;
import java.io.OutputStream;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Map;
import java.util.Set;

/// Writes batches as an Arrow IPC stream: the schema at once, each batch when it comes, the end mark at `finish`.
///
/// - Shape: messages and buffers start at multiples of 64 bytes of the stream, unless `out` had bytes before it.
///   Dictionary-encoded columns are written as plain text.
/// - Memory: batches are only read, before `append` returns; `out` stays the caller's.
/// - Errors: [IOException] of `out`. Nothing can be written then.
/// - Source: Arrow columnar format, section "IPC Streaming Format".
public final class ArrowStreamWriter {
    private static final int CONTINUATION = -1;
    private static final int PREFIX_BYTES = 8;
    private static final byte[] PADDING = new byte[BatchEncoder.ALIGNMENT];

    private final OutputStream out;
    private final BatchEncoder encoder;
    private final byte[] piece = new byte[1 << 16];
    private long position;

    /// @param options of which compression, lists and structs, half floats and large offsets matter
    public ArrowStreamWriter(OutputStream out, Schema schema, WriteOptions options) throws IOException {
        if (!options.dictionaryCodeBytes().isEmpty()) {
            throw new IllegalArgumentException("a stream has no dictionaries");
        }
        this.out = out;
        this.encoder = new BatchEncoder(schema, options.withStatistics(Set.of()));
        writeMetadata(encoder.metadata().schemaMessage());
    }

    public void append(Batch batch) throws IOException {
        try (Arena arena = Arena.ofConfined()) {
            BatchEncoder.Message message =
                    encoder.encode(batch, Allocator.of(arena), _ -> Map.of()).message();
            writeMetadata(message.metadata());
            for (MemorySegment buffer : message.buffers()) {
                long bytes = buffer.byteSize();
                for (long at = 0; at < bytes; at += piece.length) {
                    int count = (int) Math.min(piece.length, bytes - at);
                    MemorySegment.copy(buffer, ValueLayout.JAVA_BYTE, at, piece, 0, count);
                    write(piece, count);
                }
                write(PADDING, (int) (BatchEncoder.aligned(bytes) - bytes));
            }
        }
    }

    public void finish() throws IOException {
        write(prefix(0), PREFIX_BYTES);
    }

    /// An encapsulated message, padded so that what follows it is aligned.
    private void writeMetadata(byte[] message) throws IOException {
        long end = BatchEncoder.aligned(position + PREFIX_BYTES + message.length);
        int bytes = Math.toIntExact(end - position - PREFIX_BYTES);
        write(prefix(bytes), PREFIX_BYTES);
        write(message, message.length);
        write(PADDING, bytes - message.length);
    }

    private static byte[] prefix(int metadataBytes) {
        return ByteBuffer.allocate(PREFIX_BYTES)
                .order(ByteOrder.LITTLE_ENDIAN)
                .putInt(CONTINUATION)
                .putInt(metadataBytes)
                .array();
    }

    private void write(byte[] bytes, int count) throws IOException {
        out.write(bytes, 0, count);
        position += count;
    }
}
