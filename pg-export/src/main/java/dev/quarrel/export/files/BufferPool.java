package dev.quarrel.export.files;

import dev.quarrel.core.column.Allocator;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;

/// Buffers for the columns of one batch after another: what one batch has grown to, the next one starts with.
///
/// - Memory: `close` frees everything. Touched by one thread at a time; it may pass from thread to thread.
final class BufferPool implements Allocator, AutoCloseable {
    private static final int SMALLEST = 4096;

    private Arena arena = Arena.ofShared();
    private final TreeMap<Long, ArrayDeque<MemorySegment>> free = new TreeMap<>(); // by size
    private final Map<Long, MemorySegment> lent = new HashMap<>(); // by address
    private long byteCount;

    @Override
    public MemorySegment allocate(long byteSize) {
        return take(byteSize, true).asSlice(0, byteSize);
    }

    /// All of the buffer, so that what is not asked for serves when more is.
    @Override
    public MemorySegment allocateUnset(long byteSize) {
        return take(byteSize, false);
    }

    private MemorySegment take(long byteSize, boolean isZeroed) {
        MemorySegment whole = ready(byteSize);
        if (whole == null) {
            whole = arena.allocate(sizeClass(byteSize), 64);
            byteCount += whole.byteSize();
        } else if (isZeroed) {
            whole.asSlice(0, byteSize).fill((byte) 0);
        }
        lent.put(whole.address(), whole);
        return whole;
    }

    /// The smallest buffer that is free and large enough, unless it is more than twice as large.
    private MemorySegment ready(long byteSize) {
        Map.Entry<Long, ArrayDeque<MemorySegment>> found = free.ceilingEntry(byteSize);
        if (found == null || found.getKey() > Math.max(SMALLEST, 2 * byteSize)) {
            return null;
        }
        MemorySegment whole = found.getValue().poll();
        if (found.getValue().isEmpty()) {
            free.remove(found.getKey());
        }
        return whole;
    }

    /// As `reclaim`, and gives everything back to the system.
    void release() {
        lent.clear();
        free.clear();
        arena.close();
        arena = Arena.ofShared();
        byteCount = 0;
    }

    /// Bytes taken of the system.
    long byteCount() {
        return byteCount;
    }

    @Override
    public void discard(MemorySegment segment) {
        MemorySegment whole = lent.remove(segment.address());
        if (whole != null) {
            free.computeIfAbsent(whole.byteSize(), _ -> new ArrayDeque<>()).push(whole);
        }
    }

    /// Takes back every buffer: the columns made of them are dead.
    void reclaim() {
        for (MemorySegment whole : lent.values()) {
            free.computeIfAbsent(whole.byteSize(), _ -> new ArrayDeque<>()).push(whole);
        }
        lent.clear();
    }

    /// Sixteen classes between one power of two and the next, so that at most a sixteenth is wasted.
    private static long sizeClass(long byteSize) {
        long size = Math.max(SMALLEST, byteSize);
        long step = Long.highestOneBit(size - 1) >> 4;
        return (size + step - 1) / step * step;
    }

    @Override
    public void close() {
        arena.close();
    }
}
