package dev.quarrel.ingest;

import dev.quarrel.core.arrow.Durable;
import dev.quarrel.core.arrow.dataset.DatasetCatalog;
import dev.quarrel.core.arrow.dataset.StoredTables;
import dev.quarrel.core.type.Field;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;
import dev.quarrel.ingest.catalog.IngestCatalog;
import dev.quarrel.ingest.intake.Chunk;
import dev.quarrel.ingest.intake.Intake;
import dev.quarrel.ingest.log.ChunkIds;
import dev.quarrel.ingest.log.LogReader;
import dev.quarrel.ingest.log.WriteAheadLog;
import dev.quarrel.ingest.table.FrozenRows;
import dev.quarrel.ingest.table.KnownTables;
import dev.quarrel.ingest.table.OpenTables;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Keeps events: chunks go through the log into tables in memory, and from there into the dataset's files.
///
/// Three threads hand on to one another: the first appends waiting chunks to the log and synchronises it once for all
/// of them, the second makes rows of them, shows these and tells the senders, the third writes files. So a chunk
/// whose
/// sender is told is on disk and visible. One process at a time keeps events in a dataset.
public final class Ingest implements AutoCloseable {
    static final String FOLDER = "_ingest";

    private static final Logger LOG = LoggerFactory.getLogger(Ingest.class);
    private static final long GROUP_BYTES = 4L << 20;
    private static final int MOST_GROUPS = 4;
    private static final long LOOK_MILLIS = 50;
    private static final long FAILED_MILLIS = 200;

    private final IngestConfig config;
    private final Path folder;
    private final FileChannel lock;
    private final IngestCounts counts = new IngestCounts();
    private final ChunkIds ids;
    private final OpenTables open;
    private final RejectedEvents rejected;
    private final StoredTables stored;
    private final IngestQueue queue;
    private final WriteAheadLog log;
    private final RunWriter runs;
    private final BlockingQueue<Step> steps = new ArrayBlockingQueue<>(MOST_GROUPS);
    private final AtomicBoolean isRunWanted = new AtomicBoolean(); // from its boundary until its files stand
    private final Thread logger;
    private final Thread applier;
    private volatile long openSince; // when the oldest row came that is in no run, by nanoTime; 0 for none
    private IngestCatalog catalog; // guarded by this; null where nobody asks for one

    private sealed interface Step {
        /// Chunks that are in the log, and those that were before.
        record Group(List<IngestQueue.Offer> fresh, List<IngestQueue.Offer> repeated, long arrivalMicros, long bytes)
                implements Step {}

        /// Somebody may have changed the dataset's tables.
        record Look() implements Step {}

        /// Everything before is in segments up to this one.
        record Boundary(long segment) implements Step {}

        record End() implements Step {}
    }

    private Ingest(IngestConfig config, Path folder, FileChannel lock) {
        this.config = config;
        this.folder = folder;
        this.lock = lock;
        this.ids =
                new ChunkIds(TimeUnit.NANOSECONDS.toMicros(config.resendWindow().toNanos()));
        this.queue = new IngestQueue(config.queueBytes());
        this.rejected = new RejectedEvents(folder.resolve("rejected"), counts);
        this.stored = new StoredTables(config.root());
        stored.look();
        config.declared().forEach((table, fields) -> OpenTables.check(table, fields, stored.fields(table)));
        this.open = new OpenTables(knownTables(), config.mostTables(), config.mostColumns());
        this.log = new WriteAheadLog(folder, recover(), ids);
        this.runs = new RunWriter(config, folder, open, rejected, counts, this::runDone);
        this.logger = Thread.ofPlatform().name("quarrel-ingest-log").unstarted(this::writeLog);
        this.applier = Thread.ofPlatform().name("quarrel-ingest-rows").unstarted(this::applySteps);
    }

    /// Opens a dataset for events, which is made if there is none, and takes up what its log has.
    ///
    /// - Errors: `QueryException` 55000 where another process does, or where the folder holds files without a
    /// manifest; XX001 for a damaged log, 42804 where a declaration stands against the files, 58030.
    public static Ingest open(IngestConfig config) {
        Path folder = config.root().resolve(FOLDER);
        FileChannel lock = null;
        try {
            Files.createDirectories(folder);
            lock = FileChannel.open(folder.resolve("lock"), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
            if (!isLocked(lock)) {
                throw new QueryException(
                        SqlState.OBJECT_NOT_IN_PREREQUISITE_STATE,
                        "another process takes events into \"" + config.root() + "\" at this moment");
            }
            RunWriter.prepare(config.root());
            Ingest ingest = new Ingest(config, folder, lock);
            lock = null;
            ingest.logger.start();
            ingest.applier.start();
            return ingest;
        } catch (IOException e) {
            throw Durable.failed(folder, e);
        } finally {
            close(lock);
        }
    }

    private static boolean isLocked(FileChannel channel) throws IOException {
        try {
            return channel.tryLock() != null;
        } catch (OverlappingFileLockException _) {
            return false;
        }
    }

    private static void close(FileChannel lock) {
        if (lock != null) {
            try {
                lock.close();
            } catch (IOException e) {
                LOG.warn("ingest.lock error={}", e.toString());
            }
        }
    }

    private KnownTables knownTables() {
        return new KnownTables() {
            @Override
            public List<Field> declared(String table) {
                return config.declared().getOrDefault(table, List.of());
            }

            @Override
            public List<Field> stored(String table) {
                return stored.fields(table);
            }

            @Override
            public String fault(String table) {
                return stored.isOther(table)
                        ? RunWriter.taken(table)
                        : stored.isKeyed(table) ? RunWriter.keyed(table) : null;
            }
        };
    }

    /// Makes rows of what the log has and no file.
    ///
    /// @return the last segment's number
    private long recover() {
        long covered = Checkpoint.covered(folder, config.root());
        WriteAheadLog.drop(folder, covered);
        long[] rows = {0};
        long last = LogReader.read(folder, new LogReader.Visitor() {
            @Override
            public void chunk(Chunk chunk, long arrivalMicros) {
                if (chunk.id() != null) {
                    ids.add(chunk.id(), arrivalMicros);
                }
                rows[0] += open.add(chunk, arrivalMicros, rejected::add);
            }

            @Override
            public void id(String id, long timeMicros) {
                ids.add(id, timeMicros);
            }
        });
        open.publish();
        rejected.flush();
        if (last > covered) {
            openSince = System.nanoTime() | 1;
            if (rows[0] > 0) {
                LOG.info("ingest.recovered root={} rows={}", config.root(), rows[0]);
            }
        }
        return Math.max(last, covered);
    }

    /// Where chunks go.
    public Intake intake() {
        return queue;
    }

    public IngestCounts counts() {
        return counts;
    }

    public IngestConfig config() {
        return config;
    }

    /// Bytes of rows that are in no file.
    public long openBytes() {
        return open.byteSize();
    }

    /// Bytes of chunks that are not kept yet.
    public long waitingBytes() {
        return queue.byteSize();
    }

    /// The dataset's tables with the rows that are in no file yet.
    ///
    /// - Memory: takes `dataset` over; whoever asks closes the catalog, before this.
    public synchronized IngestCatalog catalog(DatasetCatalog dataset) {
        if (catalog != null) {
            throw new IllegalStateException("there is a catalog already");
        }
        catalog = new IngestCatalog(dataset, open);
        runs.publishBy(catalog::advance);
        return catalog;
    }

    private static long nowMicros() {
        Instant now = Instant.now();
        return now.getEpochSecond() * 1_000_000 + now.getNano() / 1000;
    }

    private void writeLog() {
        try {
            while (true) {
                List<IngestQueue.Offer> offers = queue.take(GROUP_BYTES, LOOK_MILLIS);
                if (offers == null) {
                    break;
                }
                // Events that come behind a change of their table are made rows of behind it, too.
                if (isDatasetChanged()) {
                    steps.put(new Step.Look());
                }
                if (isTimeForRun() && isRunWanted.compareAndSet(false, true)) {
                    beginRun();
                }
                if (!offers.isEmpty()) {
                    Step.Group group = logged(offers);
                    if (group != null) {
                        steps.put(group);
                    }
                }
            }
            steps.put(new Step.End());
        } catch (InterruptedException _) {
            LOG.error("ingest.stopped thread=log");
        } catch (RuntimeException | Error e) {
            LOG.error("ingest.stopped thread=log", e);
            throw e;
        }
    }

    private boolean isDatasetChanged() {
        try {
            return stored.look();
        } catch (QueryException e) {
            LOG.warn("ingest.dataset_unread state={} error={}", e.state().code(), e.getMessage());
            return false;
        }
    }

    private boolean isTimeForRun() {
        long since = openSince;
        return since != 0
                && (System.nanoTime() - since >= config.closeAfter().toNanos()
                        || open.byteSize() >= config.closeBytes());
    }

    private void beginRun() throws InterruptedException {
        try {
            steps.put(new Step.Boundary(log.rotate()));
        } catch (QueryException e) {
            isRunWanted.set(false);
            LOG.warn("ingest.log_failed error={}", e.getMessage());
            Thread.sleep(FAILED_MILLIS);
        }
    }

    /// Puts chunks into the log; those that are there already need not be.
    ///
    /// @return null where the log could not be written, and the senders know
    private Step.Group logged(List<IngestQueue.Offer> offers) throws InterruptedException {
        List<IngestQueue.Offer> fresh = new ArrayList<>();
        List<IngestQueue.Offer> repeated = new ArrayList<>();
        List<IngestQueue.Offer> others = new ArrayList<>(); // whose ids are of other chunks
        Set<String> added = new HashSet<>();
        long now = nowMicros();
        long bytes = 0;
        for (IngestQueue.Offer offer : offers) {
            bytes += offer.chunk().byteSize();
        }
        try {
            for (IngestQueue.Offer offer : offers) {
                String id = offer.chunk().id();
                if (id != null && ids.contains(id)) {
                    repeated.add(offer);
                    continue;
                }
                if (id != null && ids.isOfOther(id)) {
                    others.add(offer);
                    continue;
                }
                fresh.add(offer);
                log.append(offer.chunk(), now);
                if (id != null) {
                    ids.add(id, now);
                    added.add(id);
                }
            }
            long start = System.nanoTime();
            log.sync();
            counts.syncs.increment();
            counts.syncNanos.add(System.nanoTime() - start);
        } catch (QueryException e) {
            added.forEach(ids::remove);
            LOG.warn("ingest.log_failed chunks={} error={}", offers.size(), e.getMessage());
            Thread.sleep(FAILED_MILLIS); // a disk that is full is not filled again at once
            refuse(offers, e);
            queue.settled(bytes);
            return null;
        }
        refuse(
                others,
                new QueryException(
                        SqlState.UNIQUE_VIOLATION, "other events were kept for the same table under this key"));
        return new Step.Group(fresh, repeated, now, bytes);
    }

    private void refuse(List<IngestQueue.Offer> offers, QueryException reason) {
        for (IngestQueue.Offer offer : offers) {
            counts.refused.increment();
            offer.receipt().refused(reason);
        }
    }

    private void applySteps() {
        try {
            while (true) {
                switch (steps.take()) {
                    case Step.Group group -> apply(group);
                    case Step.Look _ -> renew(true);
                    case Step.Boundary(long segment) -> {
                        renew(false);
                        openSince = 0;
                        FrozenRows frozen = open.freeze();
                        runs.write(frozen, segment);
                    }
                    case Step.End _ -> {
                        return;
                    }
                }
            }
        } catch (InterruptedException _) {
            LOG.error("ingest.stopped thread=rows");
        } catch (RuntimeException | Error e) {
            LOG.error("ingest.stopped thread=rows", e);
            throw e;
        }
    }

    private void renew(boolean isChanged) {
        open.renew(isChanged, rejected::add);
        rejected.flush();
    }

    private void apply(Step.Group group) throws InterruptedException {
        while (open.byteSize() > config.memoryBytes() && !runs.isClosing()) {
            Thread.sleep(5); // until a run has made room; senders are not told meanwhile
        }
        renew(false);
        long rows = 0;
        long[] rejectedCounts = new long[group.fresh().size()];
        for (int index = 0; index < rejectedCounts.length; index++) {
            long[] rejections = {0};
            rows += open.add(group.fresh().get(index).chunk(), group.arrivalMicros(), (chunk, at, reason) -> {
                rejections[0]++;
                rejected.add(chunk, at, reason);
            });
            rejectedCounts[index] = rejections[0];
        }
        open.publish();
        rejected.flush();
        if (openSince == 0 && !group.fresh().isEmpty()) {
            openSince = System.nanoTime() | 1;
        }
        counts.events.add(rows);
        counts.chunks.add(group.fresh().size());
        counts.bytes.add(group.bytes());
        counts.repeated.add(group.repeated().size());
        for (int index = 0; index < rejectedCounts.length; index++) {
            group.fresh().get(index).receipt().kept(rejectedCounts[index]);
        }
        group.repeated().forEach(offer -> offer.receipt().kept(0));
        queue.settled(group.bytes());
    }

    private void runDone() {
        isRunWanted.set(false);
    }

    /// Has everything that was kept so far put into files, and waits for that.
    ///
    /// @return whether it was done in time
    public boolean flush(long millis) throws InterruptedException {
        long deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis);
        while (openSince != 0 || isRunWanted.get()) {
            if (System.nanoTime() > deadline) {
                return false;
            }
            if (openSince != 0) {
                openSince = System.nanoTime() - config.closeAfter().toNanos() | 1;
            }
            Thread.sleep(5);
        }
        return true;
    }

    /// Takes no more chunks, keeps those that came, and puts all rows into files, if the disk lets it: what is not
    /// stays in the log.
    @Override
    public void close() {
        queue.close();
        try {
            runs.finishSoon();
            logger.join();
            applier.join();
            runs.awaitIdle();
            if (openSince != 0 && !open.isFrozen()) {
                runs.write(open.freeze(), log.rotate());
            }
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
        } catch (QueryException e) {
            LOG.warn("ingest.close error={}", e.getMessage());
        } finally {
            runs.close();
            log.close();
            rejected.close();
            open.close();
            close(lock);
        }
    }
}
