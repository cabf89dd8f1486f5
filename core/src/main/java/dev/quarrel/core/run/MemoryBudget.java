package dev.quarrel.core.run;

import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;
import java.util.concurrent.atomic.AtomicLong;

/// Bytes one query may hold, and holds, outside mapped files.
///
/// Reserve before allocating, release after freeing. Threads share it.
public final class MemoryBudget {
    private final long limitBytes;
    private final AtomicLong usedBytes = new AtomicLong();
    private final AtomicLong peakBytes = new AtomicLong();

    /// @param limitBytes the bound, above 0
    public MemoryBudget(long limitBytes) {
        if (limitBytes <= 0) {
            throw new IllegalArgumentException("a budget of " + limitBytes + " bytes");
        }
        this.limitBytes = limitBytes;
    }

    /// - Errors: `QueryException` 53200 when the bound would be exceeded; nothing is reserved then.
    public void reserve(long bytes) {
        if (!tryReserve(bytes)) {
            throw new QueryException(SqlState.OUT_OF_MEMORY, "out of memory")
                    .withDetail("The query holds " + usedBytes.get() + " bytes and asks for " + bytes
                            + " more; its bound is " + limitBytes + ".")
                    .withHint("Raise quarrel.query_memory, or let the query touch fewer groups or build rows.");
        }
    }

    /// Like `reserve`, but answers false instead of failing: for operators that can spill.
    public boolean tryReserve(long bytes) {
        if (bytes < 0) {
            throw new IllegalArgumentException("reserve " + bytes);
        }
        while (true) {
            long used = usedBytes.get();
            if (bytes > limitBytes - used) {
                return false;
            }
            if (usedBytes.compareAndSet(used, used + bytes)) {
                peakBytes.accumulateAndGet(used + bytes, Math::max);
                return true;
            }
        }
    }

    public void release(long bytes) {
        if (bytes < 0 || usedBytes.addAndGet(-bytes) < 0) {
            throw new IllegalStateException("released " + bytes + " bytes that were not reserved");
        }
    }

    public long limitBytes() {
        return limitBytes;
    }

    public long usedBytes() {
        return usedBytes.get();
    }

    public long peakBytes() {
        return peakBytes.get();
    }
}
