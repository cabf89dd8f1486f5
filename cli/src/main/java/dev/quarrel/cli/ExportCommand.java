package dev.quarrel.cli;

import dev.quarrel.core.budget.Cancellation;
import dev.quarrel.core.run.StopHook;
import dev.quarrel.core.type.DataType;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;
import dev.quarrel.export.DryRun;
import dev.quarrel.export.config.ColumnRules;
import dev.quarrel.export.config.ExportConfig;
import dev.quarrel.export.config.Selection;
import dev.quarrel.export.copy.Unfit;
import dev.quarrel.export.source.ExportSource;
import dev.quarrel.export.source.PostgresSource;
import java.io.Console;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/// `quarrel export`: tables or one query of a PostgreSQL as Arrow or Parquet files, all of one snapshot.
@Command(
        name = "export",
        description = "Exports PostgreSQL tables, or a query's rows, to Arrow or Parquet files under one snapshot.",
        mixinStandardHelpOptions = true,
        footer = {"", "The password comes from PGPASSWORD, from ~/.pgpass or from a prompt (-W)."})
final class ExportCommand implements Callable<Integer> {
    private static final String AUTO = "auto";
    private static final Pattern NUMERIC = Pattern.compile("(\\d{1,2}),(\\d{1,2})");

    @Spec
    private CommandSpec spec;

    @Option(
            names = {"-d", "--dbname"},
            paramLabel = "URI",
            description =
                    "postgresql://user@host:port/database, or host=… dbname=…, or a database's name; what it leaves"
                            + " out comes from the environment as psql has it (PGHOST, PGSERVICE, …). Or mysql://user@host:"
                            + "port/database, also for MariaDB.")
    private String uri;

    @Option(
            names = {"-t", "--table"},
            paramLabel = "TABLE",
            arity = "1..*",
            description = "Tables to export, as SQL writes them; * and ? match as in pg_dump and psql.")
    private List<String> tables = List.of();

    @Option(
            names = "--schema",
            paramLabel = "SCHEMA",
            description = "All tables of a schema, or of those that match; may be repeated.")
    private List<String> schemas = List.of();

    @Option(names = "--all", description = "The tables of all schemas, but the system's.")
    private boolean everything;

    @Option(
            names = {"-T", "--exclude-table"},
            paramLabel = "TABLE",
            description = "Tables to leave out, with their partitions and children; may be repeated.")
    private List<String> excludedTables = List.of();

    @Option(
            names = {"-c", "--command"},
            paramLabel = "SELECT",
            description = "A query to export instead of tables. $(WORKER_ID) and $(N_WORKERS) in it split it among the"
                    + " workers, $(PARALLEL_KEY) into one part for each of -k.")
    private String query;

    @Option(
            names = {"-k", "--parallel-keys"},
            paramLabel = "KEY",
            split = ",",
            description = "What $(PARALLEL_KEY) stands for, separated by commas.")
    private List<String> keys = List.of();

    // Of groups picocli adds to the list that is here; of options it makes one.
    @ArgGroup(multiplicity = "0..*")
    private List<JoinOption> joins = new ArrayList<>();

    @Option(
            names = "--split-by",
            paramLabel = "COLUMN",
            description = "Splits tables, views or the query by the values of a column: column, table.column or"
                    + " schema.table.column; may be repeated.")
    private List<String> splitBy = List.of();

    @Option(
            names = "--serializable-deferrable",
            description = "Waits for a snapshot that serializable transactions agree on (primary only).")
    private boolean deferrable;

    @Option(
            names = "--snapshot",
            paramLabel = "ID",
            description = "Exports the snapshot that pg_export_snapshot() named in a transaction that is still open.")
    private String snapshot;

    @Option(
            names = "--lock-timeout",
            paramLabel = "SECONDS",
            description =
                    "How long a table's lock is waited for, 0 without end; default: lock_timeout as the session has"
                            + " it, else 600. What is waited for is said.")
    private Long lockTimeoutSeconds;

    @Option(names = "--name", paramLabel = "TABLE", description = "What the query's rows are called in the dataset.")
    private String name;

    @Option(
            names = {"-o", "--output"},
            required = true,
            paramLabel = "ROOT",
            description =
                    "The dataset's folder, or that of runs of Parquet files, or one file x.arrow for one table or query.")
    private Path output;

    @Option(
            names = {"-n", "--num-workers"},
            paramLabel = "N",
            description = "Connections that read at once; default: one a core, at most 8.")
    private Integer workers;

    @Option(names = "--append", description = "Adds to the dataset's tables instead of replacing them.")
    private boolean append;

    @Option(
            names = "--exclude",
            paramLabel = "COLUMN",
            description = "A column to leave out: column, table.column or schema.table.column; may be repeated.")
    private List<String> excluded = List.of();

    @Option(
            names = "--numeric",
            paramLabel = "P,S|auto",
            description = "What numeric columns without a precision become; auto: the digits that their values need,"
                    + " after a look at all of them. Without this each value keeps its scale, in a struct.")
    private String numeric;

    @Option(
            names = "--numeric-overflow",
            paramLabel = "WHAT",
            defaultValue = "error",
            description = "What NaN, infinities and numerics of more than 38 digits become: ${COMPLETION-CANDIDATES};"
                    + " with text, columns without a precision are exported with all digits.")
    private Unfit.Overflow numericOverflow;

    @Option(
            names = "--infinity",
            paramLabel = "WHAT",
            defaultValue = "keep",
            description = "What infinite dates and timestamps become: ${COMPLETION-CANDIDATES}.")
    private Unfit.Infinity infinity;

    @Option(
            names = "--zstd",
            paramLabel = "LEVEL",
            description =
                    "Compresses with ZSTD at level 1 to 19; default 0: plain, which is read fastest; of Parquet 3.")
    private Integer zstdLevel;

    @Option(
            names = "--parquet",
            description =
                    "Writes Parquet files for other programs, ROOT/latest/SCHEMA.TABLE/part-N.parquet, instead of a"
                            + " dataset.")
    private boolean parquet;

    @Option(
            names = {"-s", "--batch-size"},
            paramLabel = "MIB",
            description = "MiB a batch at most; default 256. A small table's batches are smaller.")
    private Integer batchMebibytes;

    @Option(
            names = "--dictionary",
            paramLabel = "auto|COLUMN,…",
            split = ",",
            hideParamSyntax = true,
            description = "The text columns that get a dictionary, besides enums; default auto: those of few values.")
    private List<String> dictionaries = List.of();

    @Option(
            names = "--stat",
            paramLabel = "COLUMN",
            arity = "0..1",
            split = ",",
            fallbackValue = "",
            description = "The columns that statistics are made of; default: all.")
    private List<String> statistics = List.of();

    @Option(names = "--no-stat", description = "Makes no statistics but the numbers of NULLs.")
    private boolean noStatistics;

    @Option(names = "--flatten", description = "Makes columns of a composite's fields: column.field.")
    private boolean flatten;

    @Option(
            names = "--float2",
            paramLabel = "COLUMN",
            split = ",",
            description = "A real or double precision column to round to half floats; may be repeated.")
    private List<String> halves = List.of();

    @Option(names = "--large-offsets", description = "Writes texts and bytes with offsets of 8 bytes.")
    private boolean largeOffsets;

    @Option(
            names = "--partition-by",
            paramLabel = "EXPRESSION",
            description = "Writes a folder name=value for each value of the expression; AS gives it a name; may be"
                    + " repeated.")
    private List<String> partitionBy = List.of();

    @Option(
            names = "--memory",
            paramLabel = "MIB",
            description = "MiB that the whole program may take; batches become smaller where they must.")
    private Integer memoryMebibytes;

    @Option(names = "--no-dictionaries", description = "Writes every text column plain.")
    private boolean noDictionaries;

    @Option(
            names = "--cached",
            description = "Leaves large files in the system's cache, for queries that follow at once. Otherwise they go"
                    + " past it where the disk allows that, which takes less time and nobody's memory.")
    private boolean cached;

    @Option(
            names = "--resume",
            description =
                    "Keeps finished tables when the export fails, and goes on with those that an earlier --resume of"
                            + " the same snapshot (--snapshot) and settings has kept.")
    private boolean resume;

    @Option(
            names = "--keep-runs",
            paramLabel = "N",
            description = "Keeps N states of the dataset before this run, for sessions that name one"
                    + " (quarrel.snapshot). Otherwise what this run replaces goes with the next one.")
    private int keptRuns;

    @Option(names = "--json", description = "Tells programs on stdout how it gets on: one JSON object a line.")
    private boolean json;

    @Option(
            names = "--dry-run",
            description = "Writes nothing, and prints what would be read and written, and which values would end it.")
    private boolean dryRun;

    @Option(
            names = "--every",
            paramLabel = "SECONDS",
            description = "Goes on until it is stopped: a run begins so many seconds after the one before, or when that"
                    + " has ended. Once one has succeeded, failures are told, and the next run is tried.")
    private Integer everySeconds;

    @Mixin
    private RowOptions rowOptions;

    @Mixin
    private ValueOptions valueOptions;

    @Option(
            names = {"-W", "--password"},
            description = "Asks for the password.")
    private boolean askPassword;

    /// One of the joins: they are done in the order in which they stand.
    private static final class JoinOption {
        @Option(
                names = "--inner-join",
                paramLabel = "SELECT",
                description = "Runs for each of the query's rows; $(column) is the row's value. Without rows of its own"
                        + " the row is dropped.")
        private String inner;

        @Option(names = "--outer-join", paramLabel = "SELECT", description = "The same, but the row stays, with NULLs.")
        private String outer;

        ExportConfig.Join join() {
            return inner != null ? new ExportConfig.Join(inner, false) : new ExportConfig.Join(outer, true);
        }
    }

    @Override
    public Integer call() {
        ExportConfig config;
        try {
            config = config();
        } catch (QueryException wrong) {
            if (wrong.state() != SqlState.INVALID_PARAMETER_VALUE) {
                throw wrong;
            }
            String hint = wrong.hint() == null ? "" : " (" + wrong.hint() + ")";
            throw new ParameterException(spec.commandLine(), wrong.getMessage() + hint, wrong);
        }
        if (dryRun) {
            Cancellation cancellation = new Cancellation();
            try (StopHook _ = new StopHook(cancellation::cancel)) {
                DryRun.of(config, Main::say, cancellation).forEach(System.out::println);
            }
            return 0;
        }
        ExportRuns runs = new ExportRuns(config, json);
        if (everySeconds == null) {
            runs.once();
        } else {
            runs.every(Duration.ofSeconds(everySeconds));
        }
        return 0;
    }

    private void checkRepeatable() {
        if (everySeconds == null) {
            return;
        }
        if (everySeconds < 1) {
            throw new ParameterException(spec.commandLine(), "--every takes seconds, 1 at least");
        }
        if (append || resume || dryRun || snapshot != null) {
            throw new ParameterException(
                    spec.commandLine(), "--every goes with none of --append, --resume, --snapshot and --dry-run");
        }
    }

    private ExportConfig config() {
        checkRepeatable();
        Selection selection = new Selection(tables, schemas, everything, excludedTables);
        if (selection.isEmpty() == (query == null)) {
            throw new ParameterException(spec.commandLine(), "either tables (-t, --schema, --all) or one query (-c)");
        }
        if (query == null && !(keys.isEmpty() && joins.isEmpty())) {
            throw new ParameterException(
                    spec.commandLine(), "-k, --inner-join and --outer-join belong to a query (-c)");
        }
        boolean isFile = output.toString().endsWith(".arrow");
        if (query != null && name == null && !isFile) {
            throw new ParameterException(spec.commandLine(), "a query's rows need a table's name: --name TABLE");
        }
        if (name != null && query == null) {
            throw new ParameterException(spec.commandLine(), "--name belongs to -c");
        }
        if (uri == null && !PostgresSource.isInEnvironment()) {
            throw new ParameterException(spec.commandLine(), "which database? Give -d, or set PGDATABASE or PGSERVICE");
        }
        ExportSource target = ExportSource.parse(uri == null ? "" : uri);
        if (askPassword) {
            target = target.withPassword(prompt(target));
        }
        ExportConfig.Builder builder = ExportConfig.builder(target, output)
                .select(selection)
                .splitBy(splitBy)
                .deferrable(deferrable)
                .snapshot(snapshot)
                .resume(resume)
                .append(append)
                .keptRuns(keptRuns)
                .cached(cached)
                .excluded(excluded)
                .parquet(parquet)
                .dictionaries(!noDictionaries)
                .columns(columnRules())
                .rows(rowOptions.rules())
                .values(valueOptions.rules(AUTO.equals(numeric)))
                .settings(valueOptions.settings())
                .lz4(valueOptions.lz4());
        if (query != null) {
            builder.queries(List.of(new ExportConfig.Query(
                    name == null ? "query" : name,
                    query,
                    keys.stream().map(String::strip).toList(),
                    joins.stream().map(JoinOption::join).toList())));
        }
        if (zstdLevel != null) {
            builder.zstdLevel(zstdLevel);
        }
        if (lockTimeoutSeconds != null) {
            builder.lockTimeout(Duration.ofSeconds(lockTimeoutSeconds));
        }
        if (workers != null) {
            builder.workers(workers);
        }
        if (memoryMebibytes != null) {
            builder.memoryBytes((long) memoryMebibytes << 20);
        }
        if (batchMebibytes != null) {
            builder.batchBytes((long) batchMebibytes << 20);
        }
        builder.unfit(numericOverflow, infinity);
        if (numeric != null && !numeric.equals(AUTO)) {
            Matcher digits = NUMERIC.matcher(numeric);
            if (!digits.matches()) {
                throw new ParameterException(
                        spec.commandLine(),
                        "--numeric is auto, or precision and scale, such as " + DataType.Decimal.MAX_PRECISION + ",10");
            }
            builder.numeric(Integer.parseInt(digits.group(1)), Integer.parseInt(digits.group(2)));
        }
        return builder.build();
    }

    private ColumnRules columnRules() {
        if (noStatistics && !statistics.isEmpty()) {
            throw new ParameterException(spec.commandLine(), "either --stat or --no-stat");
        }
        boolean isAuto = dictionaries.isEmpty() || dictionaries.equals(List.of("auto"));
        boolean hasAllStatistics = statistics.isEmpty() || statistics.equals(List.of(""));
        return new ColumnRules(
                flatten,
                halves,
                isAuto ? Optional.empty() : Optional.of(dictionaries),
                noStatistics ? Optional.of(List.of()) : hasAllStatistics ? Optional.empty() : Optional.of(statistics),
                largeOffsets,
                partitionBy);
    }

    private static String prompt(ExportSource target) {
        Console console = System.console();
        char[] password = console == null ? null : console.readPassword("Password for %s: ", target);
        if (password == null) {
            throw new CommandFailure("there is no terminal to ask for the password on; set PGPASSWORD");
        }
        return new String(password);
    }
}
