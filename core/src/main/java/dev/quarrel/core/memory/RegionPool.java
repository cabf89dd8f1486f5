package dev.quarrel.core.memory;

import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;

/// Regions that wait for their next use. Closing a shared arena is a handshake with every thread of the process, so
/// what lives as long as a query or a batch takes its memory here and puts it back.
///
/// - Memory: it keeps [#MAX_IDLE_BYTES] at most; what comes back beyond that, and pieces above [#MAX_POOLED_BYTES],
///   go back to the system at once.
/// - Unlike an arena's, memory that was put back can still be read through an old segment. With the system property
///   `quarrel.checked_memory` nothing is kept, so such a read fails: tests run that way.
///
/// Threads share it.
final class RegionPool {
    static final long MAX_POOLED_BYTES = 4L << 20;
    static final long MAX_IDLE_BYTES = 64L << 20;

    /// The smallest region; each further size is four times the one before.
    private static final int MIN_SIZE_LOG = 12;

    private static final int SIZES = 6;
    private static final RegionPool SHARED =
            new RegionPool(Boolean.getBoolean("quarrel.checked_memory") ? 0 : MAX_IDLE_BYTES);

    private final long maxIdleBytes;
    private final AtomicLong idleBytes = new AtomicLong();
    private final List<Queue<Region>> idle = new ArrayList<>();

    /// @param maxIdleBytes what it keeps at most; 0: regions are as large as asked for, and none is used twice
    RegionPool(long maxIdleBytes) {
        this.maxIdleBytes = maxIdleBytes;
        for (int size = 0; size < SIZES; size++) {
            idle.add(new ConcurrentLinkedQueue<>());
        }
    }

    /// The process' own.
    static RegionPool shared() {
        return SHARED;
    }

    private static long sizeBytes(int size) {
        return 1L << MIN_SIZE_LOG + 2 * size;
    }

    private static int sizeOf(long bytes) {
        int log = Long.SIZE - Long.numberOfLeadingZeros(Math.max(1, bytes - 1));
        return Math.max(0, log - MIN_SIZE_LOG + 1 >> 1);
    }

    private boolean isPooled(long bytes) {
        return maxIdleBytes > 0 && bytes <= MAX_POOLED_BYTES;
    }

    /// A region of at least so many bytes, unused from its beginning.
    ///
    /// - Errors: [OutOfMemoryError] when the system has none.
    Region take(long bytes) {
        if (!isPooled(bytes)) {
            return new Region(Math.max(8, bytes));
        }
        int size = sizeOf(bytes);
        Region kept = idle.get(size).poll();
        if (kept == null) {
            return new Region(sizeBytes(size));
        }
        idleBytes.addAndGet(-kept.byteSize());
        return kept;
    }

    /// Takes a region back that nobody uses any more. It is the size that is in use: others make room for it.
    void give(Region region) {
        long bytes = region.byteSize();
        if (isPooled(bytes) && (idleBytes.addAndGet(bytes) <= maxIdleBytes || makeRoom(sizeOf(bytes)))) {
            region.reset();
            idle.get(sizeOf(bytes)).add(region);
            return;
        }
        if (isPooled(bytes)) {
            idleBytes.addAndGet(-bytes);
        }
        region.free();
    }

    /// Frees idle regions of other sizes, large ones first.
    private boolean makeRoom(int size) {
        for (int other = SIZES - 1; other >= 0; other--) {
            while (other != size && idleBytes.get() > maxIdleBytes) {
                Region region = idle.get(other).poll();
                if (region == null) {
                    break;
                }
                idleBytes.addAndGet(-region.byteSize());
                region.free();
            }
        }
        return idleBytes.get() <= maxIdleBytes;
    }

    long idleBytes() {
        return idleBytes.get();
    }
}
