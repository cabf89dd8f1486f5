package dev.quarrel.core.run;

import dev.quarrel.core.column.Allocator;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/// Memory outside the heap, reserved from a query's budget before it is taken and given back when closed.
///
/// To free memory that threads share, the JVM stops each of them for a moment: 25 to 150 µs, of which a small query
/// would pay a dozen. So the first little is left to the garbage collector; beyond it memory is freed when closed.
///
/// Threads share it: any may allocate, read what was allocated, and close.
public final class BudgetArena implements Allocator, AutoCloseable {
    private static final long MAX_SMALL_BYTES = 64 << 10;
    private static final long BLOCK_BYTES = 4 << 10;

    private final Reservation reservation;
    private MemorySegment block = MemorySegment.NULL; // of which the first `used` bytes are taken
    private long used;
    private long smallBytes; // of all blocks
    private Arena arena; // made when there is more
    private boolean closed;

    public BudgetArena(MemoryBudget budget) {
        this.reservation = new Reservation(budget);
    }

    @Override
    public MemorySegment allocate(long byteSize) {
        reservation.grow(byteSize);
        MemorySegment small = small(byteSize);
        return small == null ? large().allocate(byteSize, 8) : small;
    }

    /// Room in a block, or null: it would be too much.
    private synchronized MemorySegment small(long byteSize) {
        long padded = byteSize + 7 & -8L;
        if (used + padded > block.byteSize()) {
            if (smallBytes + padded > MAX_SMALL_BYTES) {
                return null;
            }
            block = Arena.ofAuto().allocate(Math.max(BLOCK_BYTES, padded), 8);
            smallBytes += block.byteSize();
            used = 0;
        }
        MemorySegment taken = block.asSlice(used, byteSize);
        used += padded;
        return taken;
    }

    private synchronized Arena large() {
        if (closed) {
            throw new IllegalStateException("the arena is closed");
        }
        if (arena == null) {
            arena = Arena.ofShared();
        }
        return arena;
    }

    public long bytes() {
        return reservation.bytes();
    }

    /// Frees all of it; a second call does nothing. Nobody may look at it any more.
    @Override
    public synchronized void close() {
        if (!closed) {
            closed = true;
            block = MemorySegment.NULL;
            if (arena != null) {
                arena.close();
            }
            reservation.close();
        }
    }
}
