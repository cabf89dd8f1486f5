package dev.quarrel.core.table;

import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/// A view of tables that were named when it was made, such as those in memory.
///
/// - Memory: it borrows the tables.
public final class FixedSnapshot implements CatalogSnapshot {
    private final long version;
    private final Map<String, Map<String, Table>> schemas = new TreeMap<>(Map.of("public", new TreeMap<>()));
    private final Runnable onClose;

    /// Of tables that never change.
    public FixedSnapshot(Collection<? extends Table> tables) {
        this(1, tables, () -> {});
    }

    /// @param onClose runs when it is closed
    public FixedSnapshot(long version, Collection<? extends Table> tables, Runnable onClose) {
        this.version = version;
        this.onClose = onClose;
        for (Table table : tables) {
            schemas.computeIfAbsent(table.schemaName(), _ -> new TreeMap<>()).put(table.name(), table);
        }
    }

    @Override
    public long version() {
        return version;
    }

    @Override
    public List<String> schemaNames() {
        return List.copyOf(schemas.keySet());
    }

    @Override
    public Collection<Table> tables(String schemaName) {
        return schemas.getOrDefault(schemaName, Map.of()).values();
    }

    @Override
    public Table table(String schemaName, String tableName) {
        return schemas.getOrDefault(schemaName, Map.of()).get(tableName);
    }

    @Override
    public void close() {
        onClose.run();
    }
}
