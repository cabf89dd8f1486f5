package dev.quarrel.core.device;

/// The configuration that devices get at start.
///
/// @param threads workers that call the device at the same time
/// @param tileRows rows of a CPU tile; at least 1; for tests: results never depend on it
/// @param tier which tier runs a pipeline that more than one can run; for tests: results never depend on it
/// @param columnCacheBytes bound of what the device keeps of columns between queries; 0 for nothing
public record DeviceConfig(int threads, int tileRows, Tier tier, long columnCacheBytes) {
    /// The way in which a pipeline's code is run.
    public enum Tier {
        /// The interpreter at once, compiled loops where there are rows enough to pay for them.
        AUTO,
        /// The interpreter alone: the reference.
        INTERPRETED,
        /// Compiled loops wherever they can be.
        COMPILED
    }

    public static final int DEFAULT_TILE_ROWS = 4096;
    public static final long DEFAULT_COLUMN_CACHE_BYTES = 256L << 20;

    public DeviceConfig {
        if (threads < 1 || tileRows < 1 || columnCacheBytes < 0) {
            throw new IllegalArgumentException(
                    threads + " threads, tiles of " + tileRows + " rows, " + columnCacheBytes + " bytes of columns");
        }
    }

    public DeviceConfig(int threads, int tileRows) {
        this(threads, tileRows, Tier.AUTO, DEFAULT_COLUMN_CACHE_BYTES);
    }

    /// The same with tiles that are not larger than they must be for so many rows.
    public DeviceConfig forRows(int rows) {
        return rows >= tileRows ? this : new DeviceConfig(threads, Math.max(1, rows), tier, columnCacheBytes);
    }

    public static DeviceConfig ofThreads(int threads) {
        return new DeviceConfig(threads, DEFAULT_TILE_ROWS);
    }
}
