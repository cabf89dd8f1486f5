package dev.quarrel.calcite.engine;

import dev.quarrel.calcite.schema.CatalogView;
import dev.quarrel.core.arrow.dataset.FoundRows;
import dev.quarrel.core.table.CatalogSnapshot;
import dev.quarrel.core.table.OverlaidSnapshot;
import dev.quarrel.core.table.Table;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;

/// A catalog snapshot shared by a transaction and its statements' runs; the last of them to release it closes
/// it.
final class SharedSnapshot {
    /// Of a catalog without anything in it, for plans that read none; it is never given back.
    static final SharedSnapshot NONE = new SharedSnapshot(new Empty(), List.of());

    private final CatalogSnapshot snapshot;
    private final List<Table> systemTables;
    private final AtomicInteger holders = new AtomicInteger(1);

    /// - Memory: takes `snapshot` over; whoever makes this is its first holder.
    SharedSnapshot(CatalogSnapshot snapshot, List<Table> systemTables) {
        this.snapshot = snapshot;
        this.systemTables = systemTables;
    }

    long version() {
        return snapshot.version();
    }

    /// Null for one that is not there.
    Table systemTable(String schemaName, String name) {
        for (Table table : systemTables) {
            if (table.name().equals(name) && table.schemaName().equals(schemaName)) {
                return table;
            }
        }
        return null;
    }

    boolean hasSchema(String name) {
        return snapshot.schemaNames().contains(name)
                || systemTables.stream().anyMatch(table -> table.schemaName().equals(name));
    }

    /// A further hold, until it is closed: what is stored, without the system's tables.
    CatalogSnapshot stored() {
        holders.incrementAndGet();
        return new CatalogView(snapshot, List.of(), List.of(), UnaryOperator.identity(), this::release);
    }

    /// The same catalog, in which a table says where its rows lie; the caller is its first holder.
    ///
    /// @return null for a table of which nothing says so
    SharedSnapshot numbered(String schemaName, String name) {
        CatalogSnapshot numbered = FoundRows.in(stored(), schemaName, name);
        return numbered == null ? null : new SharedSnapshot(numbered, systemTables);
    }

    /// The same catalog with one more table, which stays its owner's; the caller is its first holder.
    SharedSnapshot with(Table table) {
        return new SharedSnapshot(new OverlaidSnapshot(stored(), table), systemTables);
    }

    /// A further hold, until the view is closed.
    CatalogSnapshot view(List<Table> hostTables) {
        return view(hostTables, UnaryOperator.identity());
    }

    /// The same for a run, whose system tables have the rows that `live` gives for them.
    CatalogSnapshot view(List<Table> hostTables, UnaryOperator<Table> live) {
        holders.incrementAndGet();
        AtomicBoolean isOpen = new AtomicBoolean(true);
        return new CatalogView(snapshot, systemTables, hostTables, live, () -> {
            if (isOpen.getAndSet(false)) {
                release();
            }
        });
    }

    /// A further hold, until `release`.
    SharedSnapshot use() {
        holders.incrementAndGet();
        return this;
    }

    void release() {
        int left = holders.decrementAndGet();
        if (left == 0) {
            snapshot.close();
        } else if (left < 0) {
            throw new IllegalStateException("a snapshot was released more often than held");
        }
    }

    private static final class Empty implements CatalogSnapshot {
        @Override
        public long version() {
            return -1;
        }

        @Override
        public List<String> schemaNames() {
            return List.of("public");
        }

        @Override
        public List<Table> tables(String schemaName) {
            return List.of();
        }

        @Override
        public Table table(String schemaName, String tableName) {
            return null;
        }

        @Override
        public void close() {}
    }
}
