package dev.quarrel.core.arrow;

import dev.quarrel.core.column.Allocator;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/// Memory for what a read must copy. Its arena is made at the first need: a read that copies nothing costs none.
///
/// One thread allocates; any thread may close, once.
final class OwnedMemory implements Allocator, AutoCloseable {
    private Arena arena;

    @Override
    public MemorySegment allocate(long byteSize) {
        if (arena == null) {
            arena = Arena.ofShared();
        }
        try {
            return arena.allocate(byteSize, 8);
        } catch (OutOfMemoryError e) {
            throw new QueryException(SqlState.OUT_OF_MEMORY, "out of memory", e)
                    .withDetail("A batch asks for " + byteSize + " bytes to be decoded into.");
        }
    }

    @Override
    public void close() {
        if (arena != null) {
            arena.close();
        }
    }
}
