package dev.quarrel.bench;

import dev.quarrel.core.table.Catalog;
import dev.quarrel.core.table.CatalogSnapshot;
import dev.quarrel.core.table.FixedSnapshot;
import dev.quarrel.core.table.MemoryTable;
import java.util.List;

/// A catalog of tables in memory, which never change.
record MemoryTables(List<MemoryTable> tables) implements Catalog {
    @Override
    public CatalogSnapshot snapshot() {
        return new FixedSnapshot(tables);
    }

    @Override
    public void close() {
        // It holds nothing.
    }
}
