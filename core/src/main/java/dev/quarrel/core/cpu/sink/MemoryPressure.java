package dev.quarrel.core.cpu.sink;

import dev.quarrel.core.budget.MemoryBudget;

/// Decides when the workers of a pipeline spill: before a reservation can fail, since rows would be lost then.
///
/// @param threads workers that may grow at the same time
public record MemoryPressure(MemoryBudget budget, int threads) {
    /// A state smaller than this part of the bound is not worth writing out.
    private static final int SMALLEST_PART = 512;
    /// States that are together smaller than this part are not either, where they could be finished at once.
    private static final int SMALL_PART = 64;

    /// Whether a state has come so far that what its next tile may take, and then writing it out, could fail.
    ///
    /// @param stateBytes what the state has reserved
    /// @param growthBytes what growing once, and writing out after that, takes beside
    public boolean isDue(long stateBytes, long growthBytes) {
        return stateBytes > budget.limitBytes() / SMALLEST_PART && !fits(growthBytes * threads);
    }

    /// Whether what has not been spilled is finished in memory.
    ///
    /// @param stateBytes what all workers' states have reserved
    /// @param growthBytes what finishing takes beside
    public boolean mayStay(long stateBytes, long growthBytes) {
        return fits(growthBytes) || stateBytes < budget.limitBytes() / SMALL_PART;
    }

    public boolean fits(long bytes) {
        return bytes <= budget.availableBytes();
    }
}
