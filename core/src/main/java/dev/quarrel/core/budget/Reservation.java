package dev.quarrel.core.budget;

/// The share of a query's budget that one structure holds; closing gives it back.
///
/// Threads may share it.
public final class Reservation implements AutoCloseable {
    private final MemoryBudget budget;
    private long bytes;

    public Reservation(MemoryBudget budget) {
        this.budget = budget;
    }

    /// Reserves more; called before the memory is allocated.
    ///
    /// - Errors: `QueryException` 53200 when the query's bound would be exceeded; nothing is reserved then.
    public synchronized void grow(long moreBytes) {
        budget.reserve(moreBytes);
        bytes += moreBytes;
    }

    /// Reserves more for writing something out ([MemoryBudget#reserveToSpill]).
    public synchronized void growToSpill(long moreBytes) {
        budget.reserveToSpill(moreBytes);
        bytes += moreBytes;
    }

    /// Gives a part back.
    public synchronized void shrink(long lessBytes) {
        if (lessBytes > bytes) {
            throw new IllegalStateException("released " + lessBytes + " of " + bytes + " reserved bytes");
        }
        bytes -= lessBytes;
        budget.release(lessBytes);
    }

    public synchronized long bytes() {
        return bytes;
    }

    public MemoryBudget budget() {
        return budget;
    }

    /// Gives everything back; it can be used again.
    @Override
    public synchronized void close() {
        long all = bytes;
        bytes = 0;
        budget.release(all);
    }
}
