package dev.quarrel.core.column;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/// The source of memory for builders, which accounts for memory before it allocates it.
///
/// - Memory: `allocate` hands over zeroed memory that lives until whoever made the allocator ends it.
/// - Errors: `QueryException` 53200 when a bound is exceeded; nothing is allocated then.
public interface Allocator {
    /// @param byteSize at least 0
    MemorySegment allocate(long byteSize);

    /// As `allocate`, but the memory may hold anything: for who writes all of it.
    default MemorySegment allocateUnset(long byteSize) {
        return allocate(byteSize);
    }

    /// Says that a segment from this allocator is no longer used (a buffer that has grown). It may free it at once or
    /// later.
    default void discard(MemorySegment segment) {}

    /// An allocator without a bound, whose memory lives as long as `arena`.
    static Allocator of(Arena arena) {
        return byteSize -> arena.allocate(byteSize, 8);
    }
}
