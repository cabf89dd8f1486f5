package dev.quarrel.core.arrow.dataset;

import dev.quarrel.core.table.CatalogSnapshot;
import dev.quarrel.core.table.Table;
import dev.quarrel.core.type.Collation;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;

/// What a transaction sees that has changed something: what was there when it began, with its changes.
final class ChangedSnapshot implements CatalogSnapshot {
    // No catalog comes that far by counting what others change.
    private static final AtomicLong VERSIONS = new AtomicLong(1L << 62);

    private final long version;
    private final Map<String, Map<String, Table>> bySchema;
    private final NamedTables names;
    private final Collation collation;
    private final Runnable onClose;
    private final AtomicBoolean isOpen = new AtomicBoolean(true);

    /// @param version as of `nextVersion`, another one for other tables
    /// @param bySchema all tables and views; nobody changes it any more
    ChangedSnapshot(
            long version,
            Map<String, Map<String, Table>> bySchema,
            NamedTables names,
            Collation collation,
            Runnable onClose) {
        this.version = version;
        this.bySchema = Collections.unmodifiableMap(bySchema);
        this.names = names;
        this.collation = collation;
        this.onClose = onClose;
    }

    static long nextVersion() {
        return VERSIONS.getAndIncrement();
    }

    @Override
    public long version() {
        return version;
    }

    @Override
    public List<String> schemaNames() {
        return List.copyOf(bySchema.keySet());
    }

    @Override
    public Collection<Table> tables(String schemaName) {
        return List.copyOf(bySchema.getOrDefault(schemaName, Map.of()).values());
    }

    @Override
    public Table table(String schemaName, String tableName) {
        return bySchema.getOrDefault(schemaName, Map.of()).get(tableName);
    }

    @Override
    public String comment(String schemaName, String tableName, String column) {
        return names.comments().stream()
                .filter(each -> each.isOf(schemaName, tableName) && Objects.equals(each.column(), column))
                .map(RelationComment::text)
                .findFirst()
                .orElse(null);
    }

    @Override
    public Collation defaultCollation() {
        return collation;
    }

    @Override
    public boolean isOfOneSession() {
        return true;
    }

    @Override
    public void close() {
        if (isOpen.getAndSet(false)) {
            onClose.run();
        }
    }
}
