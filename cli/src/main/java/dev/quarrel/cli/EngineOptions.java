package dev.quarrel.cli;

import dev.quarrel.calcite.Engine;
import dev.quarrel.calcite.EngineConfig;
import dev.quarrel.calcite.SettingOrigin;
import dev.quarrel.calcite.engine.LocalEngine;
import dev.quarrel.core.arrow.dataset.DatasetCatalog;
import dev.quarrel.core.arrow.dataset.StatsCache;
import dev.quarrel.core.spill.SpillFolder;
import dev.quarrel.server.auth.Users;
import dev.quarrel.server.catalog.SystemCatalog;
import dev.quarrel.server.config.ServerConfig;
import dev.quarrel.server.config.ServerSetting;
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

/// The options of every command that answers SQL: settings of the process ([ServerSetting]) under names of their own.
final class EngineOptions {
    @Spec(Spec.Target.MIXEE)
    private CommandSpec spec;

    @Option(names = "--data", paramLabel = "ROOT", description = "The dataset's folder.")
    private Path data;

    @Option(names = "--threads", paramLabel = "N", description = "Workers; default: all cores.")
    private Integer threads;

    @Option(
            names = "--query-memory",
            paramLabel = "MIB",
            description = "What one query may hold outside mapped files, in MiB; default: half of the heap.")
    private String queryMemory;

    @Option(
            names = "--total-memory",
            paramLabel = "MIB",
            description = "What all queries together may hold, in MiB; default: two thirds of the heap.")
    private String totalMemory;

    @Option(
            names = "--column-cache",
            paramLabel = "MIB",
            description =
                    "What is kept of text columns as codes, and of small integers in fewer bytes, between queries, in MiB;"
                            + " default: a ninth of the heap; 0: nothing.")
    private String columnCache;

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

    /// A configuration with what the options say.
    ///
    /// - Errors: [ParameterException] for a value out of range, and where nothing says which dataset.
    ServerConfig applyTo(ServerConfig before) {
        ServerConfig config = before;
        try {
            config = with(config, ServerSetting.DATA, "--data", data);
            config = with(config, ServerSetting.THREADS, "--threads", threads);
            config = with(config, ServerSetting.QUERY_MEMORY, "--query-memory", queryMemory);
            config = with(config, ServerSetting.TOTAL_MEMORY, "--total-memory", totalMemory);
            config = with(config, ServerSetting.COLUMN_CACHE, "--column-cache", columnCache);
            config = with(config, ServerSetting.SPILL_FOLDER, "--spill-folder", spillFolder);
            config = with(config, ServerSetting.STATS_CACHE, "--stats-cache", statsCache);
        } catch (IllegalArgumentException wrong) {
            throw new ParameterException(spec.commandLine(), wrong.getMessage());
        }
        if (config.text(ServerSetting.DATA).isEmpty()) {
            throw new ParameterException(spec.commandLine(), "Missing required option: '--data=ROOT'");
        }
        return config;
    }

    static ServerConfig with(ServerConfig config, ServerSetting setting, String option, Object value) {
        return value == null ? config : config.with(setting, value.toString(), SettingOrigin.ofOption(option));
    }

    /// - Errors: [IOException] for a folder that is not there.
    ///
    /// @param users roles that `pg_roles` lists
    static Engine open(ServerConfig config, Collection<String> users) throws IOException {
        return open(config, defaults(users));
    }

    /// The same for users who log in, and may not read everything.
    static Engine open(ServerConfig config, Supplier<Users> users) throws IOException {
        return open(config, SystemCatalog.install(EngineConfig.defaults(), users));
    }

    private static Engine open(ServerConfig config, EngineConfig installed) throws IOException {
        Path folder = Path.of(config.text(ServerSetting.DATA));
        if (!Files.isDirectory(folder)) {
            throw new NoSuchFileException(folder.toString());
        }
        String spills = config.text(ServerSetting.SPILL_FOLDER);
        return LocalEngine.open(
                DatasetCatalog.open(
                        folder,
                        statsCache(config.text(ServerSetting.STATS_CACHE)),
                        spills.isEmpty() ? SpillFolder.defaultParent() : Path.of(spills)),
                engineConfig(config, installed));
    }

    static Engine open(Path data, EngineConfig config) {
        return LocalEngine.open(DatasetCatalog.open(data), config);
    }

    private static StatsCache statsCache(String folder) {
        return switch (folder) {
            case "" -> StatsCache.ofUser();
            case ServerSetting.NO_STATS -> null;
            default -> new StatsCache(Path.of(folder));
        };
    }

    private static EngineConfig engineConfig(ServerConfig settings, EngineConfig installed) {
        EngineConfig config = installed;
        if (settings.isSet(ServerSetting.THREADS)) {
            config = config.withThreads(settings.number(ServerSetting.THREADS));
        }
        if (settings.isSet(ServerSetting.QUERY_MEMORY)) {
            config = config.withQueryMemoryBytes((long) settings.number(ServerSetting.QUERY_MEMORY) << 20);
        }
        if (settings.isSet(ServerSetting.TOTAL_MEMORY)) {
            config = config.withTotalMemoryBytes((long) settings.number(ServerSetting.TOTAL_MEMORY) << 20);
        }
        if (settings.isSet(ServerSetting.COLUMN_CACHE)) {
            config = config.withColumnCacheBytes((long) settings.number(ServerSetting.COLUMN_CACHE) << 20);
        }
        if (settings.isSet(ServerSetting.SPILL_FOLDER)) {
            config = config.withSpillFolder(Path.of(settings.text(ServerSetting.SPILL_FOLDER)));
        }
        return config;
    }

    /// The engine's defaults and the catalog tables that clients ask for.
    ///
    /// @param users roles that `pg_roles` lists
    static EngineConfig defaults(Collection<String> users) {
        return SystemCatalog.install(EngineConfig.defaults(), users);
    }
}
