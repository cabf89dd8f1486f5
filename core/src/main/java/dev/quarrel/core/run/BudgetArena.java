package dev.quarrel.core.run;

import dev.quarrel.core.column.Allocator;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/// Memory outside the heap, reserved from a query's budget before it is taken and given back when closed.
///
/// Threads share it: any may allocate, read what was allocated, and close.
public final class BudgetArena implements Allocator, AutoCloseable {
    private final Arena arena = Arena.ofShared();
    private final Reservation reservation;
    private boolean closed;

    public BudgetArena(MemoryBudget budget) {
        this.reservation = new Reservation(budget);
    }

    @Override
    public MemorySegment allocate(long byteSize) {
        reservation.grow(byteSize);
        return arena.allocate(byteSize, 8);
    }

    public long bytes() {
        return reservation.bytes();
    }

    /// Frees all of it; a second call does nothing.
    @Override
    public synchronized void close() {
        if (!closed) {
            closed = true;
            arena.close();
            reservation.close();
        }
    }
}
