package dev.quarrel.ingest.catalog;

import dev.quarrel.core.arrow.dataset.DatasetCatalog;
import dev.quarrel.core.arrow.dataset.Manifest;
import dev.quarrel.core.arrow.dataset.OverDataset;
import dev.quarrel.core.table.CatalogSnapshot;
import dev.quarrel.core.table.Table;
import dev.quarrel.core.type.Collation;
import dev.quarrel.core.type.Field;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.ingest.table.OpenRows;
import dev.quarrel.ingest.table.OpenTables;
import dev.quarrel.ingest.table.OpenView;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// A dataset's tables together with the rows that are on their way into it.
///
/// Each row is seen once, whatever is being written at the moment: the files that statements see advance with the rows
/// that are in none, in one step ([#advance]); from the moment that a run is being committed until then, nobody looks
/// at the dataset.
///
/// - Threads: share it freely.
public final class IngestCatalog implements OverDataset {
    private static final Logger LOG = LoggerFactory.getLogger(IngestCatalog.class);
    private static final long PAUSE_NANOS = 10_000_000;

    private final DatasetCatalog dataset;
    private final OpenTables open;
    private final ReentrantLock looking = new ReentrantLock(); // held while a run of ours is committed
    private boolean isClosed; // guarded by looking
    private Base base; // guarded by the lock of the open tables
    private Shape newestShape; // guarded by this
    private long version; // guarded by this

    private record Shape(long datasetVersion, Map<String, List<Field>> fields) {}

    /// A state of the dataset, shared by those who see it.
    private static final class Base {
        private final CatalogSnapshot snapshot;
        private int users = 1; // the catalog itself

        Base(CatalogSnapshot snapshot) {
            this.snapshot = snapshot;
        }

        synchronized Base use() {
            users++;
            return this;
        }

        void letGo() {
            boolean isLast;
            synchronized (this) {
                users--;
                isLast = users == 0;
            }
            if (isLast) {
                snapshot.close();
            }
        }
    }

    public IngestCatalog(DatasetCatalog dataset, OpenTables open) {
        this.dataset = dataset;
        this.open = open;
        this.base = new Base(dataset.snapshot());
    }

    /// The files' catalog.
    @Override
    public DatasetCatalog dataset() {
        return dataset;
    }

    @Override
    public CatalogSnapshot snapshot() {
        if (looking.tryLock()) {
            try {
                if (isClosed) {
                    throw new IllegalStateException("the catalog of " + dataset.root() + " is closed");
                }
                look();
            } finally {
                looking.unlock();
            }
        }
        return new Snapshot(open.view(_ -> base.use()));
    }

    /// Sees what others have written to the dataset.
    private void look() {
        CatalogSnapshot newest = dataset.snapshot();
        open.view(_ -> {
                    if (base.snapshot.version() == newest.version()) {
                        newest.close();
                    } else {
                        replace(newest);
                    }
                    return null;
                })
                .close();
    }

    private void replace(CatalogSnapshot newest) {
        Base before = base;
        base = new Base(newest);
        before.letGo();
    }

    /// Has the frozen rows seen in files instead, once `commit` has put them there.
    public void advance(Runnable commit) {
        looking.lock();
        try {
            commit.run();
            if (isClosed) {
                open.retire(() -> {});
                return;
            }
            CatalogSnapshot newest = awaited();
            open.retire(() -> replace(newest));
        } finally {
            looking.unlock();
        }
    }

    /// The dataset as its manifest has it at this moment. Until it is seen so, however long its files take to open,
    /// statements see what was there before.
    private CatalogSnapshot awaited() {
        for (int tries = 0; ; tries++) {
            try {
                CatalogSnapshot newest = dataset.snapshot();
                if (isAsListed(newest)) {
                    return newest;
                }
                newest.close();
            } catch (QueryException e) { // a manifest that cannot be read at this moment
                LOG.warn("ingest.catalog_waits root={} error={}", dataset.root(), e.getMessage());
            }
            LockSupport.parkNanos(PAUSE_NANOS);
            if (tries % 1000 == 999) {
                LOG.warn("ingest.catalog_waits root={} tries={}", dataset.root(), tries);
            }
        }
    }

    private boolean isAsListed(CatalogSnapshot snapshot) {
        for (Manifest.TableEntry listed : Manifest.read(dataset.root()).tables()) {
            Table table = snapshot.table(listed.schemaName(), listed.name());
            if (table == null) {
                return false;
            }
            table.awaitOpen(() -> {});
            if (table.fault() == null
                    && table.stats().rowCount()
                            != listed.files().stream()
                                    .mapToLong(Manifest.FileEntry::liveRows)
                                    .sum()) {
                return false;
            }
        }
        return true;
    }

    /// A version for what plans rest upon: the files, and which columns the tables have. Rows that come meanwhile
    /// change no plan: nothing is said of their values ([LiveTable#stats]).
    ///
    /// Whoever holds a snapshot of a version can read the tables of each earlier one of that version: rows are
    /// retired only as the files change.
    private synchronized long versionOf(long datasetVersion, Map<String, OpenRows> rows) {
        Map<String, List<Field>> fields = new HashMap<>();
        rows.forEach((table, open) -> fields.put(table, open.fields()));
        Shape shape = new Shape(datasetVersion, fields);
        if (!shape.equals(newestShape)) {
            newestShape = shape;
            version++;
        }
        return version;
    }

    @Override
    public void close() {
        looking.lock();
        try {
            if (isClosed) {
                return;
            }
            isClosed = true;
        } finally {
            looking.unlock();
        }
        open.view(_ -> {
                    base.letGo();
                    return null;
                })
                .close();
        dataset.close();
    }

    private final class Snapshot implements CatalogSnapshot {
        private static final String PUBLIC = DatasetCatalog.DEFAULT_SCHEMA;

        private final OpenView<Base> view;
        private final CatalogSnapshot files;
        private final Map<String, Table> tables = new TreeMap<>(); // of `public`
        private final long version;
        private final AtomicBoolean isOpen = new AtomicBoolean(true);

        Snapshot(OpenView<Base> view) {
            this.view = view;
            this.files = view.beside().snapshot;
            this.version = versionOf(files.version(), view.tables());
            files.tables(PUBLIC).forEach(table -> tables.put(table.name(), table));
            for (Map.Entry<String, OpenRows> rows : view.tables().entrySet()) {
                tables.compute(
                        rows.getKey(),
                        (name, stored) -> stored != null && (stored.view() != null || stored.foreign() != null)
                                ? stored // the name is taken, and the rows are on their way out
                                : new LiveTable(PUBLIC, name, stored, rows.getValue()));
            }
        }

        @Override
        public long version() {
            return version;
        }

        @Override
        public List<String> schemaNames() {
            return files.schemaNames();
        }

        @Override
        public Collection<Table> tables(String schemaName) {
            return schemaName.equals(PUBLIC) ? new ArrayList<>(tables.values()) : files.tables(schemaName);
        }

        @Override
        public Table table(String schemaName, String tableName) {
            return schemaName.equals(PUBLIC) ? tables.get(tableName) : files.table(schemaName, tableName);
        }

        @Override
        public String comment(String schemaName, String tableName, String column) {
            return files.comment(schemaName, tableName, column);
        }

        @Override
        public Collation defaultCollation() {
            return files.defaultCollation();
        }

        @Override
        public void close() {
            if (isOpen.getAndSet(false)) {
                view.close();
                view.beside().letGo();
            }
        }
    }
}
