package dev.quarrel.ingest;

import dev.quarrel.core.arrow.ArrowFileWriter;
import dev.quarrel.core.arrow.WriteOptions;
import dev.quarrel.core.arrow.dataset.DatasetCatalog;
import dev.quarrel.core.arrow.dataset.DatasetWriter;
import dev.quarrel.core.arrow.dataset.FileName;
import dev.quarrel.core.arrow.dataset.Manifest;
import dev.quarrel.core.arrow.dataset.StoredTables;
import dev.quarrel.core.column.Batch;
import dev.quarrel.core.type.Field;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.Schema;
import dev.quarrel.core.type.SqlState;
import dev.quarrel.ingest.log.WriteAheadLog;
import dev.quarrel.ingest.table.FrozenRows;
import dev.quarrel.ingest.table.OpenTables;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Writes frozen rows into files, a run of the dataset each time, and drops the log's segments that they cover; between
/// runs it merges small files and drops old ones.
///
/// - Threads: its own one does the work.
final class RunWriter implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(RunWriter.class);
    private static final String SCHEMA = DatasetCatalog.DEFAULT_SCHEMA;
    private static final long FIRST_PAUSE_MILLIS = 250;
    private static final long MOST_PAUSE_MILLIS = 10_000;
    private static final long UPKEEP_MILLIS = 5_000;
    private static final int MOST_DISK_FAILURES = 3;

    private final IngestConfig config;
    private final Path folder;
    private final RejectedEvents rejected;
    private final IngestCounts counts;
    private final Runnable done;
    private final Upkeep upkeep;
    private final ScheduledThreadPoolExecutor thread = new ScheduledThreadPoolExecutor(
            1, Thread.ofPlatform().name("quarrel-ingest-files").factory());
    private volatile Consumer<Runnable> publisher;
    private volatile boolean closing;

    RunWriter(
            IngestConfig config,
            Path folder,
            OpenTables open,
            RejectedEvents rejected,
            IngestCounts counts,
            Runnable done) {
        this.config = config;
        this.folder = folder;
        this.rejected = rejected;
        this.counts = counts;
        this.done = done;
        this.publisher = commit -> {
            commit.run();
            open.retire(() -> {});
        };
        this.upkeep = new Upkeep(config, counts);
        var _ = thread.scheduleWithFixedDelay(this::keepUp, UPKEEP_MILLIS, UPKEEP_MILLIS, TimeUnit.MILLISECONDS);
    }

    /// Sees to it that a dataset is there that runs can be added to.
    ///
    /// - Errors: `QueryException` 55000.
    static void prepare(Path root) {
        DatasetWriter.begin(root, DatasetWriter.Mode.APPEND, null).close();
    }

    /// Why there are no events of a table whose keys are enforced: they are acknowledged before anybody can
    /// tell whether one like it is there.
    static String keyed(String table) {
        return "\"" + table + "\" has keys that its rows are held to, and takes no events";
    }

    /// Why there are no events of a name that another relation has.
    static String taken(String table) {
        return "\"" + table + "\" is a view or a foreign table, and takes no events";
    }

    /// @param newPublisher runs what commits a run, and retires the frozen rows in the same step as it shows the run
    void publishBy(Consumer<Runnable> newPublisher) {
        publisher = newPublisher;
    }

    /// Writes rows in the background, as often as it takes.
    ///
    /// @param rows null where there are none
    /// @param segment the last one of the log that they cover
    void write(FrozenRows rows, long segment) {
        thread.execute(() -> {
            try {
                writeAll(rows, segment);
            } finally {
                done.run();
            }
        });
    }

    private void writeAll(FrozenRows rows, long segment) {
        long pause = FIRST_PAUSE_MILLIS;
        Attempt attempt = new Attempt(rows, segment);
        while (true) {
            try {
                attempt.run();
                counts.runs.increment();
                return;
            } catch (QueryException e) {
                counts.failedRuns.increment();
                LOG.warn(
                        "ingest.run_failed state={} error={} hint=\"the rows stay in the log and are tried again\"",
                        e.state().code(),
                        e.getMessage());
            } catch (RuntimeException | Error e) { // a bug, which others' rows must not suffer from for good
                counts.failedRuns.increment();
                LOG.error("ingest.run_broken hint=\"the rows stay in the log and are tried again\"", e);
            }
            if (closing) {
                return; // the log has the rows
            }
            sleep(pause);
            pause = Math.min(MOST_PAUSE_MILLIS, pause * 2);
        }
    }

    private void sleep(long millis) {
        long deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis);
        try {
            while (!closing && System.nanoTime() < deadline) {
                Thread.sleep(20);
            }
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
            closing = true;
        }
    }

    /// A table whose rows cannot be written, whatever the reason is: those of others can.
    private static final class UnwritableException extends RuntimeException {
        private static final long serialVersionUID = 1L;

        private final String table;

        UnwritableException(String table, RuntimeException cause) {
            super(cause.getMessage(), cause);
            this.table = table;
        }
    }

    /// A run, tried until its files stand and the log's segments are gone; each part is done once.
    private final class Attempt {
        private final FrozenRows rows;
        private final long segment;
        private final Set<String> aside = new HashSet<>(); // tables whose rows are not in the run
        private final Map<String, Integer> failures = new HashMap<>();
        private String token;
        private boolean isCommitted;
        private boolean isPublished;

        Attempt(FrozenRows rows, long segment) {
            this.rows = rows;
            this.segment = segment;
        }

        void run() {
            if (!isCommitted && rows != null) {
                commitWhatCanBe();
            }
            if (!isPublished && rows != null) {
                publisher.accept(() -> {}); // it failed behind the commit
            }
            isPublished = true;
            String id = token == null ? UUID.randomUUID().toString() : token;
            new Checkpoint(id, segment, true).write(folder);
            WriteAheadLog.drop(folder, segment);
        }

        private void commitWhatCanBe() {
            while (!isCommitted) {
                try {
                    commit();
                } catch (UnwritableException e) {
                    putAside(e);
                }
            }
        }

        private void commit() {
            long start = System.nanoTime();
            token = UUID.randomUUID().toString();
            long rowCount = 0;
            try (DatasetWriter run =
                    DatasetWriter.begin(config.root(), DatasetWriter.Mode.APPEND, Checkpoint.source(token))) {
                Set<String> others = StoredTables.others(config.root());
                List<Runnable> rejections = new ArrayList<>();
                for (FrozenRows.TableRows table : rows.tables()) {
                    if (!aside.contains(table.name())) {
                        rowCount += write(run, table, others, rejections);
                    }
                }
                rejections.forEach(Runnable::run);
                rejected.flush();
                new Checkpoint(token, segment, false).write(folder);
                publisher.accept(() -> commit(run));
                isPublished = true;
            }
            LOG.debug(
                    "ingest.run rows={} tables={} elapsed_ms={}",
                    rowCount,
                    rows.tables().size(),
                    (System.nanoTime() - start) / 1_000_000);
        }

        private void commit(DatasetWriter run) {
            try {
                run.commit(null, null);
            } catch (QueryException e) {
                // What fails after the manifest stands does not undo the run.
                if (!Checkpoint.isCommitted(config.root(), token)) {
                    throw e;
                }
                LOG.warn("ingest.run_incomplete error={}", e.getMessage());
            }
            isCommitted = true;
        }

        /// Writes a table's rows, for the columns that it has now that nobody else writes to the dataset.
        ///
        /// @return how many there are
        private long write(
                DatasetWriter run, FrozenRows.TableRows table, Set<String> others, List<Runnable> rejections) {
            String name = table.name();
            try {
                if (others.contains(name)) {
                    throw new QueryException(SqlState.WRONG_OBJECT_TYPE, taken(name));
                }
                Manifest.TableEntry stored = stored(run, name);
                if (stored != null && !stored.enforcedKeys().isEmpty()) {
                    throw new QueryException(SqlState.WRONG_OBJECT_TYPE, keyed(name));
                }
                FrozenRows.TableRows fitted = table.fitted(
                        stored == null ? List.of() : stored.fields(),
                        (chunk, at, reason) -> rejections.add(() -> rejected.add(chunk, at, reason)));
                for (FrozenRows.Part part : fitted.parts()) {
                    requireFolder(name, part.keys());
                    write(run, name, part);
                }
                return fitted.rowCount();
            } catch (QueryException e) {
                if (isOfAll(name, e)) {
                    throw e;
                }
                throw new UnwritableException(name, e);
            } catch (RuntimeException e) {
                throw new UnwritableException(name, e);
            }
        }

        /// The commit moves files into their tables' folders, and does not say whose it was that failed.
        private void requireFolder(String table, Map<String, String> keys) {
            Path place = config.root().resolve(FileName.encode(table));
            requireWritable(place);
            for (Map.Entry<String, String> key : keys.entrySet()) {
                place = place.resolve(key.getKey() + "=" + key.getValue());
                requireWritable(place);
            }
        }

        private static void requireWritable(Path place) {
            if (Files.exists(place, LinkOption.NOFOLLOW_LINKS)
                    && !(Files.isDirectory(place) && Files.isWritable(place))) {
                throw new QueryException(SqlState.IO_ERROR, "\"" + place + "\" is no folder that can be written to");
            }
        }

        /// Whether what failed may pass, and is no matter of one table. What the disk says of the same table several
        /// times may be.
        private boolean isOfAll(String table, QueryException e) {
            return switch (e.state()) {
                case DISK_FULL, OUT_OF_MEMORY -> true;
                case IO_ERROR -> failures.merge(table, 1, Integer::sum) < MOST_DISK_FAILURES;
                default -> false;
            };
        }

        /// The table as it is; null where there is none.
        private static Manifest.TableEntry stored(DatasetWriter run, String table) {
            return run.before().tables().stream()
                    .filter(each ->
                            each.schemaName().equals(SCHEMA) && each.name().equals(table))
                    .findFirst()
                    .orElse(null);
        }

        private static void write(DatasetWriter run, String table, FrozenRows.Part part) {
            List<Batch> batches = part.batches();
            try {
                Schema schema = batches.getFirst().schema();
                List<Field> fields = new ArrayList<>(schema.fields());
                fields.addAll(FrozenRows.KEYS);
                run.check(SCHEMA, table, fields);
                try (ArrowFileWriter file = run.create(SCHEMA, table, part.keys(), schema, WriteOptions.PLAIN)) {
                    batches.forEach(file::append);
                    run.add(SCHEMA, table, part.keys(), FrozenRows.KEYS, file.finish());
                }
            } finally {
                batches.forEach(Batch::close);
            }
        }

        /// Keeps the rows of a table that cannot be written in files that are no part of the dataset.
        private void putAside(UnwritableException reason) {
            FrozenRows.TableRows table = rows.tables().stream()
                    .filter(each -> each.name().equals(reason.table))
                    .findFirst()
                    .orElseThrow();
            Path place = folder.resolve("aside").resolve(token).resolve(FileName.encode(table.name()));
            int number = 0;
            for (FrozenRows.Part part : table.parts()) {
                List<Batch> batches = part.nullableBatches();
                try (ArrowFileWriter file = ArrowFileWriter.create(
                        place.resolve(number++ + ".arrow"), batches.getFirst().schema(), WriteOptions.PLAIN)) {
                    batches.forEach(file::append);
                    file.finish();
                } finally {
                    batches.forEach(Batch::close);
                }
            }
            aside.add(table.name());
            counts.aside.add(table.rowCount());
            LOG.error(
                    "ingest.rows_aside table={} rows={} folder={} hint=\"they are in none of the dataset's tables\"",
                    table.name(),
                    table.rowCount(),
                    place,
                    reason.getCause());
        }
    }

    private void keepUp() {
        if (closing) {
            return;
        }
        try {
            upkeep.run(() -> closing || !isIdle());
        } catch (QueryException e) {
            LOG.warn("ingest.upkeep_failed state={} error={}", e.state().code(), e.getMessage());
        } catch (RuntimeException e) {
            LOG.error("ingest.upkeep_broken", e);
        }
    }

    private boolean isIdle() {
        return thread.getQueue().isEmpty();
    }

    boolean isClosing() {
        return closing;
    }

    /// Tries what fails no more than once from now on.
    void finishSoon() {
        closing = true;
    }

    void awaitIdle() throws InterruptedException {
        try {
            thread.submit(() -> {}).get();
        } catch (ExecutionException e) {
            throw new IllegalStateException(e.getCause());
        }
    }

    @Override
    public void close() {
        closing = true;
        thread.shutdown();
        try {
            if (!thread.awaitTermination(10, TimeUnit.MINUTES)) {
                LOG.error("ingest.files_thread_stays");
            }
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
        }
    }
}
