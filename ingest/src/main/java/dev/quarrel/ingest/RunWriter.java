package dev.quarrel.ingest;

import dev.quarrel.core.arrow.ArrowFileWriter;
import dev.quarrel.core.arrow.WriteOptions;
import dev.quarrel.core.arrow.dataset.DatasetCatalog;
import dev.quarrel.core.arrow.dataset.DatasetWriter;
import dev.quarrel.core.column.Batch;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.ingest.log.WriteAheadLog;
import dev.quarrel.ingest.table.FrozenRows;
import dev.quarrel.ingest.table.OpenTables;
import java.nio.file.Path;
import java.util.List;
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

    private final IngestConfig config;
    private final Path folder;
    private final IngestCounts counts;
    private final Runnable done;
    private final Upkeep upkeep;
    private final ScheduledThreadPoolExecutor thread = new ScheduledThreadPoolExecutor(
            1, Thread.ofPlatform().name("quarrel-ingest-files").factory());
    private volatile Consumer<Runnable> publisher;
    private volatile boolean closing;

    RunWriter(IngestConfig config, Path folder, OpenTables open, IngestCounts counts, Runnable done) {
        this.config = config;
        this.folder = folder;
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
            } catch (RuntimeException | Error e) {
                LOG.error("ingest.run_broken", e);
                throw e;
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

    /// A run, tried until its files stand and the log's segments are gone; each part is done once.
    private final class Attempt {
        private final FrozenRows rows;
        private final long segment;
        private String token;
        private boolean isCommitted;
        private boolean isPublished;

        Attempt(FrozenRows rows, long segment) {
            this.rows = rows;
            this.segment = segment;
        }

        void run() {
            if (!isCommitted && rows != null) {
                commit();
            }
            if (!isPublished && rows != null) {
                publisher.accept(() -> {}); // it failed behind the commit
            }
            isPublished = true;
            String id = token == null ? UUID.randomUUID().toString() : token;
            new Checkpoint(id, segment, true).write(folder);
            WriteAheadLog.drop(folder, segment);
        }

        private void commit() {
            long start = System.nanoTime();
            token = UUID.randomUUID().toString();
            long rowCount = 0;
            try (DatasetWriter run =
                    DatasetWriter.begin(config.root(), DatasetWriter.Mode.APPEND, Checkpoint.source(token))) {
                for (FrozenRows.Part part : rows.parts()) {
                    if (part.rowCount() > 0) {
                        write(run, part);
                        rowCount += part.rowCount();
                    }
                }
                new Checkpoint(token, segment, false).write(folder);
                publisher.accept(() -> commit(run));
                isPublished = true;
            }
            LOG.debug(
                    "ingest.run rows={} files={} elapsed_ms={}",
                    rowCount,
                    rows.parts().size(),
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

        private static void write(DatasetWriter run, FrozenRows.Part part) {
            List<Batch> batches = part.batches();
            try (ArrowFileWriter file = run.create(
                    SCHEMA, part.tableName(), part.keys(), batches.getFirst().schema(), WriteOptions.PLAIN)) {
                batches.forEach(file::append);
                run.add(SCHEMA, part.tableName(), part.keys(), FrozenRows.KEYS, file.finish());
            } finally {
                batches.forEach(Batch::close);
            }
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
