package dev.quarrel.bench;

import dev.quarrel.core.table.Catalog;
import dev.quarrel.core.table.CatalogSnapshot;
import dev.quarrel.core.table.MemoryTable;
import dev.quarrel.core.table.Table;
import java.util.Collection;
import java.util.List;

/// A catalog of tables in memory, which never change.
///
/// @param tables all of the schema `public`
record MemoryTables(List<MemoryTable> tables) implements Catalog {
    @Override
    public CatalogSnapshot snapshot() {
        return new CatalogSnapshot() {
            @Override
            public long version() {
                return 1;
            }

            @Override
            public List<String> schemaNames() {
                return List.of("public");
            }

            @Override
            public Collection<Table> tables(String schemaName) {
                return List.copyOf(tables);
            }

            @Override
            public Table table(String schemaName, String tableName) {
                return tables.stream()
                        .filter(table ->
                                schemaName.equals("public") && table.name().equals(tableName))
                        .findFirst()
                        .orElse(null);
            }

            @Override
            public void close() {
                // It holds nothing.
            }
        };
    }

    @Override
    public void close() {
        // It holds nothing.
    }
}
