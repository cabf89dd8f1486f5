package dev.quarrel.export.config;

import dev.quarrel.core.parquet.ParquetWriter;
import dev.quarrel.core.type.DataType;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;
import dev.quarrel.export.copy.Unfit;
import dev.quarrel.export.source.ExportSource;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;

/// The configuration of an export: what to export, from where, and to where.
///
/// @param source the database
/// @param selection tables: `lineorder`, `sales."Order"`, `sales.*`, whole schemas
/// @param queries statements to export as tables of their own
/// @param output the dataset's root folder; or, for a single table or query, a file whose name ends in `.arrow`
/// @param workers connections that read at once, besides the one that holds the snapshot
/// @param batchBytes a batch is written when it has grown to so many bytes; at most 1 GiB
/// @param excluded columns to leave out: `column`, `table.column` or `schema.table.column`, as SQL writes them
/// @param numeric what `numeric` without precision becomes; empty: each value keeps its scale
/// @param unfit what becomes of values that a column cannot hold
/// @param zstdLevel 0 for plain buffers or pages, else ZSTD's level
/// @param append whether the run adds to the dataset's tables; otherwise it replaces those of the same name
/// @param splitBy columns by whose values rows are divided among the workers, instead of by pages: `column`,
///     `table.column` or `schema.table.column`
/// @param deferrable whether the snapshot is one of serializable transactions, which may have to be waited for
/// @param snapshot the name of a snapshot that somebody else holds, to export that one
/// @param lockTimeout how long a table's lock is waited for, 0 without end; empty: as the session is set, else
///     [#DEFAULT_LOCK_TIMEOUT]. Of PostgreSQL
/// @param resume whether finished tables outlive a failure, and a further run of the same settings and
/// snapshot keeps them
/// @param keptRuns how many states of the dataset before this run stay readable; with 0 what it replaces goes with the
/// run after it
/// @param cached whether large files stay in the system's cache, which costs more than writing past it
/// @param dictionaries whether text columns are dictionary-encoded at all
/// @param columns how columns are written, where their types leave a choice
/// @param rows which rows are read
/// @param values what PostgreSQL makes of values before it sends them
/// @param lz4 whether buffers or pages are compressed by LZ4
/// @param settings of each session: `name=value`. Of PostgreSQL
/// @param parquet whether the output is a folder of runs of Parquet files
public record ExportConfig(
        ExportSource source,
        Selection selection,
        List<Query> queries,
        Path output,
        int workers,
        long batchBytes,
        List<String> excluded,
        Optional<DataType.Decimal> numeric,
        Unfit unfit,
        int zstdLevel,
        boolean append,
        int keptRuns,
        boolean cached,
        boolean dictionaries,
        List<String> splitBy,
        boolean deferrable,
        Optional<String> snapshot,
        Optional<Duration> lockTimeout,
        boolean resume,
        ColumnRules columns,
        RowRules rows,
        ValueRules values,
        boolean lz4,
        List<String> settings,
        boolean parquet) {
    public static final long MAX_BATCH_BYTES = 1L << 30;
    public static final Duration DEFAULT_LOCK_TIMEOUT = Duration.ofMinutes(10);
    private static final int MAX_ZSTD_LEVEL = 19;

    // Batches being built at once shall fit in a GiB, unless somebody asks for more.
    private static final long DEFAULT_MEMORY_BYTES = 1L << 30;
    private static final long DEFAULT_BATCH_BYTES = 256L << 20;
    private static final long SMALLEST_DEFAULT_BYTES = 32L << 20;
    private static final int MAX_WORKERS = 256;
    private static final int MAX_KEPT_RUNS = 10_000;

    // What the process takes beside its batches; and what a batch takes, by what it holds.
    private static final long JVM_BYTES = 300L << 20;
    // A row group of Parquet, and the pages on their way into it.
    private static final long PARQUET_BYTES = 96L << 20;
    private static final double BATCH_WITH_SPARE = 1.5;
    private static final long SMALLEST_BOUNDED_BYTES = 1L << 20;

    /// A statement whose rows become a table.
    ///
    /// `$(WORKER_ID)` and `$(N_WORKERS)` in it stand for the number of the part, from 0, and how many there
    /// are: one a worker. `$(PARALLEL_KEY)` stands for one of `keys`: then there is a part for each.
    ///
    /// @param name the table's name in the dataset, in schema public
    /// @param sql one SELECT, or anything else that COPY takes in parentheses
    /// @param joins further statements, each of which runs for every row of those before it
    public record Query(String name, String sql, List<String> keys, List<Join> joins) {
        public Query {
            Objects.requireNonNull(name, "name");
            Objects.requireNonNull(sql, "sql");
            keys = List.copyOf(keys);
            joins = List.copyOf(joins);
        }

        public Query(String name, String sql) {
            this(name, sql, List.of(), List.of());
        }
    }

    /// A statement that runs for every row so far; its columns stand beside the row's.
    ///
    /// @param sql has `$(column)` for the row's value
    /// @param isOuter whether a row stays, with NULLs, for which it gives no row
    public record Join(String sql, boolean isOuter) {
        public Join {
            Objects.requireNonNull(sql, "sql");
        }
    }

    public ExportConfig {
        queries = List.copyOf(queries);
        excluded = List.copyOf(excluded);
        splitBy = List.copyOf(splitBy);
        settings = List.copyOf(settings);
        for (String setting : settings) {
            if (setting.indexOf('=') < 1) {
                throw new QueryException(
                        SqlState.INVALID_PARAMETER_VALUE, "a setting is name=value, and not \"" + setting + "\"");
            }
        }
        if (lz4 && zstdLevel > 0) {
            throw new QueryException(
                    SqlState.INVALID_PARAMETER_VALUE, "files are compressed by LZ4 or by ZSTD, not by both");
        }
        if (values.numericByValues() && numeric.isPresent()) {
            throw new QueryException(
                    SqlState.INVALID_PARAMETER_VALUE,
                    "numerics have the digits that are given, or those of their values");
        }
        if (deferrable && snapshot.isPresent()) {
            throw new QueryException(
                    SqlState.INVALID_PARAMETER_VALUE,
                    "a serializable snapshot cannot be waited for where one is given");
        }
        if (selection.isEmpty() && queries.isEmpty()) {
            throw new QueryException(SqlState.INVALID_PARAMETER_VALUE, "there is no table and no query to export");
        }
        if (workers < 1 || workers > MAX_WORKERS) {
            throw new QueryException(
                    SqlState.INVALID_PARAMETER_VALUE, workers + " workers: the number must be 1 to " + MAX_WORKERS);
        }
        if (batchBytes < 1 || batchBytes > MAX_BATCH_BYTES) {
            throw new QueryException(
                    SqlState.INVALID_PARAMETER_VALUE,
                    "batches of " + batchBytes + " bytes: the number must be 1 to " + MAX_BATCH_BYTES);
        }
        if (zstdLevel < 0 || zstdLevel > MAX_ZSTD_LEVEL) {
            throw new QueryException(
                    SqlState.INVALID_PARAMETER_VALUE,
                    "ZSTD level " + zstdLevel + ": the number must be 1 to " + MAX_ZSTD_LEVEL
                            + ", or 0 for plain files");
        }
        if (keptRuns < 0 || keptRuns > MAX_KEPT_RUNS) {
            throw new QueryException(
                    SqlState.INVALID_PARAMETER_VALUE,
                    keptRuns + " runs to keep: the number must be 0 to " + MAX_KEPT_RUNS);
        }
        if (lockTimeout.isPresent()
                && (lockTimeout.get().isNegative() || lockTimeout.get().toMillis() > Integer.MAX_VALUE)) {
            throw new QueryException(
                    SqlState.INVALID_PARAMETER_VALUE,
                    "locks waited for " + lockTimeout.get().toSeconds() + " s: the number must be 0 to "
                            + Integer.MAX_VALUE / 1000);
        }
        if (rows.isIncremental() && resume) {
            throw new QueryException(SqlState.INVALID_PARAMETER_VALUE, "an incremental export cannot be gone on with")
                    .withHint("begin it again: it reads what has come since the last complete run");
        }
        if (rows.isIncremental() && append) {
            throw new QueryException(
                            SqlState.INVALID_PARAMETER_VALUE,
                            "an incremental export changes the dataset's rows, and appends none")
                    .withHint("leave --append out: new rows follow those that are there");
        }
        if (parquet) {
            ParquetRules.check(output, append, resume, dictionaries, columns, rows);
        }
        if (isFile(output)) {
            if (rows.isIncremental()) {
                throw new QueryException(SqlState.INVALID_PARAMETER_VALUE, "an .arrow file is written as a whole")
                        .withHint("name a folder: a dataset takes the rows that are new");
            }
            if (selection.mayBeSeveral() || (selection.isEmpty() ? 0 : 1) + queries.size() > 1) {
                throw new QueryException(SqlState.INVALID_PARAMETER_VALUE, "one .arrow file cannot hold several tables")
                        .withHint("name a folder, and each table gets a file of its own in it");
            }
            if (resume) {
                throw new QueryException(SqlState.INVALID_PARAMETER_VALUE, "an .arrow file cannot be gone on with")
                        .withHint("name a folder: a dataset keeps the tables that are finished");
            }
            if (!columns.partitionBy().isEmpty()) {
                throw new QueryException(
                                SqlState.INVALID_PARAMETER_VALUE, "one .arrow file cannot be divided into folders")
                        .withHint("name a folder as output");
            }
            if (keptRuns > 0) {
                throw new QueryException(SqlState.INVALID_PARAMETER_VALUE, "an .arrow file has no runs to keep")
                        .withHint("name a folder: a dataset keeps earlier runs");
            }
            if (append) {
                throw new QueryException(SqlState.INVALID_PARAMETER_VALUE, "rows cannot be appended to an .arrow file")
                        .withHint("name a folder: a dataset takes further runs");
            }
        }
    }

    static boolean isFile(Path output) {
        return output.toString().endsWith(".arrow");
    }

    /// Whether the output is one Arrow file instead of a dataset.
    public boolean isSingleFile() {
        return isFile(output);
    }

    public static Builder builder(ExportSource source, Path output) {
        return new Builder(source, output);
    }

    /// Settings one by one; what is not set has its default.
    public static final class Builder {
        private final ExportSource source;
        private final Path output;
        private Selection selection = Selection.NONE;
        private List<Query> queries = List.of();
        private int workers = Math.clamp(Runtime.getRuntime().availableProcessors(), 1, 8);
        private OptionalLong batchBytes = OptionalLong.empty();
        private OptionalLong memoryBytes = OptionalLong.empty();
        private List<String> excluded = List.of();
        private Optional<DataType.Decimal> numeric = Optional.empty();
        private Unfit unfit = Unfit.DEFAULT;
        private OptionalInt zstdLevel = OptionalInt.empty();
        private boolean append;
        private int keptRuns;
        private boolean cached;
        private boolean dictionaries = true;
        private List<String> splitBy = List.of();
        private boolean deferrable;
        private Optional<String> snapshot = Optional.empty();
        private Optional<Duration> lockTimeout = Optional.empty();
        private boolean resume;
        private ColumnRules columns = ColumnRules.DEFAULT;
        private RowRules rows = RowRules.DEFAULT;
        private ValueRules values = ValueRules.DEFAULT;
        private boolean lz4;
        private List<String> settings = List.of();
        private boolean parquet;

        private Builder(ExportSource source, Path output) {
            this.source = Objects.requireNonNull(source, "source");
            this.output = Objects.requireNonNull(output, "output");
        }

        public Builder select(Selection newSelection) {
            selection = newSelection;
            return this;
        }

        public Builder tables(List<String> names) {
            return select(Selection.tables(names));
        }

        public Builder tables(String... names) {
            return tables(List.of(names));
        }

        public Builder queries(List<Query> newQueries) {
            queries = newQueries;
            return this;
        }

        public Builder query(String name, String sql) {
            return queries(List.of(new Query(name, sql)));
        }

        public Builder workers(int count) {
            workers = count;
            return this;
        }

        /// Bounds the memory of the whole process, by smaller batches where need be; what the JVM itself
        /// takes is reckoned in.
        public Builder memoryBytes(long bytes) {
            memoryBytes = OptionalLong.of(bytes);
            return this;
        }

        public Builder batchBytes(long bytes) {
            batchBytes = OptionalLong.of(bytes);
            return this;
        }

        public Builder excluded(List<String> columns) {
            excluded = columns;
            return this;
        }

        public Builder numeric(int precision, int scale) {
            if (precision < 1 || precision > DataType.Decimal.MAX_PRECISION || scale < 0 || scale > precision) {
                throw new QueryException(
                        SqlState.INVALID_PARAMETER_VALUE,
                        "numeric(" + precision + "," + scale + "): the precision must be 1 to "
                                + DataType.Decimal.MAX_PRECISION + ", the scale 0 to the precision");
            }
            numeric = Optional.of(new DataType.Decimal(precision, scale));
            return this;
        }

        public Builder unfit(Unfit.Overflow numerics, Unfit.Infinity infinities) {
            unfit = new Unfit(numerics, infinities);
            return this;
        }

        public Builder zstdLevel(int level) {
            zstdLevel = OptionalInt.of(level);
            return this;
        }

        public Builder append(boolean newAppend) {
            append = newAppend;
            return this;
        }

        /// @param newCached whether large files stay in the system's cache, for queries that follow at once; otherwise
        ///   they go past it where the disk allows that, and are read from the disk at first
        public Builder cached(boolean newCached) {
            cached = newCached;
            return this;
        }

        public Builder dictionaries(boolean newDictionaries) {
            dictionaries = newDictionaries;
            return this;
        }

        public Builder splitBy(List<String> columns) {
            splitBy = columns;
            return this;
        }

        public Builder deferrable(boolean newDeferrable) {
            deferrable = newDeferrable;
            return this;
        }

        /// @param id as `pg_export_snapshot()` gives it; null for one of the export's own
        public Builder snapshot(String id) {
            snapshot = Optional.ofNullable(id);
            return this;
        }

        /// @param longest how long a table's lock is waited for; zero: without end
        public Builder lockTimeout(Duration longest) {
            lockTimeout = Optional.of(longest);
            return this;
        }

        public Builder resume(boolean newResume) {
            resume = newResume;
            return this;
        }

        /// @param count of the dataset's states before this run that stay readable
        public Builder keptRuns(int count) {
            keptRuns = count;
            return this;
        }

        public Builder columns(ColumnRules rules) {
            columns = rules;
            return this;
        }

        public Builder rows(RowRules rules) {
            rows = rules;
            return this;
        }

        public Builder values(ValueRules rules) {
            values = rules;
            return this;
        }

        public Builder lz4(boolean newLz4) {
            lz4 = newLz4;
            return this;
        }

        /// Writes Parquet files, compressed by ZSTD where nothing else is said.
        public Builder parquet(boolean newParquet) {
            parquet = newParquet;
            return this;
        }

        private int zstdLevel() {
            return zstdLevel.orElse(parquet && !lz4 ? ParquetWriter.ZSTD_LEVEL : 0);
        }

        /// @param newSettings of the sessions that read, each `name=value`
        public Builder settings(List<String> newSettings) {
            settings = newSettings;
            return this;
        }

        /// What of `wanted` fits into the memory given.
        private long boundedBatchBytes(long wanted) {
            if (memoryBytes.isEmpty()) {
                return wanted;
            }
            double room = (memoryBytes.getAsLong() - JVM_BYTES) / (double) Math.max(workers, 1)
                    - (parquet ? PARQUET_BYTES : 0);
            // A batch on its way, and what it is compressed into.
            long most =
                    (long) (room / (!parquet && (zstdLevel() > 0 || lz4) ? BATCH_WITH_SPARE + 1 : BATCH_WITH_SPARE));
            if (most < SMALLEST_BOUNDED_BYTES) {
                throw new QueryException(
                                SqlState.INVALID_PARAMETER_VALUE,
                                memoryBytes.getAsLong() + " bytes of memory are too few for " + workers + " workers")
                        .withHint("the program itself takes " + (JVM_BYTES >> 20) + " MiB, and each worker at least "
                                + (SMALLEST_BOUNDED_BYTES * 3 + (parquet ? PARQUET_BYTES : 0) >> 20));
            }
            return Math.min(wanted, most);
        }

        public ExportConfig build() {
            long defaultBytes = Math.clamp(
                    DEFAULT_MEMORY_BYTES / Math.max(workers, 1), SMALLEST_DEFAULT_BYTES, DEFAULT_BATCH_BYTES);
            return new ExportConfig(
                    source,
                    selection,
                    queries,
                    output,
                    workers,
                    boundedBatchBytes(batchBytes.orElse(defaultBytes)),
                    excluded,
                    numeric,
                    unfit,
                    zstdLevel(),
                    append,
                    keptRuns,
                    cached,
                    dictionaries,
                    splitBy,
                    deferrable,
                    snapshot,
                    lockTimeout,
                    resume,
                    columns,
                    rows,
                    values,
                    lz4,
                    settings,
                    parquet);
        }
    }
}
