package dev.quarrel.core.arrow;

import dev.quarrel.core.column.Allocator;
import dev.quarrel.core.memory.MappedMemory;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.function.BooleanSupplier;

/// A file that others may cut short or rewrite at any time: what is read of it is copied first, and looked at
/// only then.
///
/// A mapping would not do: compiled code that reads a page beyond the new end ends the JVM, and what was checked
/// once could change afterwards. The copy is a temporary file without a name, of the same size and with holes
/// where nothing was read yet, mapped: memory that the system may take back, as the file's own would be. Whether
/// the file is still the one that was opened is asked after each copy, so that all that is handed out is of one
/// state of it.
///
/// - Memory: files of up to 64 KiB are in memory as a whole, and not held open; of others there are two open files.
///   Bounds: disk of what was read, 64 KiB being the least.
/// - Errors: `QueryException` 58030 when the file has changed since it was opened, 53100 when its copy has no room.
final class CopiedBytes implements FileBytes {
    private static final int CHUNK_BYTES = 1 << 16;
    /// Copied at once.
    private static final int PIECE_BYTES = 1 << 20;
    private static final int CHUNKS_PER_WORD = 32;

    private final FileFault fault;
    private final OpenStamp stamp;
    private final long byteSize;
    private final Arena arena = Arena.ofShared();
    private final MemorySegment memory;

    // Positions of files are theirs, so that one thread at a time reads or writes. Channels would know positions
    // apart, but whoever interrupts a thread that uses one closes it for everybody.
    private final Object lock = new Object();
    private final RandomAccessFile source; // null where all is in memory
    private final RandomAccessFile copy; // likewise
    private final AtomicIntegerArray copied; // a bit a chunk; null likewise

    /// @param source its owner is this object, if nothing is raised
    /// @param folder where the copy is to be
    CopiedBytes(FileFault fault, RandomAccessFile source, OpenStamp stamp, Path folder) {
        this.fault = fault;
        this.stamp = stamp;
        this.byteSize = stamp.size();
        RandomAccessFile made = null;
        try {
            if (byteSize <= CHUNK_BYTES) {
                this.source = null;
                this.copied = null;
                this.memory = arena.allocate(Math.max(1, byteSize), 8).asSlice(0, byteSize);
                byte[] all = new byte[(int) byteSize];
                read(source, 0, all, all.length);
                checkUnchanged();
                MemorySegment.copy(all, 0, memory, ValueLayout.JAVA_BYTE, 0, all.length);
                closeQuietly(source);
            } else {
                made = temporary(folder);
                this.source = source;
                this.memory = made.getChannel().map(FileChannel.MapMode.READ_ONLY, 0, byteSize, arena);
                long chunks = (byteSize + CHUNK_BYTES - 1) / CHUNK_BYTES;
                this.copied = new AtomicIntegerArray(Math.toIntExact(chunks / CHUNKS_PER_WORD + 1));
            }
            this.copy = made;
            made = null;
        } catch (IOException e) {
            arena.close();
            closeQuietly(made);
            throw uncopied(e);
        } catch (RuntimeException | Error e) {
            arena.close();
            closeQuietly(made);
            throw e;
        }
    }

    private RandomAccessFile temporary(Path folder) throws IOException {
        Files.createDirectories(folder);
        Path path = Files.createTempFile(folder, "quarrel-copy-", null); // for its owner alone
        try {
            RandomAccessFile file = new RandomAccessFile(path.toFile(), "rw");
            try {
                file.setLength(byteSize);
                return file;
            } catch (IOException e) {
                file.close();
                throw e;
            }
        } finally {
            Files.deleteIfExists(path);
        }
    }

    private QueryException uncopied(IOException e) {
        QueryException failed = Durable.failed(fault.file(), e);
        return new QueryException(
                        failed.state(),
                        "could not copy what is read of file \"" + fault.file() + "\": " + e.getMessage(),
                        e)
                .withHint(
                        failed.state() == SqlState.DISK_FULL
                                ? "Free space in the folder of temporary files, or name another with --spill-folder."
                                : "Check the folder given with --spill-folder.");
    }

    @Override
    public long byteSize() {
        return byteSize;
    }

    @Override
    public byte[] bytes(long offset, int length) {
        byte[] bytes = new byte[length];
        if (source == null || isCopied(offset, length)) {
            MemorySegment.copy(memory, ValueLayout.JAVA_BYTE, offset, bytes, 0, length);
            return bytes;
        }
        synchronized (lock) {
            read(source, offset, bytes, length);
        }
        return bytes;
    }

    @Override
    public MemorySegment memory(long offset, long length) {
        MemorySegment slice = MappedMemory.part(memory, offset, length);
        if (source != null && !isCopied(offset, length)) {
            copy(offset, length);
        }
        return slice;
    }

    @Override
    public MemorySegment memory(long offset, long length, Allocator owner) {
        MemorySegment slice = MappedMemory.part(memory, offset, length);
        if (source == null || isCopied(offset, length)) {
            return slice;
        }
        MemorySegment once = owner.allocate(length);
        byte[] piece = new byte[(int) Math.min(PIECE_BYTES, length)];
        for (long at = 0; at < length; at += piece.length) {
            int count = (int) Math.min(piece.length, length - at);
            synchronized (lock) {
                read(source, offset + at, piece, count);
            }
            MemorySegment.copy(piece, 0, once, ValueLayout.JAVA_BYTE, at, count);
        }
        checkUnchanged();
        return once;
    }

    private boolean isCopied(long offset, long length) {
        if (length == 0) {
            return true;
        }
        long last = (offset + length - 1) / CHUNK_BYTES;
        for (long chunk = offset / CHUNK_BYTES; chunk <= last; chunk++) {
            if (!isCopied(chunk)) {
                return false;
            }
        }
        return true;
    }

    private boolean isCopied(long chunk) {
        return (copied.get((int) (chunk / CHUNKS_PER_WORD)) >>> chunk % CHUNKS_PER_WORD & 1) != 0;
    }

    /// Copies the chunks of a range that are missing. The file is asked after it was read: whoever changes it sets its
    /// time before its bytes.
    private void copy(long offset, long length) {
        byte[] piece = new byte[PIECE_BYTES];
        long end = Math.min(byteSize, (offset + length + CHUNK_BYTES - 1) / CHUNK_BYTES * CHUNK_BYTES);
        for (long at = offset / CHUNK_BYTES * CHUNK_BYTES; at < end; ) {
            synchronized (lock) {
                if (isCopied(at / CHUNK_BYTES)) {
                    at += CHUNK_BYTES;
                    continue;
                }
                int count = CHUNK_BYTES;
                while (count < PIECE_BYTES && at + count < end && !isCopied((at + count) / CHUNK_BYTES)) {
                    count += CHUNK_BYTES;
                }
                int bytes = (int) Math.min(count, byteSize - at);
                read(source, at, piece, bytes);
                checkUnchanged();
                try {
                    copy.seek(at);
                    copy.write(piece, 0, bytes);
                } catch (IOException e) {
                    throw uncopied(e);
                }
                for (long chunk = at / CHUNK_BYTES; chunk < (at + count) / CHUNK_BYTES; chunk++) {
                    int word = (int) (chunk / CHUNKS_PER_WORD);
                    copied.set(word, copied.get(word) | 1 << chunk % CHUNKS_PER_WORD);
                }
                at += count;
            }
        }
    }

    private void read(RandomAccessFile from, long offset, byte[] target, int length) {
        try {
            from.seek(offset);
            for (int done = 0; done < length; ) {
                int count = from.read(target, done, length - done);
                if (count < 0) {
                    throw fault.unreadable(
                            "it was cut short from " + byteSize + " to " + from.length() + " bytes while in use", null);
                }
                done += count;
            }
        } catch (IOException e) {
            throw fault.unreadable(String.valueOf(e.getMessage()), e);
        }
    }

    @Override
    public void checkUnchanged() {
        if (!stamp.isCurrent()) {
            throw fault.unreadable("it was changed while in use", null);
        }
    }

    /// Nothing that was handed out changes.
    @Override
    public void checkIntact() {}

    @Override
    public QueryException faultOf(InternalError error) {
        return null;
    }

    /// To copy it all beforehand would cost more than the first reads do.
    @Override
    public boolean preload(long from, long end, BooleanSupplier goesOn) {
        return false;
    }

    @Override
    public void close() {
        arena.close();
        closeQuietly(source);
        closeQuietly(copy);
    }

    private static void closeQuietly(RandomAccessFile file) {
        try {
            if (file != null) {
                file.close();
            }
        } catch (IOException _) {
            // It was only read from, or goes with its content.
        }
    }
}
