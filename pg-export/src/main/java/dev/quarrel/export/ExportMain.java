package dev.quarrel.export;

import dev.quarrel.core.budget.Cancellation;
import dev.quarrel.core.run.StopHook;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;
import dev.quarrel.export.config.ColumnRules;
import dev.quarrel.export.config.ExportConfig;
import dev.quarrel.export.config.QuerySettings;
import dev.quarrel.export.config.RowRules;
import dev.quarrel.export.config.Selection;
import dev.quarrel.export.config.ValueRules;
import dev.quarrel.export.copy.Unfit;
import dev.quarrel.export.source.ExportSource;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.io.Reader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Properties;
import java.util.Set;
import java.util.stream.Collectors;

/// The export as a program of its own, for callers that start it in another JVM: the Maven goal, and tests.
///
/// Settings are read from standard input as properties, so that a password stands in no argument list and no file:
///
/// | key | value |
/// |---|---|
/// | `url` | `postgresql://user@host:port/database`, `host=… dbname=…`, or a database; else what the environment says |
/// | `password` | optional; else the URL's, `PGPASSWORD`, or the password file |
/// | `tables`, `schemas`, `excludeTables` | names and patterns, one a line |
/// | `all` | `true`: the tables of all schemas |
/// | `query.NAME` | a SELECT to export as table NAME |
/// | `keys.NAME` | what `$(PARALLEL_KEY)` stands for in that query, separated by commas |
/// | `innerJoin.NUMBER.NAME`, `outerJoin.NUMBER.NAME` | a SELECT for each of its rows, in the order of the numbers |
/// | `output` | a folder, or a file that ends in `.arrow` |
/// | `workers`, `batchBytes`, `memoryBytes`, `zstdLevel`, `keepRuns`, `lockTimeout` | numbers; the last seconds |
/// | `numeric` | `precision,scale` for numerics without, or `auto` |
/// | `cast`, `set` | `column=type`, `name=value`, one a line |
/// | `interval` | `keep`, `text` or `microseconds` |
/// | `numericOverflow` | `error`, `null` or `text` |
/// | `infinity` | `keep`, `null` or `error` |
/// | `exclude`, `splitBy` | columns, one a line |
/// | `where`, `incremental`, `key` | conditions; columns; keys of tables, one a line |
/// | `overlap` | an interval, or a number |
/// | `snapshot` | the name of one that somebody else holds |
/// | `append`, `cached`, `dictionaries`, `deferrable`, `resume` | `true` or `false` |
/// | `flatten`, `largeOffsets`, `lz4`, `deletes`, `verifyRows` | `true` or `false` |
/// | `float2`, `partitionBy` | columns, or expressions, one a line |
/// | `dictionary`, `stat` | columns, one a line, or `auto` and `all`; for no statistics `none` |
/// | `parquet` | `true`: Parquet files instead of Arrow's |
/// | `dryRun` | `true`: nothing is written |
/// | `parent` | the number of a process with which the export ends |
/// | `json` | a file that gets what [JsonProgress] tells |
///
/// Each finished table is a line on standard output, an error a line on standard error. Exit codes: 0 done, 1 failed,
/// 2 wrong settings.
public final class ExportMain {
    private static final String AUTO = "auto";
    private static final Set<String> KEYS = Set.of(
            "url",
            "password",
            "tables",
            "output",
            "workers",
            "batchBytes",
            "memoryBytes",
            "zstdLevel",
            "numeric",
            "numericOverflow",
            "infinity",
            "exclude",
            "append",
            "cached",
            "dictionaries",
            "schemas",
            "all",
            "excludeTables",
            "splitBy",
            "deferrable",
            "snapshot",
            "lockTimeout",
            "resume",
            "keepRuns",
            "flatten",
            "largeOffsets",
            "float2",
            "partitionBy",
            "dictionary",
            "stat",
            "dryRun",
            "parent",
            "cast",
            "interval",
            "set",
            "lz4",
            "parquet",
            "where",
            "incremental",
            "key",
            "overlap",
            "deletes",
            "verifyRows",
            "json");

    private ExportMain() {}

    public static void main(String[] arguments) throws IOException {
        Properties settings = new Properties();
        try (Reader input = new InputStreamReader(System.in, StandardCharsets.UTF_8)) {
            settings.load(input);
        }
        System.exit(run(settings, System.out, System.err));
    }

    static int run(Properties settings, PrintStream out, PrintStream err) {
        ExportConfig config;
        try {
            config = config(settings);
        } catch (QueryException failure) {
            tell(failure, err);
            return 2;
        } catch (NumberFormatException failure) {
            err.println("error: a number is expected: " + failure.getMessage());
            return 2;
        }
        ExportProgress lines = new ExportProgress() {
            @Override
            public void tableStarted(String table, long estimatedRows) {
                out.println("reading " + table);
                out.flush();
            }

            @Override
            public void tableFinished(ExportReport.TableReport table) {
                out.printf(
                        Locale.ROOT,
                        "%s: %,d rows%s, %d batches, %,d bytes, %.1f s%n",
                        table.qualifiedName(),
                        table.rowCount(),
                        table.change() == null
                                ? ""
                                : String.format(
                                        Locale.ROOT,
                                        " (%,d of them replaced others), %,d deleted, now %,d",
                                        table.change().replaced(),
                                        table.change().deleted(),
                                        table.change().rowCount()),
                        table.batchCount(),
                        table.byteSize(),
                        table.elapsed().toMillis() / 1000.0);
            }

            @Override
            public void notice(String text) {
                out.println("notice: " + text);
            }
        };
        String json = settings.getProperty("json");
        Cancellation cancellation = new Cancellation();
        stopWith(settings.getProperty("parent"), cancellation);
        if (Boolean.parseBoolean(settings.getProperty("dryRun"))) {
            return dryRun(config, cancellation, out, err);
        }
        // The hook waits for the last word: what is told of a failure is within it.
        try (StopHook _ = new StopHook(cancellation::cancel);
                PrintStream file = json == null ? null : jsonFile(Path.of(json))) {
            return run(config, lines, file == null ? null : new JsonProgress(file), cancellation, out, err);
        } catch (IOException failure) {
            err.println("error: " + json + " cannot be written: " + failure);
            return 1;
        }
    }

    private static int dryRun(ExportConfig config, Cancellation cancellation, PrintStream out, PrintStream err) {
        try (StopHook _ = new StopHook(cancellation::cancel)) {
            DryRun.of(config, text -> out.println("notice: " + text), cancellation)
                    .forEach(out::println);
            return 0;
        } catch (QueryException failure) {
            tell(failure, err);
            return 1;
        }
    }

    /// Ends the export with the process that wants it, however that ends.
    private static void stopWith(String process, Cancellation cancellation) {
        if (process != null) {
            ProcessHandle.of(Long.parseLong(process))
                    .ifPresentOrElse(handle -> handle.onExit().thenRun(cancellation::cancel), cancellation::cancel);
        }
    }

    private static PrintStream jsonFile(Path path) throws IOException {
        Files.createDirectories(path.toAbsolutePath().getParent());
        return new PrintStream(Files.newOutputStream(path), true, StandardCharsets.UTF_8);
    }

    /// @param events null where no program wants to hear
    private static int run(
            ExportConfig config,
            ExportProgress lines,
            JsonProgress events,
            Cancellation cancellation,
            PrintStream out,
            PrintStream err) {
        try {
            ExportReport report =
                    Exporter.run(config, events == null ? lines : new ProgressPair(lines, events), cancellation);
            if (events != null) {
                events.ended(report);
            }
            out.printf(
                    Locale.ROOT,
                    "%,d rows, %,d bytes of %d tables in %s, snapshot %s, lsn %s, %.1f s%n",
                    report.rowCount(),
                    report.byteSize(),
                    report.tables().size(),
                    report.output(),
                    report.snapshot(),
                    report.lsn(),
                    report.elapsed().toMillis() / 1000.0);
            return 0;
        } catch (QueryException failure) {
            if (events != null) {
                events.failed(failure);
            }
            tell(failure, err);
            return 1;
        }
    }

    private static void tell(QueryException failure, PrintStream err) {
        err.println("error: " + failure.getMessage() + " (" + failure.state().code() + ")");
        if (failure.detail() != null) {
            err.println("detail: " + failure.detail());
        }
        if (failure.hint() != null) {
            err.println("hint: " + failure.hint());
        }
    }

    private static ExportConfig config(Properties settings) {
        for (String key : settings.stringPropertyNames()) {
            if (!KEYS.contains(key) && !QuerySettings.isOne(key)) {
                throw wrong("there is no setting " + key);
            }
        }
        ExportSource source = ExportSource.parse(settings.getProperty("url", ""));
        String password = settings.getProperty("password");
        if (password != null) {
            source = source.withPassword(password);
        }
        ExportConfig.Builder builder = ExportConfig.builder(source, Path.of(required(settings, "output")))
                .select(new Selection(
                        lines(settings.getProperty("tables")),
                        lines(settings.getProperty("schemas")),
                        Boolean.parseBoolean(settings.getProperty("all")),
                        lines(settings.getProperty("excludeTables"))))
                .splitBy(lines(settings.getProperty("splitBy")))
                .deferrable(Boolean.parseBoolean(settings.getProperty("deferrable")))
                .snapshot(settings.getProperty("snapshot"))
                .resume(Boolean.parseBoolean(settings.getProperty("resume")))
                .queries(QuerySettings.queries(settings))
                .excluded(lines(settings.getProperty("exclude")))
                .append(Boolean.parseBoolean(settings.getProperty("append")))
                .cached(Boolean.parseBoolean(settings.getProperty("cached")))
                .dictionaries(Boolean.parseBoolean(settings.getProperty("dictionaries", "true")))
                .columns(columnRules(settings))
                .values(new ValueRules(
                        lines(settings.getProperty("cast")),
                        choice(ValueRules.Intervals.class, settings, "interval", ValueRules.Intervals.KEEP),
                        AUTO.equals(settings.getProperty("numeric"))))
                .settings(lines(settings.getProperty("set")))
                .lz4(Boolean.parseBoolean(settings.getProperty("lz4")))
                .rows(new RowRules(
                        lines(settings.getProperty("where")),
                        lines(settings.getProperty("incremental")),
                        lines(settings.getProperty("key")),
                        Optional.ofNullable(settings.getProperty("overlap")),
                        Boolean.parseBoolean(settings.getProperty("deletes", "true")),
                        Boolean.parseBoolean(settings.getProperty("verifyRows"))))
                .keptRuns(Integer.parseInt(settings.getProperty("keepRuns", "0")))
                .parquet(Boolean.parseBoolean(settings.getProperty("parquet")));
        if (settings.containsKey("zstdLevel")) {
            builder.zstdLevel(Integer.parseInt(settings.getProperty("zstdLevel")));
        }
        builder.unfit(
                choice(Unfit.Overflow.class, settings, "numericOverflow", Unfit.DEFAULT.numeric()),
                choice(Unfit.Infinity.class, settings, "infinity", Unfit.DEFAULT.infinity()));
        if (settings.containsKey("workers")) {
            builder.workers(Integer.parseInt(settings.getProperty("workers")));
        }
        if (settings.containsKey("lockTimeout")) {
            builder.lockTimeout(Duration.ofSeconds(Long.parseLong(settings.getProperty("lockTimeout"))));
        }
        if (settings.containsKey("memoryBytes")) {
            builder.memoryBytes(Long.parseLong(settings.getProperty("memoryBytes")));
        }
        if (settings.containsKey("batchBytes")) {
            builder.batchBytes(Long.parseLong(settings.getProperty("batchBytes")));
        }
        if (settings.containsKey("numeric") && !AUTO.equals(settings.getProperty("numeric"))) {
            String[] numbers = settings.getProperty("numeric").split(",", -1);
            if (numbers.length != 2) {
                throw wrong("numeric is auto, or written precision,scale");
            }
            builder.numeric(Integer.parseInt(numbers[0].trim()), Integer.parseInt(numbers[1].trim()));
        }
        return builder.build();
    }

    private static ColumnRules columnRules(Properties settings) {
        List<String> statistics = lines(settings.getProperty("stat", "all"));
        List<String> dictionaries = lines(settings.getProperty("dictionary", "auto"));
        return new ColumnRules(
                Boolean.parseBoolean(settings.getProperty("flatten")),
                lines(settings.getProperty("float2")),
                dictionaries.equals(List.of("auto")) ? Optional.empty() : Optional.of(dictionaries),
                statistics.equals(List.of("all"))
                        ? Optional.empty()
                        : Optional.of(statistics.equals(List.of("none")) ? List.of() : statistics),
                Boolean.parseBoolean(settings.getProperty("largeOffsets")),
                lines(settings.getProperty("partitionBy")));
    }

    private static <E extends Enum<E>> E choice(Class<E> type, Properties settings, String key, E usual) {
        String value = settings.getProperty(key);
        if (value == null) {
            return usual;
        }
        for (E each : type.getEnumConstants()) {
            if (each.name().equalsIgnoreCase(value.strip())) {
                return each;
            }
        }
        throw wrong(key + " is one of "
                + Arrays.stream(type.getEnumConstants())
                        .map(each -> each.name().toLowerCase(Locale.ROOT))
                        .collect(Collectors.joining(", "))
                + ", not " + value);
    }

    private static String required(Properties settings, String key) {
        String value = settings.getProperty(key);
        if (value == null || value.isEmpty()) {
            throw wrong("the setting " + key + " is missing");
        }
        return value;
    }

    private static QueryException wrong(String why) {
        return new QueryException(SqlState.INVALID_PARAMETER_VALUE, why);
    }

    private static List<String> lines(String text) {
        return text == null
                ? List.of()
                : Arrays.stream(text.split("\n", -1))
                        .map(String::strip)
                        .filter(line -> !line.isEmpty())
                        .toList();
    }
}
