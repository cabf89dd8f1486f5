package dev.quarrel.cli;

import dev.quarrel.calcite.Engine;
import dev.quarrel.calcite.EngineConfig;
import dev.quarrel.calcite.SettingOrigin;
import dev.quarrel.calcite.WriteAccess;
import dev.quarrel.calcite.engine.LocalEngine;
import dev.quarrel.core.arrow.dataset.DatasetCatalog;
import dev.quarrel.core.arrow.dataset.NamedTable;
import dev.quarrel.core.arrow.dataset.StatsCache;
import dev.quarrel.core.spill.SpillFolder;
import dev.quarrel.core.table.Catalog;
import dev.quarrel.server.auth.Users;
import dev.quarrel.server.catalog.SystemCatalog;
import dev.quarrel.server.config.ServerConfig;
import dev.quarrel.server.config.ServerSetting;
import dev.quarrel.server.databases.Databases;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.SequencedMap;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/// The options of every command that answers SQL: settings of the process ([ServerSetting]) under names of their own.
final class EngineOptions {
    @Spec(Spec.Target.MIXEE)
    private CommandSpec spec;

    /// A table's name before its files.
    private static final Pattern TABLE =
            Pattern.compile("((?:[A-Za-z_][A-Za-z0-9_$]*\\.)?[A-Za-z_][A-Za-z0-9_$]*)=(.+)");

    /// A database's name before its dataset's folder.
    private static final Pattern NAMED = Pattern.compile("([A-Za-z_][A-Za-z0-9_]*)=(.+)");

    @Option(
            names = "--data",
            paramLabel = "[NAME=]ROOT",
            description = "The dataset's folder; of serve several with names, each a database.")
    private List<String> data = List.of();

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

    @Option(
            names = "--table",
            paramLabel = "[SCHEMA.]NAME=FILES",
            description = "A table over Arrow files that lie elsewhere: a path with *, ?, **, $${key} or @{key} in it."
                    + " Quote it, so that the shell leaves it alone.")
    private List<String> tables = List.of();

    @Option(
            names = "--writable",
            description =
                    "Lets statements name tables over files (CREATE FOREIGN TABLE); of users, those with a grant.")
    private boolean writable;

    @Option(
            names = "--import-root",
            paramLabel = "FOLDER",
            description = "Statements may name files below it, too; without it, below the dataset's folder alone.")
    private List<Path> importRoots = List.of();

    /// A configuration with what the options say.
    ///
    /// - Errors: [ParameterException] for a value out of range, and where nothing says which dataset, or too much.
    ServerConfig applyTo(ServerConfig before) {
        ServerConfig config = applyAllTo(before);
        boolean isAny = !config.text(ServerSetting.DATA).isEmpty()
                || !config.text(ServerSetting.TABLES).isEmpty();
        if (!isAny || !config.text(ServerSetting.DATABASES).isEmpty()) {
            throw new ParameterException(spec.commandLine(), "Missing required option: '--data=ROOT'");
        }
        return config;
    }

    /// The same where there may be several datasets.
    ServerConfig applyAllTo(ServerConfig before) {
        ServerConfig config = before;
        try {
            List<String> named = data.stream().filter(EngineOptions::isNamed).toList();
            List<String> plain =
                    data.stream().filter(each -> !named.contains(each)).toList();
            if (plain.size() > 1) {
                throw new ParameterException(
                        spec.commandLine(), "several datasets need names: --data NAME=" + plain.getLast());
            }
            config = with(config, ServerSetting.DATA, "--data", plain.isEmpty() ? null : plain.getFirst());
            config = with(config, ServerSetting.DATABASES, "--data", named.isEmpty() ? null : String.join(",", named));
            config = with(config, ServerSetting.THREADS, "--threads", threads);
            config = with(config, ServerSetting.QUERY_MEMORY, "--query-memory", queryMemory);
            config = with(config, ServerSetting.TOTAL_MEMORY, "--total-memory", totalMemory);
            config = with(config, ServerSetting.COLUMN_CACHE, "--column-cache", columnCache);
            config = with(config, ServerSetting.SPILL_FOLDER, "--spill-folder", spillFolder);
            config = with(config, ServerSetting.STATS_CACHE, "--stats-cache", statsCache);
            config = with(
                    config, ServerSetting.TABLES, "--table", tables.isEmpty() ? null : String.join(",", absolute()));
            config = with(config, ServerSetting.WRITABLE, "--writable", writable ? "on" : null);
            config = with(
                    config,
                    ServerSetting.IMPORT_ROOTS,
                    "--import-root",
                    importRoots.isEmpty()
                            ? null
                            : importRoots.stream().map(Path::toString).collect(Collectors.joining(",")));
        } catch (IllegalArgumentException wrong) {
            throw new ParameterException(spec.commandLine(), wrong.getMessage());
        }
        if (config.text(ServerSetting.DATA).isEmpty()
                && config.text(ServerSetting.TABLES).isEmpty()
                && config.text(ServerSetting.DATABASES).isEmpty()) {
            throw new ParameterException(spec.commandLine(), "Missing required option: '--data=ROOT'");
        }
        return config;
    }

    /// The options of tables, with paths that mean the same from another folder.
    ///
    /// - Errors: [IllegalArgumentException] for one without a name, or with a comma in it.
    private List<String> absolute() {
        return tables.stream()
                .map(table -> {
                    Matcher parts = TABLE.matcher(table);
                    if (!parts.matches() || table.indexOf(',') >= 0) {
                        throw new IllegalArgumentException(
                                "--table is NAME=FILES, without commas, not \"" + table + "\"");
                    }
                    String files = parts.group(2);
                    boolean isAbsolute = Path.of(files).isAbsolute();
                    return parts.group(1) + "="
                            + (isAbsolute ? files : Path.of("").toAbsolutePath() + "/" + files);
                })
                .toList();
    }

    /// The tables over files that lie elsewhere.
    ///
    /// - Errors: [CommandFailure] for an entry without a name.
    private static List<NamedTable> named(ServerConfig config) {
        List<NamedTable> named = new ArrayList<>();
        String all = config.text(ServerSetting.TABLES);
        for (String entry : all.isEmpty() ? new String[0] : all.split(",", -1)) {
            Matcher parts = TABLE.matcher(entry.strip());
            if (!parts.matches()) {
                throw new CommandFailure("tables: \"" + entry + "\" is not NAME=FILES");
            }
            int dot = parts.group(1).indexOf('.');
            named.add(NamedTable.ofFiles(
                    dot < 0 ? DatasetCatalog.DEFAULT_SCHEMA : parts.group(1).substring(0, dot),
                    parts.group(1).substring(dot + 1),
                    parts.group(2)));
        }
        return named;
    }

    /// A folder that is there under this very name is one.
    private static boolean isNamed(String data) {
        return NAMED.matcher(data).matches() && !Files.isDirectory(Path.of(data));
    }

    /// The datasets' folders by the names of their databases, the one without a name first.
    ///
    /// - Errors: [CommandFailure] for an entry without a name, or a name that is there twice.
    static SequencedMap<String, Path> databases(ServerConfig config) {
        SequencedMap<String, Path> roots = new LinkedHashMap<>();
        if (!config.text(ServerSetting.DATA).isEmpty()
                || config.text(ServerSetting.DATABASES).isEmpty()) {
            roots.put(EngineConfig.DEFAULT_DATABASE, Path.of(config.text(ServerSetting.DATA)));
        }
        String more = config.text(ServerSetting.DATABASES);
        for (String entry : more.isEmpty() ? new String[0] : more.split(",", -1)) {
            Matcher parts = NAMED.matcher(entry.strip());
            if (!parts.matches()) {
                throw new CommandFailure("databases: \"" + entry + "\" is not NAME=FOLDER");
            }
            if (roots.put(parts.group(1), Path.of(parts.group(2))) != null) {
                throw new CommandFailure("databases: " + parts.group(1) + " is named twice");
            }
        }
        return roots;
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

    /// All datasets of a server, for users who log in, and may not read everything.
    ///
    /// - Memory: the caller closes them, and then [Databases#first].
    static Databases open(ServerConfig config, Supplier<Users> users) throws IOException {
        return open(config, users, catalog -> catalog);
    }

    /// The same with something around the first dataset's catalog.
    static Databases open(ServerConfig config, Supplier<Users> users, Function<DatasetCatalog, Catalog> first)
            throws IOException {
        SequencedMap<String, Path> roots = databases(config);
        for (Path root : roots.values()) {
            requireFolder(root);
        }
        Path firstRoot = roots.firstEntry().getValue();
        return Databases.open(
                roots,
                engineConfig(config, EngineConfig.defaults()),
                users,
                installed -> LocalEngine.open(first.apply(catalog(config, firstRoot, named(config))), installed),
                root -> catalog(config, root, List.of()));
    }

    private static Engine open(ServerConfig config, EngineConfig installed) throws IOException {
        Path folder = Path.of(config.text(ServerSetting.DATA));
        requireFolder(folder);
        return LocalEngine.open(catalog(config, folder, named(config)), engineConfig(config, installed));
    }

    /// @param folder of no name where there are only tables over files elsewhere
    private static void requireFolder(Path folder) throws IOException {
        if (!folder.toString().isEmpty() && !Files.isDirectory(folder)) {
            throw new NoSuchFileException(folder.toString());
        }
    }

    private static DatasetCatalog catalog(ServerConfig config, Path folder, List<NamedTable> named) {
        String spills = config.text(ServerSetting.SPILL_FOLDER);
        return DatasetCatalog.open(
                folder.toString().isEmpty() ? null : folder,
                statsCache(config.text(ServerSetting.STATS_CACHE)),
                spills.isEmpty() ? SpillFolder.defaultParent() : Path.of(spills),
                named);
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
        if (settings.isOn(ServerSetting.WRITABLE)) {
            String roots = settings.text(ServerSetting.IMPORT_ROOTS);
            config = config.withWrites(new WriteAccess(
                    true,
                    Stream.of(roots.split(","))
                            .map(String::strip)
                            .filter(root -> !root.isEmpty())
                            .map(root -> Path.of(root).toAbsolutePath().normalize())
                            .toList()));
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
