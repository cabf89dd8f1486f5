package dev.quarrel.core.arrow;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/// Writes a file from its beginning to its end, piece by piece, and hashes it on the way.
///
/// With [WriteOptions#direct] what is large goes past the system's cache, where file system and disk let it: a job that
/// writes more than is read soon neither pays for pages of the cache nor takes those of others. The rest goes through
/// the cache; a durable file is then written back while it grows, so that little is left to wait for at its end.
///
/// - Memory: a piece of up to 4 MiB from `begin` to `end`, and nothing between them: there may be thousands of files.
///   What is appended is only read, before the call returns.
/// - Threads: one from `begin` to `end`.
/// - Errors: [IOException]. The file can only be closed then.
public final class FileAppender implements AutoCloseable {
    /// Enough for the system to keep a disk busy with.
    private static final int PIECE_BYTES = 4 << 20;

    /// Past the cache, memory and file are to be aligned to a block; file systems of larger ones are not written so.
    private static final int ALIGNMENT = 64 << 10;

    /// What is less is not worth it.
    private static final int DIRECT_BYTES = 1 << 20;

    private static final int HASHED_BYTES = 16 << 10;

    private final OpenFiles.Held file;
    private final boolean isDurable;
    private final Writeback writeback;
    private final MessageDigest digest = sha256();
    private boolean isDirect;
    private long position;

    // Between `begin` and `end`.
    private Arena memory; // null at other times
    private MemorySegment piece;
    private byte[] hashed;
    private long start; // of the piece in the file, a multiple of ALIGNMENT
    private int written; // of the piece: where the next write begins
    private int used;

    /// Makes the file, or an empty one of it.
    FileAppender(Path path, WriteOptions options, OpenFiles files) throws IOException {
        this.isDurable = options.durable();
        this.isDirect = options.direct();
        this.file = files.create(path);
        this.writeback = new Writeback(file);
        file.letGo();
    }

    public static MessageDigest sha256() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JDK has SHA-256", e);
        }
    }

    /// Bytes appended so far.
    long position() {
        return position;
    }

    /// Makes ready to append.
    ///
    /// @param byteSize how much is to come, or a little less
    void begin(long byteSize) throws IOException {
        file.hold();
        memory = Arena.ofConfined();
        start = position & -ALIGNMENT;
        written = (int) (position - start);
        used = written;
        long needed = byteSize >= DIRECT_BYTES ? PIECE_BYTES : aligned(written + byteSize + 1);
        piece = memory.allocate(needed, ALIGNMENT);
        hashed = new byte[(int) Math.clamp(byteSize, 64, HASHED_BYTES)];
    }

    private static long aligned(long offset) {
        return (offset + ALIGNMENT - 1) & -ALIGNMENT;
    }

    void append(byte[] bytes) throws IOException {
        append(MemorySegment.ofArray(bytes));
    }

    void append(MemorySegment bytes) throws IOException {
        for (long at = 0; at < bytes.byteSize(); ) {
            int count = (int) Math.min(hashed.length, bytes.byteSize() - at);
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
                flush();
            }
            int part = (int) Math.min(count - done, piece.byteSize() - used);
            MemorySegment.copy(hashed, done, piece, ValueLayout.JAVA_BYTE, used, part);
            used += part;
            done += part;
        }
        position += count;
    }

    /// Writes what the piece holds. Of a full one the next begins where it ends.
    private void flush() throws IOException {
        int first = (int) aligned(written);
        int last = used & -ALIGNMENT;
        if (isDirect && last - first >= DIRECT_BYTES) {
            writeCached(written, first);
            isDirect = isWritten(first, last);
            writeCached(isDirect ? last : first, used);
        } else {
            writeCached(written, used);
        }
        start += used;
        written = 0;
        used = 0;
    }

    /// Writes a part of the piece past the cache. What does not go so may go through it, or fail there with its reason.
    private boolean isWritten(int from, int to) {
        try {
            FileChannel direct = file.direct();
            ByteBuffer bytes = piece.asSlice(from, to - from).asByteBuffer();
            while (bytes.hasRemaining()) {
                direct.write(bytes, start + from + bytes.position());
            }
            return true;
        } catch (IOException | UnsupportedOperationException _) {
            return false;
        }
    }

    private void writeCached(int from, int to) throws IOException {
        ByteBuffer bytes = piece.asSlice(from, to - from).asByteBuffer();
        while (bytes.hasRemaining()) {
            file.write(bytes, start + from + bytes.position());
        }
        if (isDurable) {
            writeback.wrote(to - from);
        }
    }

    /// Writes what was appended since `begin`.
    void end() throws IOException {
        try {
            if (used > written) {
                flush();
            }
        } finally {
            memory.close();
            memory = null;
            piece = null;
            file.letGo();
        }
    }

    /// Waits for the disk where the file is to be durable.
    ///
    /// @return the file's SHA-256 in lower-case hexadecimal
    String finish() throws IOException {
        if (isDurable) {
            IOException earlier = writeback.end();
            if (earlier != null) {
                throw earlier;
            }
            file.hold();
            file.force(true);
        }
        return HexFormat.of().formatHex(digest.digest());
    }

    /// Leaves the file as it is.
    @Override
    public void close() throws IOException {
        if (memory != null) {
            memory.close(); // an error came before `end`
            memory = null;
        }
        writeback.end();
        file.close();
    }
}
