package dev.quarrel.core.budget;

import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;
import java.util.concurrent.atomic.AtomicLong;

/// A limit on the bytes that one query, or all of them together, may hold outside mapped files, and the count of
/// those held.
///
/// Reserve before allocating, release after freeing. Threads share it.
public final class MemoryBudget {
    private final long limitBytes;
    private final MemoryBudget whole;
    private final AtomicLong usedBytes = new AtomicLong();
    private final AtomicLong peakBytes = new AtomicLong();
    private volatile Cancellation stop;

    /// @param limitBytes the bound, above 0
    public MemoryBudget(long limitBytes) {
        this(limitBytes, null);
    }

    /// A share of a larger budget: what is reserved here counts there too.
    ///
    /// @param limitBytes the bound, above 0
    /// @param whole the budget of all queries together, or null
    public MemoryBudget(long limitBytes, MemoryBudget whole) {
        if (limitBytes <= 0) {
            throw new IllegalArgumentException("a budget of " + limitBytes + " bytes");
        }
        this.limitBytes = limitBytes;
        this.whole = whole;
    }

    /// Says what stops the query whose budget this is.
    public void stopBy(Cancellation cancellation) {
        stop = cancellation;
    }

    /// Lets a long loop over what is held end with its query; quick enough for every few thousand rows.
    ///
    /// - Errors: the reason why the query is to stop.
    public void checkStop() {
        Cancellation by = stop;
        if (by != null) {
            by.check();
        }
    }

    /// - Errors: `QueryException` 53200 when a bound would be exceeded; nothing is reserved then.
    public void reserve(long bytes) {
        if (tryReserve(bytes)) {
            return;
        }
        // Other threads may have released since: the refusal stands, and this only chooses its words.
        if (whole != null && bytes <= limitBytes - usedBytes.get()) {
            throw new QueryException(SqlState.OUT_OF_MEMORY, "out of memory")
                    .withDetail("All queries together hold " + whole.usedBytes.get() + " bytes, and this one asks for "
                            + bytes + " more; their bound is " + whole.limitBytes + ".")
                    .withHint("Raise --total-memory, or run fewer queries at a time.");
        }
        throw new QueryException(SqlState.OUT_OF_MEMORY, "out of memory")
                .withDetail("The query holds " + usedBytes.get() + " bytes and asks for " + bytes
                        + " more; its bound is " + limitBytes + ".")
                .withHint("Raise quarrel.query_memory, or let the query touch fewer groups or build rows.");
    }

    /// Like `reserve`, but answers false instead of failing: for operators that can spill.
    public boolean tryReserve(long bytes) {
        return tryReserve(bytes, limitBytes);
    }

    /// Reserves what it takes to write something out and free it. That must not fail for want of memory, so it may
    /// exceed the bound by an eighth.
    ///
    /// - Errors: as `reserve`, past that eighth.
    public void reserveToSpill(long bytes) {
        if (!tryReserve(bytes, limitBytes + limitBytes / 8)) {
            reserve(bytes);
        }
    }

    private boolean tryReserve(long bytes, long bound) {
        if (bytes < 0) {
            throw new IllegalArgumentException("reserve " + bytes);
        }
        while (true) {
            long used = usedBytes.get();
            if (bytes > bound - used) {
                return false;
            }
            if (usedBytes.compareAndSet(used, used + bytes)) {
                if (whole != null
                        && !whole.tryReserve(
                                bytes,
                                bound > limitBytes ? whole.limitBytes + whole.limitBytes / 8 : whole.limitBytes)) {
                    usedBytes.addAndGet(-bytes);
                    return false;
                }
                peakBytes.accumulateAndGet(used + bytes, Math::max);
                return true;
            }
        }
    }

    public void release(long bytes) {
        if (bytes < 0 || usedBytes.addAndGet(-bytes) < 0) {
            throw new IllegalStateException("released " + bytes + " bytes that were not reserved");
        }
        if (whole != null) {
            whole.release(bytes);
        }
    }

    /// Bytes that can still be reserved, here and in the whole; at least 0.
    public long availableBytes() {
        long here = Math.max(0, limitBytes - usedBytes.get());
        return whole == null ? here : Math.min(here, whole.availableBytes());
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
