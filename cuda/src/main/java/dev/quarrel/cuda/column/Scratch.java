package dev.quarrel.cuda.column;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SegmentAllocator;

/// Memory for what a batch's columns are made into on their way to the device: the same pages for each batch, where
/// memory of its own would be mapped, cleared and given back, by all workers at once.
///
/// - Memory: what was allocated is of use until `reset`; its content is anything at first. One thread uses it.
public final class Scratch implements SegmentAllocator, AutoCloseable {
    private static final long LEAST_BYTES = 1L << 20;
    private static final long LINE_BYTES = 64;

    private final Arena arena = Arena.ofConfined();
    private MemorySegment block = MemorySegment.NULL;
    private long usedBytes;

    @Override
    public MemorySegment allocate(long byteSize, long byteAlignment) {
        if (byteAlignment > LINE_BYTES) {
            throw new IllegalArgumentException("an alignment of " + byteAlignment);
        }
        if (byteSize > block.byteSize() - usedBytes) {
            block = arena.allocate(Math.max(LEAST_BYTES, 2 * (block.byteSize() + byteSize)), LINE_BYTES);
            usedBytes = 0;
        }
        MemorySegment given = block.asSlice(usedBytes, byteSize);
        usedBytes += (byteSize + LINE_BYTES - 1) / LINE_BYTES * LINE_BYTES;
        usedBytes = Math.min(usedBytes, block.byteSize());
        return given;
    }

    /// What was allocated is of no use any more.
    public void reset() {
        usedBytes = 0;
    }

    @Override
    public void close() {
        arena.close();
    }
}
