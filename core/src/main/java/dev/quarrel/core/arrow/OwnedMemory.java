package dev.quarrel.core.arrow;

import dev.quarrel.core.column.Allocator;
import dev.quarrel.core.memory.PooledMemory;
import java.lang.foreign.MemorySegment;

/// The memory for values that a read has to copy. It is allocated when first needed: a read that copies nothing
/// costs none.
///
/// One thread allocates; any thread may close, once.
public final class OwnedMemory implements Allocator, AutoCloseable {
    private PooledMemory memory;

    @Override
    public MemorySegment allocate(long byteSize) {
        return memory().allocate(byteSize);
    }

    @Override
    public MemorySegment allocateUnset(long byteSize) {
        return memory().allocateUnset(byteSize);
    }

    private PooledMemory memory() {
        if (memory == null) {
            memory = new PooledMemory();
        }
        return memory;
    }

    @Override
    public void close() {
        if (memory != null) {
            memory.close();
        }
    }
}
