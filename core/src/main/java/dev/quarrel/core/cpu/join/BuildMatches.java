package dev.quarrel.core.cpu.join;

import dev.quarrel.core.budget.MemoryBudget;
import dev.quarrel.core.budget.Reservation;

/// The build rows of one join that have a match, as all workers of a pipeline find them.
///
/// A byte a row: workers write the same value into it, so that no write can undo another one's.
public final class BuildMatches implements AutoCloseable {
    private final Reservation reservation;
    private final byte[] flags;

    public BuildMatches(int rowCount, MemoryBudget budget) {
        this.reservation = new Reservation(budget);
        reservation.grow(rowCount);
        this.flags = new byte[rowCount];
    }

    /// 1 for rows with a match. Read only when no worker writes any more.
    public byte[] flags() {
        return flags;
    }

    @Override
    public void close() {
        reservation.close();
    }
}
