package dev.quarrel.calcite;

import dev.quarrel.core.device.DeviceConfig;
import dev.quarrel.core.table.CatalogSnapshot;
import dev.quarrel.core.table.Table;
import java.util.List;
import java.util.function.Function;

/// How an engine is set up.
///
/// @param threads workers of the scheduler, at least 1; default: all cores
/// @param tileRows rows of a CPU tile; results never depend on it
/// @param queryMemoryBytes bound of what one query may hold outside mapped files
/// @param systemTables what `pg_catalog` and `information_schema` hold, made anew for each catalog version;
/// empty for none
/// @param functions SQL functions beyond the built-in ones
public record EngineConfig(
        int threads,
        int tileRows,
        long queryMemoryBytes,
        Function<CatalogSnapshot, List<Table>> systemTables,
        List<ScalarFunction> functions) {
    public EngineConfig {
        functions = List.copyOf(functions);
    }

    /// All cores, a quarter of the machine's memory a query, no system tables.
    public static EngineConfig defaults() {
        return new EngineConfig(
                Runtime.getRuntime().availableProcessors(),
                DeviceConfig.DEFAULT_TILE_ROWS,
                Math.max(1L << 30, Runtime.getRuntime().maxMemory()),
                _ -> List.of(),
                List.of());
    }

    public EngineConfig withThreads(int newThreads) {
        return new EngineConfig(newThreads, tileRows, queryMemoryBytes, systemTables, functions);
    }

    public EngineConfig withTileRows(int newTileRows) {
        return new EngineConfig(threads, newTileRows, queryMemoryBytes, systemTables, functions);
    }

    public EngineConfig withQueryMemoryBytes(long newBytes) {
        return new EngineConfig(threads, tileRows, newBytes, systemTables, functions);
    }

    public EngineConfig withSystemTables(
            Function<CatalogSnapshot, List<Table>> newTables, List<ScalarFunction> newFunctions) {
        return new EngineConfig(threads, tileRows, queryMemoryBytes, newTables, newFunctions);
    }
}
