package dev.quarrel.core.arrow;

import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.locks.ReentrantLock;

/// The SHA-256 of a file that is being written, in pieces and in whatever order they come: each byte is read back while
/// the system's cache still has it, as soon as all before it are there.
final class FileDigest {
    private static final int BUFFER_BYTES = 1 << 16;

    private final FileChannel channel;
    private final MessageDigest digest = sha256();
    private final byte[] buffer = new byte[BUFFER_BYTES];
    private final TreeMap<Long, Long> pieces = new TreeMap<>(); // guarded by itself: those beyond a gap, start to end
    private final ReentrantLock turn = new ReentrantLock();
    private long ready; // guarded by pieces: no gap before it
    private long position; // guarded by turn: how far the digest is

    FileDigest(FileChannel channel) {
        this.channel = channel;
    }

    static MessageDigest sha256() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JDK has SHA-256", e);
        }
    }

    /// Says that `[start, end)` has been written.
    void wrote(long start, long end) {
        synchronized (pieces) {
            pieces.put(start, end);
            for (Map.Entry<Long, Long> next = pieces.firstEntry();
                    next != null && next.getKey() == ready;
                    next = pieces.firstEntry()) {
                ready = next.getValue();
                pieces.pollFirstEntry();
            }
        }
    }

    private long ready() {
        synchronized (pieces) {
            return ready;
        }
    }

    /// Goes on as far as there is something, unless another thread is at it.
    void follow() throws IOException {
        if (turn.tryLock()) {
            try {
                for (long end = ready(); position < end; end = ready()) {
                    advance(end);
                }
            } finally {
                turn.unlock();
            }
        }
    }

    /// The sum of the file's first `size` bytes, all of which are written.
    String finish(long size) throws IOException {
        turn.lock();
        try {
            advance(size);
            return HexFormat.of().formatHex(digest.digest());
        } finally {
            turn.unlock();
        }
    }

    private void advance(long end) throws IOException {
        while (position < end) {
            ByteBuffer piece = ByteBuffer.wrap(buffer, 0, (int) Math.min(buffer.length, end - position));
            int read = channel.read(piece, position);
            if (read < 0) {
                throw new EOFException("the file is shorter than what was written");
            }
            digest.update(buffer, 0, read);
            position += read;
        }
    }
}
