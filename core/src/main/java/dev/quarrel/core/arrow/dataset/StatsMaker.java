package dev.quarrel.core.arrow.dataset;

import dev.quarrel.core.arrow.ArrowFile;
import dev.quarrel.core.arrow.FileStamp;
import dev.quarrel.core.arrow.FooterStats;
import dev.quarrel.core.arrow.OwnedMemory;
import dev.quarrel.core.arrow.Storage;
import dev.quarrel.core.arrow.stats.BatchSummary;
import dev.quarrel.core.arrow.stats.ColumnSummarizer;
import dev.quarrel.core.arrow.stats.ColumnSummary;
import dev.quarrel.core.arrow.stats.FileStats;
import dev.quarrel.core.table.ColumnStats;
import dev.quarrel.core.type.QueryException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.function.BiConsumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Looks at files that bring no statistics of their own, one after another, on a thread of its own that rests twice as
/// long as it works: queries go on beside it. What it finds goes to a [StatsCache] from time to time, so that the next
/// process goes on where this one ended.
final class StatsMaker implements AutoCloseable {
    private static final ColumnSummary UNKNOWN = new ColumnSummary(ColumnStats.UNKNOWN, false, null, null);
    private static final Logger LOG = LoggerFactory.getLogger(StatsMaker.class);
    private static final int REST_PER_WORK = 2;
    private static final long MAX_REST_NANOS = 200_000_000;
    private static final long WRITE_NANOS = 500_000_000;

    /// A column that asks for more memory is left out.
    private static final long MAX_DECODED_BYTES = 256L << 20;

    /// Entries of larger dictionaries are not looked at.
    private static final int MAX_ENTRIES = 1 << 18;

    private final StatsCache cache;
    private final LinkedBlockingQueue<Job> jobs = new LinkedBlockingQueue<>();
    private Thread thread; // started with the first job
    private volatile boolean closed;

    /// One file to look at.
    ///
    /// @param made called with the statistics, or with null if there are to be none
    record Job(ArrowFile file, FileStamp stamp, BiConsumer<Job, FileStats> made) {}

    StatsCache cache() {
        return cache;
    }

    StatsMaker(StatsCache cache) {
        this.cache = cache;
    }

    /// The statistics of a file that nothing is left to look at of, or null.
    FileStats known(ArrowFile file, FileStamp stamp) {
        return stats(file, cache.read(file, stamp));
    }

    private static FileStats stats(ArrowFile file, List<BatchSummary> batches) {
        return batches.contains(null) ? null : FileStats.of(file.wholeSchema(), batches);
    }

    /// Has a file looked at. Its `made` is called in any case, on the maker's thread or, when it is closed, here.
    synchronized void add(Job job) {
        if (closed) {
            job.made.accept(job, null);
            return;
        }
        jobs.add(job);
        if (thread == null) {
            thread = Thread.ofPlatform().name("quarrel-statistics").daemon().start(this::run);
        }
    }

    private void run() {
        while (!closed) {
            Job job;
            try {
                job = jobs.take();
            } catch (InterruptedException _) {
                break;
            }
            run(job);
        }
        for (Job job = jobs.poll(); job != null; job = jobs.poll()) {
            job.made.accept(job, null);
        }
    }

    /// Whatever is wrong with one file, the others are looked at.
    private void run(Job job) {
        FileStats stats = null;
        try {
            stats = look(job);
        } catch (QueryException | InternalError _) {
            // Whoever reads the file is told what is wrong with it.
        } catch (RuntimeException | Error unexpected) {
            LOG.warn("statistics.failed file={} queries do without them", job.file.path(), unexpected);
        }
        try {
            job.made.accept(job, stats);
        } catch (RuntimeException | Error unexpected) {
            LOG.warn("statistics.refused file={}", job.file.path(), unexpected);
        }
    }

    private FileStats look(Job job) {
        ArrowFile file = job.file;
        List<BatchSummary> batches = cache.read(file, job.stamp);
        boolean isNew = false;
        long written = System.nanoTime();
        for (int batch = 0; batch < batches.size() && !closed; batch++) {
            if (batches.get(batch) != null) {
                continue;
            }
            BatchSummary summary = look(file, batch);
            if (summary == null) {
                break;
            }
            batches.set(batch, summary);
            isNew = true;
            if (System.nanoTime() - written > WRITE_NANOS) {
                cache.write(file, job.stamp, batches);
                isNew = false;
                written = System.nanoTime();
            }
        }
        Thread.interrupted(); // it would end the writing
        if (isNew && FileStamp.of(file.path()).equals(job.stamp)) {
            cache.write(file, job.stamp, batches);
        }
        return stats(file, batches);
    }

    /// Null when it was stopped in between.
    private BatchSummary look(ArrowFile file, int batch) {
        List<ColumnSummary> columns = new ArrayList<>();
        for (int column = 0; column < file.wholeSchema().size(); column++) {
            if (closed) {
                return null;
            }
            if (FooterStats.isIn(file) && column < file.schema().size() || !file.isSummarized(column)) {
                columns.add(UNKNOWN); // the file says it
                continue;
            }
            long start = System.nanoTime();
            columns.add(summary(file, batch, column));
            file.checkIntact();
            try {
                long rest = Math.min(MAX_REST_NANOS, REST_PER_WORK * (System.nanoTime() - start));
                Thread.sleep(rest / 1_000_000, (int) (rest % 1_000_000));
            } catch (InterruptedException _) {
                return null;
            }
        }
        return new BatchSummary(file.batchRows(batch), columns);
    }

    private static ColumnSummary summary(ArrowFile file, int batch, int column) {
        boolean isLarge = file.decodedBytes(batch, column) > MAX_DECODED_BYTES
                || file.storage(column) instanceof Storage.Coded coded
                        && file.dictionary(coded.dictionaryId()).size() > MAX_ENTRIES;
        if (isLarge || file.storage(column) instanceof Storage.Unreadable) {
            return UNKNOWN;
        }
        try (OwnedMemory memory = new OwnedMemory()) {
            return ColumnSummarizer.summarize(file.columnOnce(batch, column, memory));
        }
    }

    /// Ends after the column that is being looked at; waits for that.
    @Override
    public void close() {
        Thread running;
        synchronized (this) {
            closed = true;
            running = thread;
        }
        if (running == null) {
            return;
        }
        running.interrupt();
        try {
            running.join();
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
        }
    }
}
