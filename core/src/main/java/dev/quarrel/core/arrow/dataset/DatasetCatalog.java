package dev.quarrel.core.arrow.dataset;

import dev.quarrel.core.arrow.dataset.TableOpener.OpenTable;
import dev.quarrel.core.spill.SpillFolder;
import dev.quarrel.core.table.CatalogSnapshot;
import dev.quarrel.core.table.Counters;
import dev.quarrel.core.table.Table;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.OptionalInt;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;

/// The tables of a dataset folder, followed as the folder changes.
///
/// With a manifest, its tables; without one, files and folders by their names (docs/datasets.md has the rule). Every
/// `snapshot` looks whether manifest, folders or files have changed, at the cost of one `stat` for each, and sees a new
/// run as soon as its manifest stands. A table whose files are broken stands in the catalog with its
/// [Table#fault]; the others answer.
///
/// Files that bring no statistics of their own are looked at in the background once one of them is read, if there is a
/// cache for what is found ([StatsCache]); snapshots taken after that know it.
///
/// Folders are looked at and files opened by threads of the catalog's own, and nobody waits for a table but who names
/// it ([Table#awaitOpen]): a file that takes long, by its form or its disk, delays no other table's statements.
///
/// - Memory: files stay mapped until the last snapshot that can see them is closed, and the catalog too or its newest
///   state without them.
/// - Threads: share it freely.
public final class DatasetCatalog implements OverDataset {
    public static final String DEFAULT_SCHEMA = "public";

    /// How long a statement waits for the folder to be looked at; it sees what was there before if that takes longer.
    private static final long LISTING_MILLIS = 5_000;

    /// How long all tables that are slow to open are waited for, before the others go on without them.
    private static final long OPENING_NANOS = 200_000_000;

    private static final long FIRST_OPENING_NANOS = 10_000_000_000L;

    private static final long TURN_MILLIS = 10;

    // Runs that may replace each other's files while one listing is opened.
    private static final int MAX_RUNS_MEANWHILE = 10;

    private final Path root;
    private final Integer run; // null: the newest
    private final Path copies;
    private final StatsMaker maker; // null: statistics are those that files bring
    private final Consumer<Path> onOpen; // told of each file before it is opened
    private final List<NamedTable> named; // beside those of the folder
    private final TableOpener opener;
    private final ExecutorService threads = Executors.newCachedThreadPool(
            Thread.ofPlatform().name("quarrel-files-", 0).daemon().factory());
    private final Map<TableName, Semaphore> turns = new ConcurrentHashMap<>();
    private final DatasetCommits commits;
    private final Counters counters = new Counters();
    private final ReentrantLock looking = new ReentrantLock();
    private CompletableFuture<Void> refreshed = CompletableFuture.completedFuture(null); // guarded by looking

    // All guarded by this.
    private boolean areTablesNew; // since the current generation
    private Generation current;
    private long version;
    private boolean closed;

    private record TableName(String schemaName, String name) {}

    /// A table that is open, or being opened.
    private final class Opening implements Runnable {
        private final DatasetListing.TableFiles listed;
        private final OpenTable known; // held; what it was before, or null
        private final CompletableFuture<OpenTable> done = new CompletableFuture<>();
        private final Table waiting;

        // Guarded by the catalog.
        private int users = 1; // whoever begins it
        private boolean isSeen; // before it was done

        Opening(DatasetListing.TableFiles listed, OpenTable known) {
            this.listed = listed;
            this.known = known;
            this.waiting = new OpeningTable(listed.schemaName(), listed.name(), done.thenApply(OpenTable::table));
        }

        @Override
        public void run() {
            OpenTable opened;
            try {
                opened = opener.opened(listed, known);
            } catch (RuntimeException | Error e) {
                opened = TableOpener.broken(
                        listed,
                        List.of(),
                        new QueryException(
                                SqlState.INTERNAL_ERROR, "could not open table \"" + listed.name() + "\": " + e, e));
            }
            synchronized (DatasetCatalog.this) {
                areTablesNew |= isSeen;
                done.complete(opened);
                if (users == 0) {
                    opened.letGo();
                }
                if (known != null) {
                    known.letGo();
                }
            }
        }

        boolean isDone() {
            return done.isDone();
        }

        Table table() {
            if (done.isDone()) {
                return done.join().table();
            }
            isSeen = true;
            return waiting;
        }

        Opening use() {
            users++;
            return this;
        }

        void letGo() {
            users--;
            if (users == 0 && done.isDone()) {
                done.join().letGo();
            }
        }

        void await(long nanos) {
            try {
                done.get(Math.max(0, nanos), TimeUnit.NANOSECONDS);
            } catch (TimeoutException _) {
                // Whoever names the table waits on.
            } catch (InterruptedException _) {
                Thread.currentThread().interrupt();
            } catch (ExecutionException e) {
                throw new IllegalStateException(e.getCause());
            }
        }
    }

    /// The catalog between two changes.
    private static final class Generation {
        private final long version;
        private final DatasetListing listing;
        private final Map<TableName, Opening> openings;
        private final Map<String, Map<String, Table>> bySchema;
        private int users = 1; // the catalog itself

        Generation(
                long version,
                DatasetListing listing,
                Map<TableName, Opening> openings,
                Map<String, Map<String, Table>> bySchema) {
            this.version = version;
            this.listing = listing;
            this.openings = openings;
            this.bySchema = bySchema;
        }

        void letGo() {
            users--;
            if (users == 0) {
                openings.values().forEach(Opening::letGo);
            }
        }
    }

    /// @param run the one whose tables are seen, or null: always the newest
    private DatasetCatalog(
            Path root, Integer run, StatsCache cache, Path copies, Consumer<Path> onOpen, List<NamedTable> named) {
        this.root = root;
        this.named = List.copyOf(named);
        this.run = run;
        this.copies = copies;
        this.maker = cache == null ? null : new StatsMaker(cache);
        this.onOpen = onOpen;
        this.opener = new TableOpener(this, copies, maker, onOpen, () -> areTablesNew = true);
        this.commits = new DatasetCommits(root, () -> current().listing.state().others());
    }

    /// Opens a dataset and all its files.
    ///
    /// - Errors: `QueryException` 58P01 when there is no such folder, 58030 or XX001 when its manifest is broken.
    public static DatasetCatalog open(Path root) {
        return open(root, null);
    }

    /// The same, and has statistics made of files that bring none.
    ///
    /// @param cache where they are kept, or null: none are made
    public static DatasetCatalog open(Path root, StatsCache cache) {
        return open(root, cache, SpillFolder.defaultParent());
    }

    /// The same with a folder for temporary files of its own choice.
    ///
    /// @param copies where copies are kept of what is read of files that others may change
    public static DatasetCatalog open(Path root, StatsCache cache, Path copies) {
        return open(root, cache, copies, FIRST_OPENING_NANOS, _ -> {});
    }

    /// The same with tables over files that lie elsewhere.
    ///
    /// @param root null for no tables but those
    /// @param named relative paths in them are below `root`, or else the process' folder
    public static DatasetCatalog open(Path root, StatsCache cache, Path copies, List<NamedTable> named) {
        Path folder = root == null ? null : root.toAbsolutePath().normalize();
        return opened(new DatasetCatalog(folder, null, cache, copies, _ -> {}, named), FIRST_OPENING_NANOS);
    }

    /// @param openingNanos how long files are waited for; those that take longer are opened meanwhile
    static DatasetCatalog open(Path root, StatsCache cache, Path copies, long openingNanos, Consumer<Path> onOpen) {
        return opened(
                new DatasetCatalog(root.toAbsolutePath().normalize(), null, cache, copies, onOpen, List.of()),
                openingNanos);
    }

    /// Opens the tables of a dataset as a run left them. They never change; the run's files stay readable for as long
    /// as the catalog is open.
    ///
    /// - Errors: as `open`; 42704 when the run is none of those that are kept.
    public static DatasetCatalog openRun(Path root, int run, StatsCache cache, Path copies) {
        DatasetCatalog catalog =
                new DatasetCatalog(root.toAbsolutePath().normalize(), run, cache, copies, _ -> {}, List.of());
        return opened(catalog, FIRST_OPENING_NANOS);
    }

    /// The same dataset as a run left it, by [#openRun].
    public DatasetCatalog at(int number) {
        return opened(
                new DatasetCatalog(root, number, maker == null ? null : maker.cache(), copies, onOpen, List.of()),
                FIRST_OPENING_NANOS);
    }

    private static DatasetCatalog opened(DatasetCatalog catalog, long openingNanos) {
        try {
            catalog.refresh(openingNanos);
        } catch (RuntimeException | Error e) {
            catalog.close();
            throw e;
        }
        return catalog;
    }

    @Override
    public DatasetCatalog dataset() {
        return this;
    }

    /// The dataset's folder; null for one of named tables alone.
    public Path root() {
        return root;
    }

    /// The run whose tables are seen, if there are runs: the newest, or the one that it was opened for.
    public OptionalInt run() {
        if (run != null) {
            return OptionalInt.of(run);
        }
        Manifest manifest = root == null ? null : Manifest.read(root);
        return manifest == null || manifest.runs().isEmpty()
                ? OptionalInt.empty()
                : OptionalInt.of(KeptRuns.runOf(manifest));
    }

    /// Looks whether a table can be named.
    ///
    /// - Errors: `QueryException` 42501 for files elsewhere; what is wrong with its files.
    ///
    /// @param roots folders below which its files must lie, or else below the dataset's own
    void check(NamedTable table, List<Path> roots) {
        checkPlaces(table, roots);
        check(table);
    }

    private void checkPlaces(NamedTable table, List<Path> roots) {
        FileSource.of(table.options(), root).roots().forEach(path -> requireReadable(path, roots));
    }

    /// - Errors: `QueryException` 42501 for a path that is below none of the folders, nor below the dataset's.
    public void requireReadable(Path path, List<Path> roots) {
        Path real = real(path);
        boolean isBelow = Stream.concat(roots.stream(), Stream.of(root))
                .map(DatasetCatalog::real)
                .anyMatch(real::startsWith);
        if (!isBelow) {
            throw new QueryException(SqlState.INSUFFICIENT_PRIVILEGE, "permission denied for file \"" + path + "\"")
                    .withDetail("Only files below the dataset's folder and those of --import-root may be named.");
        }
    }

    /// Without links, as far as the path is there.
    private static Path real(Path path) {
        for (Path there = path; there != null; there = there.getParent()) {
            try {
                return there.toRealPath().resolve(there.relativize(path)).normalize();
            } catch (IOException _) {
                // Not there: its folder may be.
            }
        }
        return path;
    }

    private void check(NamedTable table) {
        DatasetListing.TableFiles listed = DatasetListing.TableFiles.of(table, root, new FileWatch());
        OpenTable opened = opener.opened(listed, null);
        try {
            if (opened.table().fault() != null) {
                throw opened.table().fault();
            }
            QueryException fault = ((ArrowTable) opened.table()).anyFault();
            if (fault != null) {
                throw fault;
            }
            FileSource.of(table.options(), root).checkKeys(table);
        } finally {
            synchronized (this) {
                opened.letGo();
            }
        }
    }

    /// What the snapshots of this catalog see, as changes make another one of.
    static DatasetState stateOf(CatalogSnapshot snapshot) {
        return ((Snapshot) snapshot).generation.listing.state();
    }

    /// Who changes a table's rows while others that ask so wait.
    public interface Turn extends AutoCloseable {
        @Override
        void close();
    }

    /// Waits until nobody else has a turn with a table. Who has one asks for no other.
    ///
    /// @param check run from time to time; what it throws ends the waiting
    public Turn awaitTurn(String schemaName, String name, Runnable check) {
        Semaphore turn = turns.computeIfAbsent(new TableName(schemaName, name), _ -> new Semaphore(1, true));
        try {
            while (!turn.tryAcquire(TURN_MILLIS, TimeUnit.MILLISECONDS)) {
                check.run();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new QueryException(SqlState.QUERY_CANCELED, "canceling statement due to user request", e);
        }
        return turn::release;
    }

    /// A table that stands in no listing; counted as used by the caller.
    ///
    /// @param known what it was before, or null
    OpenTable opened(DatasetListing.TableFiles files, OpenTable known) {
        return opener.openedAgain(files, known);
    }

    /// What gives the values of counters.
    Counters counters() {
        return counters;
    }

    /// Makes changes in the dataset as it is at this moment, all at once.
    ///
    /// - Errors: what one of them raises, and the writer's; nothing is changed then.
    ///
    /// @param session whose tables they may change, too
    /// @param areOfManifest whether they change tables of the dataset's
    /// @param check run from time to time; what it throws ends the waiting for other runs
    /// @return what has become of it
    DatasetState commit(
            List<UnaryOperator<DatasetState>> changes,
            SessionTables session,
            boolean areOfManifest,
            String source,
            Runnable check) {
        requireNewest();
        DatasetState state = commits.make(changes, session, areOfManifest, source, check);
        lookAfterwards();
        return state;
    }

    /// What has been committed stays so: what is wrong with the dataset is told to the next statement.
    private void lookAfterwards() {
        try {
            look();
        } catch (QueryException _) {
            // The next one looks again.
        }
    }

    /// - Errors: `QueryException` 55000 where nothing can be named or written.
    public void requireNewest() {
        if (root == null || run != null) {
            throw new QueryException(
                    SqlState.OBJECT_NOT_IN_PREREQUISITE_STATE,
                    root == null
                            ? "there is no dataset to name tables in"
                            : "an earlier run of a dataset never changes");
        }
    }

    /// The same with the columns of its files, and of the keys of their paths, declared.
    ///
    /// - Errors: `QueryException` 58P01 where it has no file; 42501 as of `create`; where none can be read, what is
    ///   wrong with the first one.
    public NamedTable described(NamedTable table, List<Path> roots) {
        requireNewest();
        checkPlaces(table, roots);
        DatasetListing.TableFiles listed = DatasetListing.TableFiles.of(table, root, new FileWatch());
        if (listed.fault() != null) {
            throw listed.fault();
        }
        OpenTable opened = opener.opened(listed, null);
        try {
            if (opened.table().fault() != null) {
                throw opened.table().fault();
            }
            return table.withColumns(((ArrowTable) opened.table()).declaredColumns(listed));
        } finally {
            synchronized (this) {
                opened.letGo();
            }
        }
    }

    /// - Errors: as `open`, when the manifest has become unreadable.
    @Override
    public CatalogSnapshot snapshot() {
        look();
        synchronized (this) {
            if (closed) {
                throw new IllegalStateException("the catalog of " + root + " is closed");
            }
            current.users++;
            return new Snapshot(current);
        }
    }

    /// Sees to it that the current generation is of this moment, unless that takes too long.
    private void look() {
        if (isSeenAsItIs()) {
            return;
        }
        try {
            if (!looking.tryLock() && !looking.tryLock(LISTING_MILLIS, TimeUnit.MILLISECONDS)) {
                return;
            }
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
            return;
        }
        try {
            // One that is not done by now is waited for no longer.
            if (refreshed.isDone() && !isSeenAsItIs()) {
                refreshed = CompletableFuture.runAsync(() -> refresh(OPENING_NANOS), threads);
                refreshed.get(LISTING_MILLIS, TimeUnit.MILLISECONDS);
            }
        } catch (TimeoutException | RejectedExecutionException _) {
            // What was there before is seen; or it is being closed.
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
        } catch (ExecutionException e) {
            switch (e.getCause()) {
                case QueryException known ->
                    throw new QueryException(known.state(), known.getMessage(), known)
                            .withDetail(known.detail())
                            .withHint(known.hint());
                case Error error -> throw error;
                default -> throw new IllegalStateException(e.getCause());
            }
        } finally {
            looking.unlock();
        }
    }

    /// Whether the current generation is of this moment, or the catalog is closed.
    private boolean isSeenAsItIs() {
        Generation known;
        synchronized (this) {
            if (closed) {
                return true;
            }
            if (areTablesNew) {
                return false;
            }
            known = current;
        }
        return known.listing.isCurrent();
    }

    /// A table that cannot be opened although the manifest lists its files may have been replaced since the manifest
    /// was read: its files have moved then, and the next manifest is there. One thread at a time.
    private void refresh(long openingNanos) {
        for (int more = MAX_RUNS_MEANWHILE; ; more--) {
            if (!read(openingNanos) || more == 0 || !current().listing.isReplaced()) {
                return;
            }
        }
    }

    private synchronized Generation current() {
        return current;
    }

    /// Whether a table is broken.
    private boolean read(long openingNanos) {
        Generation before;
        synchronized (this) {
            areTablesNew = false;
            before = current;
        }
        DatasetListing listing = run == null ? DatasetListing.of(root, named) : DatasetListing.of(root, run);
        Map<TableName, Opening> openings = new LinkedHashMap<>();
        long left = openingNanos;
        for (DatasetListing.TableFiles files : listing.tables()) {
            TableName name = new TableName(files.schemaName(), files.name());
            Opening known = before == null ? null : before.openings.get(name);
            Opening opening = begin(files, known);
            if (opening != known) { // which was waited for before
                long start = System.nanoTime();
                opening.await(left);
                left -= System.nanoTime() - start;
            }
            openings.put(name, opening);
        }
        boolean isBroken = false;
        for (Opening opening : openings.values()) {
            if (opening.isDone() && opening.done.join().table() instanceof BrokenTable) {
                // Mended files are seen even where the manifest alone is watched.
                opening.done
                        .join()
                        .identities()
                        .forEach(file -> listing.watched().put(file.path(), file.stamp()));
                isBroken = true;
            }
        }
        publish(listing, openings);
        return isBroken;
    }

    /// A table that is still being opened goes on; others are looked at anew, by a thread of their own.
    private Opening begin(DatasetListing.TableFiles files, Opening before) {
        Opening opening;
        synchronized (this) {
            if (closed) {
                throw new IllegalStateException("the catalog of " + root + " is closed");
            }
            if (before != null && !before.isDone()) {
                return before.use();
            }
            opening = new Opening(
                    files, before == null ? null : before.done.join().use());
        }
        threads.execute(opening);
        return opening;
    }

    private synchronized void publish(DatasetListing listing, Map<TableName, Opening> openings) {
        Map<String, Map<String, Table>> bySchema = new TreeMap<>();
        bySchema.put(DEFAULT_SCHEMA, new TreeMap<>());
        openings.forEach((name, opening) -> bySchema.computeIfAbsent(name.schemaName(), _ -> new TreeMap<>())
                .put(name.name(), opening.table()));
        listing.names().schemas().forEach(name -> bySchema.computeIfAbsent(name, _ -> new TreeMap<>()));
        for (NamedView view : listing.names().views()) {
            bySchema.computeIfAbsent(view.schemaName(), _ -> new TreeMap<>())
                    .merge(view.name(), view, (table, _) -> contested(table));
        }
        boolean isChanged = current == null
                || !current.bySchema.equals(bySchema)
                || !current.listing.collation().equals(listing.collation())
                || !current.listing.names().comments().equals(listing.names().comments());
        version += isChanged ? 1 : 0;
        Generation next = new Generation(version, listing, openings, bySchema);
        Generation previous = current;
        current = next;
        if (closed) {
            next.letGo();
        } else if (previous != null) {
            previous.letGo();
        }
    }

    private static Table contested(Table table) {
        QueryException fault = new QueryException(
                SqlState.DUPLICATE_TABLE, "\"" + table.name() + "\" is a table of the dataset and a view of it");
        return new BrokenTable(table.schemaName(), table.name(), List.of(), fault, null);
    }

    private synchronized void release(Generation generation) {
        generation.letGo();
    }

    /// Lets go of the newest state. Snapshots in use stay valid until they are closed.
    @Override
    public void close() {
        synchronized (this) {
            if (closed) {
                return;
            }
            closed = true;
        }
        opener.close();
        threads.shutdown();
        synchronized (this) {
            if (current != null) {
                current.letGo();
            }
        }
    }

    private final class Snapshot implements CatalogSnapshot {
        private final Generation generation;
        private final AtomicBoolean released = new AtomicBoolean();

        Snapshot(Generation generation) {
            this.generation = generation;
        }

        @Override
        public long version() {
            return generation.version;
        }

        @Override
        public List<String> schemaNames() {
            return List.copyOf(generation.bySchema.keySet());
        }

        @Override
        public Collection<Table> tables(String schemaName) {
            return List.copyOf(
                    generation.bySchema.getOrDefault(schemaName, Map.of()).values());
        }

        @Override
        public Table table(String schemaName, String tableName) {
            return generation.bySchema.getOrDefault(schemaName, Map.of()).get(tableName);
        }

        @Override
        public String comment(String schemaName, String tableName, String column) {
            return generation.listing.names().comments().stream()
                    .filter(each -> each.isOf(schemaName, tableName) && Objects.equals(each.column(), column))
                    .map(RelationComment::text)
                    .findFirst()
                    .orElse(null);
        }

        @Override
        public dev.quarrel.core.type.Collation defaultCollation() {
            return generation.listing.collation();
        }

        @Override
        public void close() {
            if (!released.getAndSet(true)) {
                release(generation);
            }
        }
    }
}
