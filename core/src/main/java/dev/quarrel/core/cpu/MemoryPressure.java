package dev.quarrel.core.cpu;

import dev.quarrel.core.run.MemoryBudget;

/// When the workers of a pipeline are to spill: before a reservation can fail, for then rows would be lost.
///
/// @param threads workers that may grow at the same time
record MemoryPressure(MemoryBudget budget, int threads) {
    /// A state smaller than this part of the bound is not worth writing out.
    private static final int SMALLEST_PART = 512;

    /// Whether a state has come so far that what its next tile may take, and then writing it out, could fail.
    ///
    /// @param stateBytes what the state has reserved
    /// @param growthBytes what growing once, and writing out after that, takes beside
    boolean isDue(long stateBytes, long growthBytes) {
        return stateBytes > budget.limitBytes() / SMALLEST_PART && !fits(growthBytes * threads);
    }

    boolean fits(long bytes) {
        return bytes <= budget.availableBytes();
    }
}
