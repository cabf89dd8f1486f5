package dev.quarrel.core.memory;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/// A piece of memory outside the heap, with an arena of its own: it can be given back to the system alone.
///
/// One owner at a time: the pool, or the memory that took it.
final class Region {
    private final Arena arena;
    private final MemorySegment segment;
    private long usedBytes;
    /// Bytes at its beginning that may hold what somebody wrote; the rest is zero as the system gave it.
    private long writtenBytes;

    /// - Errors: [OutOfMemoryError] when the system has none.
    Region(long byteSize) {
        arena = Arena.ofShared();
        boolean isAllocated = false;
        try {
            segment = arena.allocate(byteSize, 16);
            isAllocated = true;
        } finally {
            if (!isAllocated) {
                arena.close();
            }
        }
    }

    long byteSize() {
        return segment.byteSize();
    }

    long restBytes() {
        return segment.byteSize() - usedBytes;
    }

    /// The next `byteSize` bytes; there are as many.
    ///
    /// @param zeroed whether they must hold zeros
    MemorySegment take(long byteSize, boolean zeroed) {
        MemorySegment part = segment.asSlice(usedBytes, byteSize);
        if (zeroed && usedBytes < writtenBytes) {
            part.asSlice(0, Math.min(byteSize, writtenBytes - usedBytes)).fill((byte) 0);
        }
        usedBytes = Math.min(segment.byteSize(), usedBytes + PooledMemory.padded(byteSize));
        return part;
    }

    /// Ends the use of all of it; it can be taken from the beginning again.
    void reset() {
        writtenBytes = Math.max(writtenBytes, usedBytes);
        usedBytes = 0;
    }

    /// Gives it back to the system. All threads are asked whether they touch it: some microseconds a thread.
    void free() {
        arena.close();
    }
}
