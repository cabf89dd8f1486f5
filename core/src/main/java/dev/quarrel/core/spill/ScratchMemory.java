package dev.quarrel.core.spill;

import dev.quarrel.core.budget.MemoryBudget;
import dev.quarrel.core.column.Allocator;
import dev.quarrel.core.memory.PooledMemory;
import java.lang.foreign.MemorySegment;

/// Memory that is used for one batch after another: `reset` frees all of it for the next one.
///
/// - Memory: reserved as what spilling needs ([MemoryBudget#reserveToSpill]).
///
/// One thread at a time uses it.
public final class ScratchMemory implements Allocator, AutoCloseable {
    private final MemoryBudget budget;
    private final PooledMemory memory = new PooledMemory();
    private long used;
    private long reserved;

    public ScratchMemory(MemoryBudget budget) {
        this.budget = budget;
    }

    @Override
    public MemorySegment allocate(long byteSize) {
        used += byteSize;
        if (used > reserved) {
            budget.reserveToSpill(used - reserved);
            reserved = used;
        }
        return memory.allocate(byteSize);
    }

    /// Ends the use of everything allocated so far.
    public void reset() {
        memory.reset();
        used = 0;
    }

    @Override
    public void close() {
        memory.close();
        budget.release(reserved);
        reserved = 0;
        used = 0;
    }
}
