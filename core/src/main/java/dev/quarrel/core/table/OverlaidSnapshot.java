package dev.quarrel.core.table;

import dev.quarrel.core.type.Collation;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;

/// A catalog snapshot with one more table, or another one of a name.
public final class OverlaidSnapshot implements CatalogSnapshot {
    // No catalog comes that far by counting what others change, nor do transactions that count from 2^62.
    private static final AtomicLong VERSIONS = new AtomicLong(3L << 61);

    private final CatalogSnapshot snapshot;
    private final Table table;
    private final long version = VERSIONS.getAndIncrement();

    /// - Memory: takes `snapshot` over; the table stays its owner's.
    public OverlaidSnapshot(CatalogSnapshot snapshot, Table table) {
        this.snapshot = snapshot;
        this.table = table;
    }

    @Override
    public long version() {
        return version;
    }

    @Override
    public List<String> schemaNames() {
        List<String> names = new ArrayList<>(snapshot.schemaNames());
        if (!names.contains(table.schemaName())) {
            names.add(table.schemaName());
        }
        return names;
    }

    @Override
    public Collection<Table> tables(String schemaName) {
        List<Table> tables = new ArrayList<>(snapshot.tables(schemaName));
        if (schemaName.equals(table.schemaName())) {
            boolean isThere = tables.stream().anyMatch(each -> each.name().equals(table.name()));
            tables.replaceAll(each -> each.name().equals(table.name()) ? table : each);
            if (!isThere) {
                tables.add(table);
            }
        }
        return tables;
    }

    @Override
    public Table table(String schemaName, String tableName) {
        return table.schemaName().equals(schemaName) && table.name().equals(tableName)
                ? table
                : snapshot.table(schemaName, tableName);
    }

    @Override
    public String comment(String schemaName, String tableName, String column) {
        return snapshot.comment(schemaName, tableName, column);
    }

    @Override
    public Collation defaultCollation() {
        return snapshot.defaultCollation();
    }

    @Override
    public boolean isOfOneSession() {
        return true;
    }

    @Override
    public void close() {
        snapshot.close();
    }
}
