package dev.quarrel.calcite;

import dev.quarrel.core.device.DeviceConfig;
import dev.quarrel.core.spill.SpillFolder;
import dev.quarrel.core.table.CatalogSnapshot;
import dev.quarrel.core.table.Table;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Function;

/// The configuration of an [Engine]: threads, memory bounds, folders and additional SQL functions.
///
/// @param threads workers of the scheduler, at least 1; default: all cores
/// @param tileRows rows of a CPU tile; results never depend on it
/// @param tier how the CPU runs code; results never depend on it
/// @param queryMemoryBytes bound of what one query may hold outside mapped files
/// @param totalMemoryBytes bound of what all queries together may hold
/// @param columnCacheBytes bound of what is kept of columns between queries, beside the queries' own memory; 0: nothing
/// @param inlineRows a plan over so many rows at most (multiplied where sources are joined) runs on the thread that
///     reads its result, if the CPU runs it, and without the workers; negative: none does
/// @param spillFolder where queries put what their memory does not hold, in a private folder; null: they fail instead
/// @param systemTables what `pg_catalog` and `information_schema` hold, made anew for each catalog version;
/// empty for none
/// @param systemFunctions what clients call beside them; one that has a built-in function's name and argument types
/// stands in for it
/// @param functions SQL functions beyond the built-in ones
/// @param aggregates aggregate functions beyond them
public record EngineConfig(
        int threads,
        int tileRows,
        DeviceConfig.Tier tier,
        long queryMemoryBytes,
        long totalMemoryBytes,
        long columnCacheBytes,
        long inlineRows,
        Path spillFolder,
        Function<CatalogSnapshot, List<Table>> systemTables,
        List<ScalarFunction> systemFunctions,
        List<ScalarFunction> functions,
        List<JavaAggregate> aggregates) {
    /// So few rows that their work is over before a worker would have begun it, or soon after.
    private static final long DEFAULT_INLINE_ROWS = 1 << 14;

    public EngineConfig {
        systemFunctions = List.copyOf(systemFunctions);
        functions = List.copyOf(functions);
        aggregates = List.copyOf(aggregates);
    }

    /// All cores; half of the heap a query and two thirds for all of them, for what a query holds lies in the heap
    /// and arrays are copied when they grow; temporary files where the JVM has its own; no system tables.
    ///
    /// - Memory: what queries hold may lie outside of the heap, all of it, and what the column cache holds does.
    ///   The launcher sizes the heap so that there is room for both.
    public static EngineConfig defaults() {
        long heap = Runtime.getRuntime().maxMemory();
        return new EngineConfig(
                Runtime.getRuntime().availableProcessors(),
                DeviceConfig.DEFAULT_TILE_ROWS,
                DeviceConfig.Tier.AUTO,
                heap / 2,
                heap / 3 * 2,
                heap / 9,
                DEFAULT_INLINE_ROWS,
                SpillFolder.defaultParent(),
                _ -> List.of(),
                List.of(),
                List.of(),
                List.of());
    }

    public EngineConfig withThreads(int newThreads) {
        return new EngineConfig(
                newThreads,
                tileRows,
                tier,
                queryMemoryBytes,
                totalMemoryBytes,
                columnCacheBytes,
                inlineRows,
                spillFolder,
                systemTables,
                systemFunctions,
                functions,
                aggregates);
    }

    public EngineConfig withTileRows(int newTileRows) {
        return new EngineConfig(
                threads,
                newTileRows,
                tier,
                queryMemoryBytes,
                totalMemoryBytes,
                columnCacheBytes,
                inlineRows,
                spillFolder,
                systemTables,
                systemFunctions,
                functions,
                aggregates);
    }

    public EngineConfig withTier(DeviceConfig.Tier newTier) {
        return new EngineConfig(
                threads,
                tileRows,
                newTier,
                queryMemoryBytes,
                totalMemoryBytes,
                columnCacheBytes,
                inlineRows,
                spillFolder,
                systemTables,
                systemFunctions,
                functions,
                aggregates);
    }

    /// A bound for one query; that for all of them grows with it where it is less.
    public EngineConfig withQueryMemoryBytes(long newBytes) {
        return new EngineConfig(
                threads,
                tileRows,
                tier,
                newBytes,
                Math.max(totalMemoryBytes, newBytes),
                columnCacheBytes,
                inlineRows,
                spillFolder,
                systemTables,
                systemFunctions,
                functions,
                aggregates);
    }

    public EngineConfig withTotalMemoryBytes(long newBytes) {
        return new EngineConfig(
                threads,
                tileRows,
                tier,
                queryMemoryBytes,
                newBytes,
                columnCacheBytes,
                inlineRows,
                spillFolder,
                systemTables,
                systemFunctions,
                functions,
                aggregates);
    }

    /// @param newBytes 0 or more
    public EngineConfig withColumnCacheBytes(long newBytes) {
        return new EngineConfig(
                threads,
                tileRows,
                tier,
                queryMemoryBytes,
                totalMemoryBytes,
                newBytes,
                inlineRows,
                spillFolder,
                systemTables,
                systemFunctions,
                functions,
                aggregates);
    }

    /// @param newRows negative: no plan runs on its reader's thread
    public EngineConfig withInlineRows(long newRows) {
        return new EngineConfig(
                threads,
                tileRows,
                tier,
                queryMemoryBytes,
                totalMemoryBytes,
                columnCacheBytes,
                newRows,
                spillFolder,
                systemTables,
                systemFunctions,
                functions,
                aggregates);
    }

    /// @param newFolder null for none
    public EngineConfig withSpillFolder(Path newFolder) {
        return new EngineConfig(
                threads,
                tileRows,
                tier,
                queryMemoryBytes,
                totalMemoryBytes,
                columnCacheBytes,
                inlineRows,
                newFolder,
                systemTables,
                systemFunctions,
                functions,
                aggregates);
    }

    public EngineConfig withSystemTables(
            Function<CatalogSnapshot, List<Table>> newTables, List<ScalarFunction> newFunctions) {
        return new EngineConfig(
                threads,
                tileRows,
                tier,
                queryMemoryBytes,
                totalMemoryBytes,
                columnCacheBytes,
                inlineRows,
                spillFolder,
                newTables,
                newFunctions,
                functions,
                aggregates);
    }

    /// @param newFunctions in place of those before; see [ScalarFunction#pure] and [ScalarFunction#annotated] for
    /// functions of data. An engine with one that has a built-in function's name and argument types does not
    /// open (42723)
    public EngineConfig withFunctions(List<ScalarFunction> newFunctions) {
        return new EngineConfig(
                threads,
                tileRows,
                tier,
                queryMemoryBytes,
                totalMemoryBytes,
                columnCacheBytes,
                inlineRows,
                spillFolder,
                systemTables,
                systemFunctions,
                newFunctions,
                aggregates);
    }

    /// @param newAggregates in place of those before; they have names that no other function has
    public EngineConfig withAggregates(List<JavaAggregate> newAggregates) {
        return new EngineConfig(
                threads,
                tileRows,
                tier,
                queryMemoryBytes,
                totalMemoryBytes,
                columnCacheBytes,
                inlineRows,
                spillFolder,
                systemTables,
                systemFunctions,
                functions,
                newAggregates);
    }
}
