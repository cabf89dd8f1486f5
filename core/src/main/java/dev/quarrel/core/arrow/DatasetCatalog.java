package dev.quarrel.core.arrow;

import dev.quarrel.core.table.Catalog;
import dev.quarrel.core.table.CatalogSnapshot;
import dev.quarrel.core.table.Table;
import dev.quarrel.core.type.Field;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.Schema;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicBoolean;

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
/// - Memory: files stay mapped until the last snapshot that can see them is closed, and the catalog too or its newest
///   state without them.
/// - Threads: share it freely.
public final class DatasetCatalog implements Catalog {
    public static final String DEFAULT_SCHEMA = "public";

    private final Path root;
    private final StatsMaker maker; // null: statistics are those that files bring

    // All guarded by this.
    private final Map<FileIdentity, Shared<ArrowFile>> openFiles = new HashMap<>();
    private final Map<FileIdentity, FileStats> madeStats = new HashMap<>(); // of open files
    private boolean areStatsNew; // since the current generation
    private Generation current;
    private long version;
    private boolean closed;

    private record FileIdentity(Path path, DatasetListing.Stamp stamp) {}

    private record TableName(String schemaName, String name) {}

    /// Something closed when its last user lets go of it.
    private static final class Shared<T extends AutoCloseable> {
        private final T value;
        private final Runnable forget;
        private int users;

        Shared(T value, Runnable forget) {
            this.value = value;
            this.forget = forget;
        }

        Shared<T> use() {
            users++;
            return this;
        }

        void letGo() {
            users--;
            if (users == 0) {
                forget.run();
                try {
                    value.close();
                } catch (RuntimeException e) {
                    throw e;
                } catch (Exception e) {
                    throw new IllegalStateException(e);
                }
            }
        }
    }

    /// A table with the files it reads; made anew only when one of them or its columns change.
    private record OpenTable(
            DatasetListing.TableFiles listed,
            List<FileIdentity> identities,
            Table table,
            Shared<ArrowTable> owner,
            List<Shared<ArrowFile>> files,
            List<FileIdentity> unknown) { // files without statistics
        OpenTable use() {
            files.forEach(Shared::use);
            if (owner != null) {
                owner.use();
            }
            return this;
        }

        void letGo() {
            if (owner != null) {
                owner.letGo();
            }
            files.forEach(Shared::letGo);
        }
    }

    /// The catalog between two changes.
    private static final class Generation {
        private final long version;
        private final DatasetListing listing;
        private final Map<TableName, OpenTable> tables;
        private final Map<String, Map<String, Table>> bySchema = new TreeMap<>();
        private int users;

        Generation(long version, DatasetListing listing, Map<TableName, OpenTable> tables) {
            this.version = version;
            this.listing = listing;
            this.tables = tables;
            bySchema.put(DEFAULT_SCHEMA, new TreeMap<>());
            tables.forEach((name, table) -> bySchema.computeIfAbsent(name.schemaName(), _ -> new TreeMap<>())
                    .put(name.name(), table.table()));
        }

        void letGo() {
            users--;
            if (users == 0) {
                tables.values().forEach(OpenTable::letGo);
            }
        }
    }

    private DatasetCatalog(Path root, StatsCache cache) {
        this.root = root;
        this.maker = cache == null ? null : new StatsMaker(cache);
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
        DatasetCatalog catalog = new DatasetCatalog(root.toAbsolutePath().normalize(), cache);
        synchronized (catalog) {
            catalog.refresh();
        }
        return catalog;
    }

    public Path root() {
        return root;
    }

    /// - Errors: as `open`, when the manifest has become unreadable.
    @Override
    public synchronized CatalogSnapshot snapshot() {
        if (closed) {
            throw new IllegalStateException("the catalog of " + root + " is closed");
        }
        if (areStatsNew || !current.listing.isCurrent()) {
            refresh();
        }
        current.users++;
        return new Snapshot(current);
    }

    private void refresh() {
        areStatsNew = false;
        DatasetListing listing = DatasetListing.of(root);
        Map<TableName, OpenTable> tables = new HashMap<>();
        boolean changed = current == null;
        for (DatasetListing.TableFiles files : listing.tables()) {
            TableName name = new TableName(files.schemaName(), files.name());
            OpenTable known = current == null ? null : current.tables.get(name);
            OpenTable open = opened(files, known);
            changed |= open != known;
            tables.put(name, open);
            if (open.table() instanceof BrokenTable) {
                // Mended files are seen even where the manifest alone is watched.
                open.identities().forEach(file -> listing.watched().put(file.path(), file.stamp()));
            }
        }
        changed |= current != null && !current.tables.keySet().equals(tables.keySet());
        version += changed ? 1 : 0;
        Generation next = new Generation(version, listing, tables);
        next.users = 1; // the catalog itself
        Generation previous = current;
        current = next;
        if (previous != null) {
            previous.letGo();
        }
    }

    /// `known` if it is still right, or the table opened anew; counted as used by the caller.
    private OpenTable opened(DatasetListing.TableFiles listed, OpenTable known) {
        List<FileIdentity> identities = listed.files().stream()
                .map(file -> new FileIdentity(file.path(), DatasetListing.Stamp.of(file.path())))
                .toList();
        if (known != null && isSame(known, listed, identities) && !isBetterKnown(known)) {
            return known.use();
        }
        if (listed.fault() != null) {
            return broken(listed, identities, listed.fault());
        }
        List<Shared<ArrowFile>> files = new ArrayList<>();
        try {
            List<FileStats> stats = new ArrayList<>();
            List<FileIdentity> unknown = new ArrayList<>();
            for (int index = 0; index < identities.size(); index++) {
                FileIdentity identity = identities.get(index);
                Shared<ArrowFile> file = file(identity).use();
                files.add(file);
                FileStats own = checked(file.value, listed.files().get(index).entry(), listed.fields());
                stats.add(own == null ? made(identity, file.value) : own);
                if (stats.getLast() == null) {
                    unknown.add(identity);
                }
            }
            List<ArrowFile> values = files.stream().map(file -> file.value).toList();
            ArrowTable table = ArrowTable.of(listed, values, stats);
            if (maker != null && !unknown.isEmpty()) {
                table.onFirstRead(() -> unknown.forEach(this::look));
            }
            return new OpenTable(
                    listed,
                    identities,
                    table,
                    new Shared<>(table, () -> {}).use(),
                    List.copyOf(files),
                    List.copyOf(unknown));
        } catch (QueryException e) {
            files.forEach(Shared::letGo);
            return broken(listed, identities, e);
        }
    }

    /// Statistics made of a file that brings none, or null.
    private FileStats made(FileIdentity identity, ArrowFile file) {
        if (maker == null) {
            return null;
        }
        FileStats made = madeStats.get(identity);
        if (made == null) {
            made = maker.known(file, identity.stamp());
            if (made != null) {
                madeStats.put(identity, made);
            }
        }
        return made;
    }

    /// Whether statistics of all of a table's files have come that had none when it was opened.
    private boolean isBetterKnown(OpenTable known) {
        return !known.unknown().isEmpty() && madeStats.keySet().containsAll(known.unknown());
    }

    /// Has a file looked at, which stays open until that is done.
    private void look(FileIdentity identity) {
        Shared<ArrowFile> file;
        synchronized (this) {
            file = openFiles.get(identity);
            if (closed || file == null || madeStats.containsKey(identity)) {
                return;
            }
            file.use();
        }
        maker.add(new StatsMaker.Job(file.value, identity.stamp(), (_, stats) -> {
            synchronized (this) {
                if (stats != null) {
                    madeStats.put(identity, stats);
                    areStatsNew = true;
                }
                file.letGo();
            }
        }));
    }

    private Shared<ArrowFile> file(FileIdentity identity) {
        Shared<ArrowFile> known = openFiles.get(identity);
        if (known != null) {
            return known;
        }
        Shared<ArrowFile> opened = new Shared<>(ArrowFile.open(identity.path()), () -> {
            openFiles.remove(identity);
            madeStats.remove(identity);
        });
        openFiles.put(identity, opened);
        return opened;
    }

    /// Compares a file with its entry in the manifest; answers its statistics in its own order of columns.
    private static FileStats checked(ArrowFile file, Manifest.FileEntry entry, List<Field> fields) {
        if (entry == null) {
            return FooterStats.of(file);
        }
        if (file.byteSize() != entry.bytes() || file.rowCount() != entry.rows()) {
            throw file.fault()
                    .corrupt("it has " + file.byteSize() + " bytes and " + file.rowCount() + " rows, the manifest says "
                            + entry.bytes() + " and " + entry.rows());
        }
        FileStats stats = entry.stats();
        boolean fits = stats != null && stats.batches().size() == file.batchCount();
        for (int batch = 0; fits && batch < file.batchCount(); batch++) {
            fits = stats.batches().get(batch).rowCount() == file.batchRows(batch);
        }
        return fits ? stats.reordered(new Schema(fields), file.schema()) : FooterStats.of(file);
    }

    private static OpenTable broken(
            DatasetListing.TableFiles listed, List<FileIdentity> identities, QueryException fault) {
        List<Field> fields = listed.fields() == null ? List.of() : listed.fields();
        Table table = new BrokenTable(listed.schemaName(), listed.name(), fields, fault);
        return new OpenTable(listed, identities, table, null, List.of(), List.of());
    }

    private static boolean isSame(OpenTable known, DatasetListing.TableFiles listed, List<FileIdentity> identities) {
        boolean sameFault = known.listed().fault() == null
                ? listed.fault() == null
                : listed.fault() != null
                        && listed.fault()
                                .getMessage()
                                .equals(known.listed().fault().getMessage());
        return sameFault
                && known.identities().equals(identities)
                && Objects.equals(known.listed().fields(), listed.fields());
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
        if (maker != null) {
            maker.close();
        }
        synchronized (this) {
            current.letGo();
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
        public void close() {
            if (!released.getAndSet(true)) {
                release(generation);
            }
        }
    }
}
