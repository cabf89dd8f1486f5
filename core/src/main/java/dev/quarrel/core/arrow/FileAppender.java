package dev.quarrel.core.arrow;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/// Writes a file from its beginning to its end and hashes it on the way: the caller fills pieces, another thread writes
/// them.
///
/// A durable file that goes through the system's cache is written back while it grows, so that little is left to wait
/// for at its end.
///
/// - Memory: a [PieceWriter]'s pieces; what is appended is only read, before the call returns.
/// - Threads: one call at a time.
/// - Errors: [IOException], also of what an earlier call gave. The file can only be closed then.
final class FileAppender implements AutoCloseable {
    private static final int FIRST_BYTES = 64 << 10;
    private static final int HASHED_BYTES = 16 << 10;

    private final boolean isDurable;
    private final FileChannel channel;
    private final Writeback writeback;
    private final PieceWriter writer;
    private final MessageDigest digest = sha256();
    private final byte[] hashed = new byte[HASHED_BYTES];
    private final Arena memory = Arena.ofShared();
    private MemorySegment piece = memory.allocate(FIRST_BYTES); // the last one, which is being filled
    private int used; // of it
    private long start; // of it in the file

    /// Makes the file, or an empty one of it.
    FileAppender(Path path, WriteOptions options) throws IOException {
        this.isDurable = options.durable();
        this.channel = FileChannel.open(
                path, StandardOpenOption.CREATE, StandardOpenOption.TRUNCATE_EXISTING, StandardOpenOption.WRITE);
        this.writeback = new Writeback(channel);
        this.writer = new PieceWriter(path, options.direct(), memory, this::write);
    }

    static MessageDigest sha256() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JDK has SHA-256", e);
        }
    }

    /// Bytes appended so far.
    long position() {
        return start + used;
    }

    void append(byte[] bytes) throws IOException {
        append(MemorySegment.ofArray(bytes));
    }

    void append(MemorySegment bytes) throws IOException {
        for (long at = 0; at < bytes.byteSize(); ) {
            int count = (int) Math.min(HASHED_BYTES, bytes.byteSize() - at);
            // The digest reads arrays; from there the bytes, which are in the fastest cache now, go on.
            MemorySegment.copy(bytes, ValueLayout.JAVA_BYTE, at, hashed, 0, count);
            digest.update(hashed, 0, count);
            fill(count);
            at += count;
        }
    }

    private void fill(int count) throws IOException {
        int done = 0;
        while (done < count) {
            if (used == piece.byteSize()) {
                makeRoom();
            }
            int part = (int) Math.min(count - done, piece.byteSize() - used);
            MemorySegment.copy(hashed, done, piece, ValueLayout.JAVA_BYTE, used, part);
            used += part;
            done += part;
        }
    }

    private void makeRoom() throws IOException {
        if (piece.byteSize() < PieceWriter.PIECE_BYTES) {
            piece = writer.allocate().copyFrom(piece);
        } else {
            piece = writer.exchange(piece, start);
            start += used;
            used = 0;
        }
    }

    /// Writes what is left and waits for all of it; a durable file is on disk then.
    ///
    /// @return the file's SHA-256 in lower-case hexadecimal
    String finish() throws IOException {
        writer.drain();
        write(piece.asSlice(0, used).asByteBuffer(), start);
        if (isDurable) {
            IOException earlier = writeback.end();
            if (earlier != null) {
                throw earlier;
            }
            channel.force(true);
        }
        return HexFormat.of().formatHex(digest.digest());
    }

    /// Through the system's cache.
    private void write(ByteBuffer bytes, long offset) throws IOException {
        for (long position = offset; bytes.hasRemaining(); ) {
            position += channel.write(bytes, position);
        }
        if (isDurable) {
            writeback.poke();
        }
    }

    /// Leaves the file as it is.
    @Override
    public void close() throws IOException {
        if (!memory.scope().isAlive()) {
            return;
        }
        try (channel;
                memory) {
            writer.close();
            writeback.end();
        }
    }
}
