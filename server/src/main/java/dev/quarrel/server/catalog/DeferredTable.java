package dev.quarrel.server.catalog;

import dev.quarrel.core.column.Batch;
import dev.quarrel.core.table.ColumnStats;
import dev.quarrel.core.table.Table;
import dev.quarrel.core.table.TableStats;
import dev.quarrel.core.type.Schema;
import java.util.function.Supplier;

/// A system relation whose rows are made when a statement first reads it, or plans to: most statements name none, and
/// a process that answers one statement would take longer to fill the catalog than to answer.
final class DeferredTable implements Table {
    private final CatalogRelation relation;
    private final Lazy<Schema> schema;
    private final Lazy<Table> rows;
    private final ObjectNames names;

    /// @param rows makes them; asked once
    DeferredTable(CatalogRelation relation, Supplier<Table> rows) {
        this(relation, rows, null);
    }

    /// @param names of the catalog that they are of; null for rows of none
    DeferredTable(CatalogRelation relation, Supplier<Table> rows, ObjectNames names) {
        this.relation = relation;
        this.names = names;
        this.schema = new Lazy<>(relation::schema);
        this.rows = new Lazy<>(rows);
    }

    /// A relation with the rows of a file in PostgreSQL's COPY text form.
    static DeferredTable ofFile(String qualifiedName, String resource) {
        return new DeferredTable(
                CatalogRelation.of(qualifiedName),
                () -> new RelationRows(qualifiedName).addAll(resource).table());
    }

    /// Null for rows of no catalog.
    ObjectNames names() {
        return names;
    }

    @Override
    public String schemaName() {
        return relation.schemaName();
    }

    @Override
    public String name() {
        return relation.name();
    }

    @Override
    public Schema schema() {
        return schema.get();
    }

    @Override
    public TableStats stats() {
        return rows.get().stats();
    }

    @Override
    public int batchCount() {
        return rows.get().batchCount();
    }

    @Override
    public int batchRows(int batch) {
        return rows.get().batchRows(batch);
    }

    @Override
    public ColumnStats batchStats(int batch, int column) {
        return rows.get().batchStats(batch, column);
    }

    @Override
    public Batch read(int batch, int[] columns) {
        return rows.get().read(batch, columns);
    }
}
