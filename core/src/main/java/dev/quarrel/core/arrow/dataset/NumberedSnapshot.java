package dev.quarrel.core.arrow.dataset;

import dev.quarrel.core.table.CatalogSnapshot;
import dev.quarrel.core.table.Table;
import dev.quarrel.core.type.Collation;
import java.util.Collection;
import java.util.List;

/// A catalog snapshot in which one table says where its rows lie.
final class NumberedSnapshot implements CatalogSnapshot {
    private final CatalogSnapshot snapshot;
    private final NumberedTable numbered;
    private final long version = ChangedSnapshot.nextVersion();

    /// - Memory: takes `snapshot` over.
    NumberedSnapshot(CatalogSnapshot snapshot, NumberedTable numbered) {
        this.snapshot = snapshot;
        this.numbered = numbered;
    }

    private boolean is(String schemaName, String tableName) {
        return numbered.schemaName().equals(schemaName) && numbered.name().equals(tableName);
    }

    @Override
    public long version() {
        return version;
    }

    @Override
    public List<String> schemaNames() {
        return snapshot.schemaNames();
    }

    @Override
    public Collection<Table> tables(String schemaName) {
        return snapshot.tables(schemaName).stream()
                .map(table -> is(schemaName, table.name()) ? numbered : table)
                .toList();
    }

    @Override
    public Table table(String schemaName, String tableName) {
        return is(schemaName, tableName) ? numbered : snapshot.table(schemaName, tableName);
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
