package dev.quarrel.core.device;

/// What devices are told at start.
///
/// @param threads workers that call the device at the same time
/// @param tileRows rows of a CPU tile; at least 1; for tests: results never depend on it
public record DeviceConfig(int threads, int tileRows) {
    public static final int DEFAULT_TILE_ROWS = 2048;

    public DeviceConfig {
        if (threads < 1 || tileRows < 1) {
            throw new IllegalArgumentException(threads + " threads, tiles of " + tileRows + " rows");
        }
    }

    public static DeviceConfig ofThreads(int threads) {
        return new DeviceConfig(threads, DEFAULT_TILE_ROWS);
    }
}
