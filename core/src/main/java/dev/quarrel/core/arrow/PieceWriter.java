package dev.quarrel.core.arrow;

import com.sun.nio.file.ExtendedOpenOption;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayDeque;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/// A thread that writes a file's pieces, each of [#PIECE_BYTES], while the next is being filled.
///
/// It can do so past the system's cache, where the file system lets it: a job that writes more than is read soon
// neither
/// pays for pages of the cache nor takes those of others.
///
/// - Memory: two pieces, of an arena that is the caller's; nothing touches them when `close` has returned.
/// - Threads: one calls at a time; the other is this class's.
/// - Errors: [IOException] of the first piece that could not be written, from every call that follows.
final class PieceWriter {
    /// Enough for the system to keep a disk busy with.
    static final int PIECE_BYTES = 4 << 20;

    /// Where no cache lies between, memory and file are to be aligned to a block. Who has larger ones goes through it.
    private static final int ALIGNMENT = 64 << 10;

    private static final int PIECES = 2;

    private record Piece(MemorySegment bytes, long offset) {}

    /// Writes through the system's cache, from the buffer's position to its limit.
    interface Cached {
        void write(ByteBuffer bytes, long offset) throws IOException;
    }

    private final Path path;
    private final boolean isDirect;
    private final Arena memory;
    private final Cached cached;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private final ArrayDeque<Piece> full = new ArrayDeque<>(); // guarded by lock, as is all below
    private final ArrayDeque<MemorySegment> free = new ArrayDeque<>();
    private int pieces;
    private int unwritten;
    private Thread thread; // null before a piece is full
    private boolean ended;
    private IOException failure;

    /// @param isDirect whether to go past the system's cache
    PieceWriter(Path path, boolean isDirect, Arena memory, Cached cached) {
        this.path = path;
        this.isDirect = isDirect;
        this.memory = memory;
        this.cached = cached;
    }

    /// A piece to be filled.
    MemorySegment allocate() {
        pieces++;
        return memory.allocate(PIECE_BYTES, ALIGNMENT);
    }

    /// Has a full piece written.
    ///
    /// @return one to be filled; what it holds is of no interest
    MemorySegment exchange(MemorySegment piece, long offset) throws IOException {
        lock.lock();
        try {
            full.add(new Piece(piece, offset));
            unwritten++;
            if (thread == null) {
                thread = Thread.ofPlatform().daemon(true).name("file-writer").start(this::run);
            }
            changed.signalAll();
            if (pieces < PIECES) {
                return allocate();
            }
            while (free.isEmpty() && failure == null) {
                changed.awaitUninterruptibly();
            }
            check();
            return free.remove();
        } finally {
            lock.unlock();
        }
    }

    /// Waits until all pieces are written.
    void drain() throws IOException {
        lock.lock();
        try {
            while (unwritten > 0 && failure == null) {
                changed.awaitUninterruptibly();
            }
            check();
        } finally {
            lock.unlock();
        }
    }

    private void check() throws IOException {
        if (failure != null) {
            throw failure;
        }
    }

    private void run() {
        try (FileChannel direct = isDirect ? open() : null) {
            boolean goesDirect = direct != null;
            for (Piece piece = next(null); piece != null; piece = next(piece.bytes())) {
                ByteBuffer bytes = piece.bytes().asByteBuffer();
                goesDirect = goesDirect && isWritten(direct, bytes, piece.offset());
                if (bytes.hasRemaining()) {
                    cached.write(bytes, piece.offset() + bytes.position());
                }
            }
        } catch (IOException e) {
            fail(e);
        } catch (RuntimeException | Error e) {
            fail(new IOException(e));
        }
    }

    private void fail(IOException e) {
        lock.lock();
        try {
            failure = e;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    private FileChannel open() {
        try {
            return FileChannel.open(path, StandardOpenOption.WRITE, ExtendedOpenOption.DIRECT);
        } catch (IOException | UnsupportedOperationException _) {
            return null; // a file system in memory, for one
        }
    }

    /// Writes as much as goes. What does not may go through the cache, or fail there with its reason.
    ///
    /// @return whether all of it did
    private static boolean isWritten(FileChannel direct, ByteBuffer bytes, long offset) {
        try {
            while (bytes.hasRemaining()) {
                direct.write(bytes, offset + bytes.position());
            }
            return true;
        } catch (IOException _) {
            return false;
        }
    }

    /// @param written to be filled again; or null
    /// @return null when no more will come
    private Piece next(MemorySegment written) {
        lock.lock();
        try {
            if (written != null) {
                free.add(written);
                unwritten--;
                changed.signalAll();
            }
            while (full.isEmpty() && !ended) {
                changed.awaitUninterruptibly();
            }
            return full.poll();
        } finally {
            lock.unlock();
        }
    }

    /// Ends the thread; what it has not begun to write stays unwritten.
    void close() {
        lock.lock();
        try {
            ended = true;
            full.clear();
            changed.signalAll();
        } finally {
            lock.unlock();
        }
        Writeback.join(thread);
    }
}
