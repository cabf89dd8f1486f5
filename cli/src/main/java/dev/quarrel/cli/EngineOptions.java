package dev.quarrel.cli;

import dev.quarrel.calcite.Engine;
import dev.quarrel.calcite.EngineConfig;
import dev.quarrel.calcite.engine.LocalEngine;
import dev.quarrel.core.arrow.dataset.DatasetCatalog;
import dev.quarrel.core.arrow.dataset.StatsCache;
import dev.quarrel.core.spill.SpillFolder;
import dev.quarrel.server.auth.Users;
import dev.quarrel.server.catalog.SystemCatalog;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Collection;
import java.util.function.Supplier;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/// The options of every command that answers SQL.
final class EngineOptions {
    private static final String NO_CACHE = "none";

    @Spec(Spec.Target.MIXEE)
    private CommandSpec spec;

    @Option(names = "--data", required = true, paramLabel = "ROOT", description = "The dataset's folder.")
    private Path data;

    @Option(names = "--threads", paramLabel = "N", description = "Workers; default: all cores.")
    private Integer threads;

    @Option(
            names = "--query-memory",
            paramLabel = "MIB",
            description = "What one query may hold outside mapped files, in MiB; default: half of the heap.")
    private Integer queryMemory;

    @Option(
            names = "--total-memory",
            paramLabel = "MIB",
            description = "What all queries together may hold, in MiB; default: two thirds of the heap.")
    private Integer totalMemory;

    @Option(
            names = "--column-cache",
            paramLabel = "MIB",
            description =
                    "What is kept of text columns as codes, and of small integers in fewer bytes, between queries, in MiB;"
                            + " default: a ninth of the heap; 0: nothing.")
    private Integer columnCache;

    @Option(
            names = "--spill-folder",
            paramLabel = "FOLDER",
            description =
                    "Where queries put what their memory does not hold, and copies are kept of what they read of files"
                            + " that others may change; default: the system's temporary folder.")
    private Path spillFolder;

    @Option(
            names = "--stats-cache",
            paramLabel = "FOLDER",
            description = "Where statistics are kept of Arrow files that bring none, or \"none\": none are made;"
                    + " default: quarrel/statistics in $$XDG_CACHE_HOME or ~/.cache.")
    private Path statsCache;

    Path data() {
        return data;
    }

    /// - Errors: [ParameterException] for a number out of range, [IOException] for a folder that is not there.
    ///
    /// @param users roles that `pg_roles` lists
    Engine open(Collection<String> users) throws IOException {
        return open(defaults(users));
    }

    /// The same for users who log in, and may not read everything.
    Engine open(Supplier<Users> users) throws IOException {
        return open(SystemCatalog.install(EngineConfig.defaults(), users));
    }

    private Engine open(EngineConfig installed) throws IOException {
        if (!Files.isDirectory(data)) {
            throw new NoSuchFileException(data.toString());
        }
        EngineConfig config = config(installed);
        return LocalEngine.open(
                DatasetCatalog.open(
                        data, statsCache(), spillFolder == null ? SpillFolder.defaultParent() : spillFolder),
                config);
    }

    static Engine open(Path data, EngineConfig config) {
        return LocalEngine.open(DatasetCatalog.open(data), config);
    }

    private StatsCache statsCache() {
        if (statsCache == null) {
            return StatsCache.ofUser();
        }
        return statsCache.toString().equals(NO_CACHE) ? null : new StatsCache(statsCache);
    }

    private EngineConfig config(EngineConfig installed) {
        EngineConfig config = installed;
        if (threads != null) {
            config = config.withThreads(checked("--threads", threads));
        }
        if (queryMemory != null) {
            config = config.withQueryMemoryBytes((long) checked("--query-memory", queryMemory) << 20);
        }
        if (totalMemory != null) {
            config = config.withTotalMemoryBytes((long) checked("--total-memory", totalMemory) << 20);
        }
        if (columnCache != null) {
            if (columnCache < 0) {
                throw new ParameterException(
                        spec.commandLine(), "--column-cache must be at least 0, not " + columnCache);
            }
            config = config.withColumnCacheBytes((long) columnCache << 20);
        }
        if (spillFolder != null) {
            config = config.withSpillFolder(spillFolder);
        }
        return config;
    }

    /// The engine's defaults and the catalog tables that clients ask for.
    ///
    /// @param users roles that `pg_roles` lists
    static EngineConfig defaults(Collection<String> users) {
        return SystemCatalog.install(EngineConfig.defaults(), users);
    }

    private int checked(String name, int value) {
        if (value < 1) {
            throw new ParameterException(spec.commandLine(), name + " must be at least 1, not " + value);
        }
        return value;
    }
}
