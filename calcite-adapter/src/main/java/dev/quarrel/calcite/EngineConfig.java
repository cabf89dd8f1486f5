package dev.quarrel.calcite;

import dev.quarrel.core.device.DeviceConfig;
import dev.quarrel.core.spill.SpillFolder;
import dev.quarrel.core.table.CatalogSnapshot;
import dev.quarrel.core.table.Table;
import java.nio.file.Path;
import java.util.List;
import java.util.function.BiFunction;
import java.util.function.Consumer;

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
/// @param systemTables what `pg_catalog` and `information_schema` hold, made anew for each catalog version, and for
/// sessions of other privileges; empty for none
/// @param systemFunctions what clients call beside them; one that has a built-in function's name and argument types
/// stands in for it
/// @param database what `current_database()` and names of three parts call the catalog
/// @param functions SQL functions beyond the built-in ones
/// @param aggregates aggregate functions beyond them
/// @param writes what statements may change
public record EngineConfig(
        int threads,
        int tileRows,
        DeviceConfig.Tier tier,
        long queryMemoryBytes,
        long totalMemoryBytes,
        long columnCacheBytes,
        long inlineRows,
        Path spillFolder,
        BiFunction<CatalogSnapshot, TablePrivileges, List<Table>> systemTables,
        List<ScalarFunction> systemFunctions,
        String database,
        List<ScalarFunction> functions,
        List<JavaAggregate> aggregates,
        WriteAccess writes) {
    public static final String DEFAULT_DATABASE = "quarrel";

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
                (_, _) -> List.of(),
                List.of(),
                DEFAULT_DATABASE,
                List.of(),
                List.of(),
                WriteAccess.NONE);
    }

    public EngineConfig withThreads(int newThreads) {
        return changed(draft -> draft.threads = newThreads);
    }

    public EngineConfig withTileRows(int newTileRows) {
        return changed(draft -> draft.tileRows = newTileRows);
    }

    public EngineConfig withTier(DeviceConfig.Tier newTier) {
        return changed(draft -> draft.tier = newTier);
    }

    /// A bound for one query; that for all of them grows with it where it is less.
    public EngineConfig withQueryMemoryBytes(long newBytes) {
        return changed(draft -> {
            draft.queryMemoryBytes = newBytes;
            draft.totalMemoryBytes = Math.max(totalMemoryBytes, newBytes);
        });
    }

    public EngineConfig withTotalMemoryBytes(long newBytes) {
        return changed(draft -> draft.totalMemoryBytes = newBytes);
    }

    /// @param newBytes 0 or more
    public EngineConfig withColumnCacheBytes(long newBytes) {
        return changed(draft -> draft.columnCacheBytes = newBytes);
    }

    /// @param newRows negative: no plan runs on its reader's thread
    public EngineConfig withInlineRows(long newRows) {
        return changed(draft -> draft.inlineRows = newRows);
    }

    /// @param newFolder null for none
    public EngineConfig withSpillFolder(Path newFolder) {
        return changed(draft -> draft.spillFolder = newFolder);
    }

    public EngineConfig withSystemTables(
            BiFunction<CatalogSnapshot, TablePrivileges, List<Table>> newTables, List<ScalarFunction> newFunctions) {
        return changed(draft -> {
            draft.systemTables = newTables;
            draft.systemFunctions = newFunctions;
        });
    }

    public EngineConfig withDatabase(String newDatabase) {
        return changed(draft -> draft.database = newDatabase);
    }

    /// @param newFunctions in place of those before; see [ScalarFunction#pure] and [ScalarFunction#annotated] for
    /// functions of data. An engine with one that has a built-in function's name and argument types does not
    /// open (42723)
    public EngineConfig withFunctions(List<ScalarFunction> newFunctions) {
        return changed(draft -> draft.functions = newFunctions);
    }

    /// @param newAggregates in place of those before; they have names that no other function has
    public EngineConfig withAggregates(List<JavaAggregate> newAggregates) {
        return changed(draft -> draft.aggregates = newAggregates);
    }

    public EngineConfig withWrites(WriteAccess newWrites) {
        return changed(draft -> draft.writes = newWrites);
    }

    /// The values of a configuration that is not made yet.
    private static final class Draft {
        int threads;
        int tileRows;
        DeviceConfig.Tier tier;
        long queryMemoryBytes;
        long totalMemoryBytes;
        long columnCacheBytes;
        long inlineRows;
        Path spillFolder;
        BiFunction<CatalogSnapshot, TablePrivileges, List<Table>> systemTables;
        List<ScalarFunction> systemFunctions;
        String database;
        List<ScalarFunction> functions;
        List<JavaAggregate> aggregates;
        WriteAccess writes;
    }

    private EngineConfig changed(Consumer<Draft> change) {
        Draft draft = new Draft();
        draft.threads = threads;
        draft.tileRows = tileRows;
        draft.tier = tier;
        draft.queryMemoryBytes = queryMemoryBytes;
        draft.totalMemoryBytes = totalMemoryBytes;
        draft.columnCacheBytes = columnCacheBytes;
        draft.inlineRows = inlineRows;
        draft.spillFolder = spillFolder;
        draft.systemTables = systemTables;
        draft.systemFunctions = systemFunctions;
        draft.database = database;
        draft.functions = functions;
        draft.aggregates = aggregates;
        draft.writes = writes;
        change.accept(draft);
        return new EngineConfig(
                draft.threads,
                draft.tileRows,
                draft.tier,
                draft.queryMemoryBytes,
                draft.totalMemoryBytes,
                draft.columnCacheBytes,
                draft.inlineRows,
                draft.spillFolder,
                draft.systemTables,
                draft.systemFunctions,
                draft.database,
                draft.functions,
                draft.aggregates,
                draft.writes);
    }
}
