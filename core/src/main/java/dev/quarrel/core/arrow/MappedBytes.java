package dev.quarrel.core.arrow;

import dev.quarrel.core.column.Allocator;
import dev.quarrel.core.memory.MappedMemory;
import dev.quarrel.core.type.QueryException;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.channels.FileChannel;
import java.util.function.BooleanSupplier;

/// A file of our own runs, which nobody changes: mapped as a whole, and read in place.
///
/// One that is cut short nevertheless ends the JVM, if compiled code reads what is gone by then: files of others are
/// [CopiedBytes].
final class MappedBytes implements FileBytes {
    private static final long PRELOADED_BYTES = 8 << 20;

    private final FileFault fault;
    private final RandomAccessFile handle;
    private final Arena arena = Arena.ofShared();
    private final MemorySegment mapped;

    /// @param handle its owner is this object, if nothing is raised
    MappedBytes(FileFault fault, RandomAccessFile handle) throws IOException {
        this.fault = fault;
        this.handle = handle;
        try {
            this.mapped = handle.getChannel().map(FileChannel.MapMode.READ_ONLY, 0, handle.length(), arena);
        } catch (IOException | RuntimeException e) {
            arena.close();
            throw e;
        }
    }

    @Override
    public long byteSize() {
        return mapped.byteSize();
    }

    @Override
    public byte[] bytes(long offset, int length) {
        try {
            return mapped.asSlice(offset, length).toArray(ValueLayout.JAVA_BYTE);
        } catch (InternalError e) {
            QueryException cutShort = faultOf(e);
            if (cutShort == null) {
                throw e;
            }
            throw cutShort;
        }
    }

    @Override
    public MemorySegment memory(long offset, long length) {
        return MappedMemory.part(mapped, offset, length);
    }

    @Override
    public MemorySegment memory(long offset, long length, Allocator owner) {
        return MappedMemory.part(mapped, offset, length);
    }

    @Override
    public void checkUnchanged() {
        checkIntact();
    }

    @Override
    public void checkIntact() {
        QueryException cutShort = faultOf(null);
        if (cutShort != null) {
            throw cutShort;
        }
    }

    @Override
    public QueryException faultOf(InternalError error) {
        long size;
        try {
            size = handle.length();
        } catch (IOException e) {
            return fault.unreadable(String.valueOf(e.getMessage()), e);
        }
        return size >= mapped.byteSize()
                ? null
                : fault.unreadable(
                        "it was cut short from " + mapped.byteSize() + " to " + size + " bytes while in use", error);
    }

    @Override
    public boolean preload(long from, long end, BooleanSupplier goesOn) {
        boolean isWhole = true;
        for (long at = from; at < end && goesOn.getAsBoolean(); at += PRELOADED_BYTES) {
            MemorySegment piece = mapped.asSlice(at, Math.min(PRELOADED_BYTES, end - at));
            if (piece.isLoaded()) {
                piece.load();
            } else {
                isWhole = false;
            }
        }
        return isWhole && goesOn.getAsBoolean();
    }

    @Override
    public void close() {
        arena.close();
        try {
            handle.close();
        } catch (IOException _) {
            // It was only read from.
        }
    }
}
