package dev.quarrel.core.budget;

import dev.quarrel.core.column.Allocator;
import dev.quarrel.core.memory.PooledMemory;
import java.lang.foreign.MemorySegment;

/// An allocator of memory outside the heap that reserves it from a query's budget first, and gives all of it
/// back when closed.
///
/// Threads share it: any may allocate, read what was allocated, and close.
public final class BudgetArena implements Allocator, AutoCloseable {
    private final PooledMemory memory = new PooledMemory();
    private final Reservation reservation;
    private boolean closed;

    public BudgetArena(MemoryBudget budget) {
        this.reservation = new Reservation(budget);
    }

    @Override
    public MemorySegment allocate(long byteSize) {
        reservation.grow(byteSize);
        return memory.allocate(byteSize);
    }

    @Override
    public MemorySegment allocateUnset(long byteSize) {
        reservation.grow(byteSize);
        return memory.allocateUnset(byteSize);
    }

    public long bytes() {
        return reservation.bytes();
    }

    /// Frees all of it; a second call does nothing.
    @Override
    public synchronized void close() {
        if (!closed) {
            closed = true;
            memory.close();
            reservation.close();
        }
    }
}
