package dev.quarrel.export;

import dev.quarrel.core.column.Allocator;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.Map;

/// Buffers for the columns of one batch after another: what one batch has grown to, the next one starts with.
///
/// - Memory: `close` frees everything. Touched by one thread at a time; it may pass from thread to thread.
final class BufferPool implements Allocator, AutoCloseable {
    private static final int SMALLEST = 4096;

    private final Arena arena = Arena.ofShared();
    private final Map<Long, ArrayDeque<MemorySegment>> free = new HashMap<>();
    private final Map<Long, MemorySegment> lent = new HashMap<>(); // by address

    @Override
    public MemorySegment allocate(long byteSize) {
        long size = sizeClass(byteSize);
        ArrayDeque<MemorySegment> ready = free.get(size);
        MemorySegment whole = ready == null ? null : ready.poll();
        if (whole == null) {
            whole = arena.allocate(size, 64);
        } else {
            whole.asSlice(0, byteSize).fill((byte) 0);
        }
        lent.put(whole.address(), whole);
        return whole.asSlice(0, byteSize);
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

    /// Four classes between one power of two and the next, so that at most a quarter is wasted.
    private static long sizeClass(long byteSize) {
        long size = Math.max(SMALLEST, byteSize);
        long step = Long.highestOneBit(size - 1) >> 2;
        return (size + step - 1) / step * step;
    }

    @Override
    public void close() {
        arena.close();
    }
}
