package dev.quarrel.calcite.engine;

import dev.quarrel.calcite.CopyInput;
import dev.quarrel.calcite.CopyOptions;
import dev.quarrel.calcite.parse.Statement;
import dev.quarrel.core.arrow.WriteOptions;
import dev.quarrel.core.arrow.dataset.StagedTable;
import dev.quarrel.core.arrow.dataset.TableLoad;
import dev.quarrel.core.budget.Cancellation;
import dev.quarrel.core.column.Batch;
import dev.quarrel.core.csv.CsvFile;
import dev.quarrel.core.csv.CsvFormat;
import dev.quarrel.core.pg.PgParse;
import dev.quarrel.core.type.Field;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.Schema;
import dev.quarrel.core.type.SqlState;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.stream.Collectors;

/// Runs COPY … FROM a file of this machine, or what a client sends: its rows are a run of the dataset, all of them or
/// none.
///
/// - Errors: PostgreSQL's of COPY; 42501 for a file outside of the folders that may be read.
final class CopyInto {
    private static final int BATCH_ROWS = 1 << 18;
    private static final int MOST_THREADS = 8;

    private final Relations relations;
    private final PgParse.Moment moment;
    private final Cancellation cancellation;
    private final FilledRows.Expressions expressions;
    private final int most; // batches that are read, or written, at a time

    /// @param moment how texts of times are read
    /// @param expressions evaluates defaults
    CopyInto(
            Relations relations, PgParse.Moment moment, Cancellation cancellation, FilledRows.Expressions expressions) {
        this.relations = relations;
        this.expressions = expressions;
        this.moment = moment;
        this.cancellation = cancellation;
        this.most = TableLoad.threads(Math.min(relations.engine().scheduler().threads(), MOST_THREADS));
    }

    /// Rows, batch by batch.
    private interface Rows extends AutoCloseable {
        Batch next() throws IOException;

        /// Rows that were left out.
        default long skippedRows() {
            return 0;
        }

        @Override
        void close() throws IOException;
    }

    /// @param input null where the statement names a file
    /// @return how many rows there were
    long run(Statement.CopyFrom copy, CopyInput input) {
        CopyOptions options = copy.rules().options();
        if (options.isColumnar()) {
            boolean isArrow = options.format() == CopyOptions.Format.ARROW;
            throw new QueryException(
                            SqlState.FEATURE_NOT_SUPPORTED,
                            "COPY FROM in " + (isArrow ? "arrow" : "parquet") + " mode is not supported")
                    .withHint(
                            isArrow
                                    ? "CREATE FOREIGN TABLE reads Arrow files where they lie; quarrel import copies them."
                                    : "quarrel import copies Parquet files into a dataset.");
        }
        if (copy.file() != null && options.format() == CopyOptions.Format.BINARY) {
            throw new QueryException(
                    SqlState.FEATURE_NOT_SUPPORTED, "COPY FROM a file in binary mode is not supported");
        }
        Relations.Taker taker = relations.taker(copy.table(), copy.columns(), "copy to");
        taker.requireFlat();
        requireReferenced(copy.rules().forceNull(), "FORCE_NULL", taker);
        requireReferenced(copy.rules().forceNotNull(), "FORCE_NOT_NULL", taker);
        return copy.file() == null ? load(copy, input, taker) : ofFile(copy, taker);
    }

    private static void requireReferenced(Set<String> names, String option, Relations.Taker taker) {
        for (String name : names == null ? Set.<String>of() : names) {
            String table = taker.place().name();
            if (taker.all().indexOf(name) < 0) {
                throw new QueryException(
                        SqlState.UNDEFINED_COLUMN,
                        "column \"" + name + "\" of relation \"" + table + "\" does not exist");
            }
            if (taker.columns().indexOf(name) < 0) {
                throw new QueryException(
                        SqlState.INVALID_COLUMN_REFERENCE, option + " column \"" + name + "\" not referenced by COPY");
            }
        }
    }

    private long ofFile(Statement.CopyFrom copy, Relations.Taker taker) {
        if (!relations.privileges().mayCreate()) {
            throw new QueryException(SqlState.INSUFFICIENT_PRIVILEGE, "permission denied to COPY from a file")
                    .withHint("Who may create in a schema of the dataset may; anyone can COPY from STDIN.");
        }
        Path file = relations.changes().root().resolve(copy.file()).normalize();
        relations
                .changes()
                .requireReadable(file, relations.engine().config().writes().importRoots());
        try {
            InputStream bytes = Files.newInputStream(file);
            return load(copy, taker, threads -> text(copy, bytes, taker, threads));
        } catch (NoSuchFileException e) {
            throw new QueryException(
                    SqlState.UNDEFINED_FILE,
                    "could not open file \"" + file + "\" for reading: No such file or directory",
                    e);
        } catch (IOException e) {
            throw new QueryException(SqlState.IO_ERROR, "could not read file \"" + file + "\": " + e.getMessage(), e);
        }
    }

    private long load(Statement.CopyFrom copy, CopyInput input, Relations.Taker taker) {
        if (input == null) {
            throw new QueryException(SqlState.FEATURE_NOT_SUPPORTED, "COPY FROM STDIN is for clients of a server")
                    .withHint("Name a file below the dataset's folder, or below one of --import-root.");
        }
        boolean isBinary = copy.rules().options().isBinary();
        try {
            return load(copy, taker, threads -> {
                InputStream bytes = input.open(taker.columns().size(), isBinary);
                if (!isBinary) {
                    return text(copy, bytes, taker, threads);
                }
                BinaryRows rows = new BinaryRows(taker.place().name(), bytes, taker.columns(), input);
                return new Rows() {
                    @Override
                    public Batch next() throws IOException {
                        return rows.next(BATCH_ROWS);
                    }

                    @Override
                    public void close() throws IOException {
                        bytes.close();
                    }
                };
            });
        } catch (IOException e) {
            throw new QueryException(SqlState.CONNECTION_FAILURE, "could not read from the client", e);
        }
    }

    private Rows text(Statement.CopyFrom copy, InputStream bytes, Relations.Taker taker, Executor threads)
            throws IOException {
        CopyOptions options = copy.rules().options();
        CsvFormat format = format(options);
        CsvFile.Rules rules = new CsvFile.Rules(
                copy.rules().matchesHeader(),
                false,
                Set.of(),
                names(copy.rules().forceNull(), taker.columns()),
                names(copy.rules().forceNotNull(), taker.columns()),
                copy.rules().skipsErrors(),
                copy.rules().rejectLimit(),
                moment);
        String name = "COPY " + taker.place().name();
        CsvFile file = options.format() == CopyOptions.Format.CSV
                ? new CsvFile(name, bytes, format, taker.columns(), rules)
                : CsvFile.ofText(name, bytes, format, taker.columns(), rules);
        file.readAhead(threads, most);
        return new Rows() {
            @Override
            public Batch next() throws IOException {
                return file.next(BATCH_ROWS);
            }

            @Override
            public long skippedRows() {
                return file.skippedRows();
            }

            @Override
            public void close() throws IOException {
                file.close();
            }
        };
    }

    static CsvFormat format(CopyOptions options) {
        return new CsvFormat(
                options.delimiter(), options.quote(), options.escape(), options.nullText(), options.header());
    }

    /// @param names null for all
    private static Set<String> names(Set<String> names, Schema all) {
        return names == null ? all.fields().stream().map(Field::name).collect(Collectors.toSet()) : names;
    }

    private interface Opening {
        Rows open(Executor threads) throws IOException;
    }

    private long load(Statement.CopyFrom copy, Relations.Taker taker, Opening opening) throws IOException {
        StagedTable staged = relations.changes().stage(taker.place().schema());
        try (LocalEngine.Loading _ = relations.engine().loading();
                ExecutorService threads = RowWriting.threads(most);
                Rows rows = opening.open(threads)) {
            long count = write(rows, staged, taker, threads);
            if (rows.skippedRows() > 0 && !copy.rules().isQuiet()) {
                long skipped = rows.skippedRows();
                relations.notice(
                        "00000",
                        skipped + (skipped == 1 ? " row was" : " rows were")
                                + " skipped due to data type incompatibility");
            }
            if (count > 0) {
                relations.changes().append(taker.place().schema(), taker.place().name(), staged, "COPY");
            }
            return count;
        } catch (QueryException wrong) {
            throw ofRelation(wrong, taker);
        }
    }

    private long write(Rows rows, StagedTable staged, Relations.Taker taker, Executor threads) throws IOException {
        Batch first = rows.next();
        if (first == null) {
            return 0;
        }
        FilledRows filled;
        try {
            filled = new FilledRows(relations, taker, Set.of(), Set.of(), expressions);
            requireOthers(filled.taker());
        } catch (QueryException wrong) {
            first.close();
            throw wrong;
        }
        try (TableLoad load = staged.load(filled.taker().columns(), WriteOptions.PLAIN)) {
            for (Batch batch = first; batch != null; batch = rows.next()) {
                load.append(filled.of(batch), threads, most);
                cancellation.check();
            }
            return load.finish();
        }
    }

    /// Columns that rows do not have are NULL.
    static void requireOthers(Relations.Taker taker) {
        for (Field field : taker.all().fields()) {
            if (!field.nullable() && taker.columns().indexOf(field.name()) < 0) {
                throw new QueryException(
                        SqlState.NOT_NULL_VIOLATION,
                        "null value in column \"" + field.name() + "\" violates not-null constraint");
            }
        }
    }

    /// A NULL where none may be, as PostgreSQL says it, with the table's name; other errors as they are.
    static QueryException ofRelation(QueryException wrong, Relations.Taker taker) {
        if (wrong.state() != SqlState.NOT_NULL_VIOLATION) {
            return wrong;
        }
        String message = wrong.getMessage();
        return new QueryException(
                        wrong.state(),
                        message.replace(
                                " violates", " of relation \"" + taker.place().name() + "\" violates"))
                .withContext(wrong.context());
    }
}
