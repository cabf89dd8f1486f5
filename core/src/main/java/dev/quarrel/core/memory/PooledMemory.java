package dev.quarrel.core.memory;

import dev.quarrel.core.column.Allocator;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;

/// An allocator of memory outside the heap for data that lives as long as a query, a pipeline or a batch: it
/// hands out parts of regions, which go back to the process' pool together.
///
/// - Memory: `close` ends the use of everything that was allocated; whoever closes it knows that nobody reads it any
///   more. It may be used again after that.
/// - Errors: `QueryException` 53200 when the system has none.
///
/// Threads share it: any may allocate, read what was allocated, and close.
public final class PooledMemory implements Allocator, AutoCloseable {
    private static final long FIRST_BYTES = 4096;
    private static final long MAX_AHEAD_BYTES = 1L << 20;

    private final RegionPool pool;
    private final List<Region> regions = new ArrayList<>(2);
    private Region last; // the one that parts are cut from
    private long usedBytes;

    public PooledMemory() {
        this(RegionPool.shared());
    }

    PooledMemory(RegionPool pool) {
        this.pool = pool;
    }

    /// What a part takes of its region: parts begin at multiples of 16, as the widest struct of a device asks for.
    static long padded(long byteSize) {
        return byteSize + 15 & -16L;
    }

    @Override
    public MemorySegment allocate(long byteSize) {
        return take(byteSize, true);
    }

    @Override
    public MemorySegment allocateUnset(long byteSize) {
        return take(byteSize, false);
    }

    private synchronized MemorySegment take(long byteSize, boolean zeroed) {
        if (byteSize < 0) {
            throw new IllegalArgumentException(byteSize + " bytes");
        }
        usedBytes += padded(byteSize);
        if (last != null && byteSize <= last.restBytes()) {
            return last.take(byteSize, zeroed);
        }
        // Twice as much each time: a query of many small parts takes few regions.
        long ahead = last == null ? FIRST_BYTES : Math.min(MAX_AHEAD_BYTES, 2 * last.byteSize());
        Region region = region(Math.max(byteSize, ahead));
        regions.add(region);
        MemorySegment part = region.take(byteSize, zeroed);
        if (last == null || region.restBytes() >= last.restBytes()) {
            last = region;
        }
        return part;
    }

    private Region region(long bytes) {
        try {
            return pool.take(bytes);
        } catch (OutOfMemoryError e) {
            throw new QueryException(SqlState.OUT_OF_MEMORY, "out of memory", e)
                    .withDetail("The system has no " + bytes + " bytes more.");
        }
    }

    /// Ends the use of everything allocated so far, and keeps one region that would have held all of it: for who
    /// allocates about as much again.
    public synchronized void reset() {
        if (regions.size() > 1) {
            long bytes = usedBytes + usedBytes / 8;
            close();
            last = region(bytes);
            regions.add(last);
        } else if (last != null) {
            last.reset();
        }
        usedBytes = 0;
    }

    @Override
    public synchronized void close() {
        regions.forEach(pool::give);
        regions.clear();
        last = null;
        usedBytes = 0;
    }
}
