package dev.quarrel.core.device;

/// What devices are told at start.
///
/// @param threads workers that call the device at the same time
/// @param tileRows rows of a CPU tile; at least 1; for tests: results never depend on it
/// @param tier which tier runs a pipeline that more than one can run; for tests: results never depend on it
public record DeviceConfig(int threads, int tileRows, Tier tier) {
    /// How a pipeline's code is run.
    public enum Tier {
        /// The interpreter at once, compiled loops where there are rows enough to pay for them.
        AUTO,
        /// The interpreter alone: the reference.
        INTERPRETED,
        /// Compiled loops wherever they can be.
        COMPILED
    }

    public static final int DEFAULT_TILE_ROWS = 2048;

    public DeviceConfig {
        if (threads < 1 || tileRows < 1) {
            throw new IllegalArgumentException(threads + " threads, tiles of " + tileRows + " rows");
        }
    }

    public DeviceConfig(int threads, int tileRows) {
        this(threads, tileRows, Tier.AUTO);
    }

    public static DeviceConfig ofThreads(int threads) {
        return new DeviceConfig(threads, DEFAULT_TILE_ROWS);
    }
}
