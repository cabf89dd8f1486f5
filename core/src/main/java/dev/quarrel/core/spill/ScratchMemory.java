package dev.quarrel.core.spill;

import dev.quarrel.core.column.Allocator;
import dev.quarrel.core.run.MemoryBudget;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;

/// Memory that is used for one batch after another: `reset` frees all of it for the next one.
///
/// - Memory: reserved as what spilling needs ([MemoryBudget#reserveToSpill]).
///
/// One thread at a time uses it.
public final class ScratchMemory implements Allocator, AutoCloseable {
    private final MemoryBudget budget;
    private Arena arena;
    private MemorySegment block = MemorySegment.NULL;
    private long used;
    private long wanted;
    private final List<Arena> further = new ArrayList<>();
    private long reserved;

    public ScratchMemory(MemoryBudget budget) {
        this.budget = budget;
    }

    @Override
    public MemorySegment allocate(long byteSize) {
        long padded = byteSize + 7 & -8L;
        wanted += padded;
        if (used + padded <= block.byteSize()) {
            MemorySegment part = block.asSlice(used, byteSize);
            used += padded;
            part.fill((byte) 0);
            return part;
        }
        reserve(padded);
        Arena more = Arena.ofShared();
        further.add(more);
        return more.allocate(Math.max(8, padded), 8).asSlice(0, byteSize);
    }

    private void reserve(long bytes) {
        budget.reserveToSpill(bytes);
        reserved += bytes;
    }

    /// Ends the use of everything allocated so far.
    public void reset() {
        used = 0;
        if (!further.isEmpty()) {
            // The next batch will be about as large: let it find room in one piece.
            long size = wanted + wanted / 8 + 4096;
            close();
            reserve(size);
            arena = Arena.ofShared();
            block = arena.allocate(size, 8);
        }
        wanted = 0;
    }

    @Override
    public void close() {
        further.forEach(Arena::close);
        further.clear();
        if (arena != null) {
            arena.close();
            arena = null;
        }
        block = MemorySegment.NULL;
        used = 0;
        budget.release(reserved);
        reserved = 0;
    }
}
