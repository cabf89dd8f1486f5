package dev.quarrel.server.catalog;

import dev.quarrel.calcite.SessionTable;
import dev.quarrel.calcite.SqlSession;
import dev.quarrel.core.column.Batch;
import dev.quarrel.core.table.Table;
import dev.quarrel.core.table.TableStats;
import dev.quarrel.core.type.Schema;
import java.util.function.BiConsumer;

/// A system relation of the moment.
///
/// @param sample some rows without values, as many as are likely
/// @param filler adds the rows
record LiveTable(String qualifiedName, Table sample, BiConsumer<SqlSession, RelationRows> filler)
        implements SessionTable {
    private static final int SAMPLE_ROWS = 20;

    static LiveTable of(String qualifiedName, BiConsumer<SqlSession, RelationRows> filler) {
        Table sample = new DeferredTable(CatalogRelation.of(qualifiedName), () -> {
            RelationRows rows = new RelationRows(qualifiedName);
            for (int row = 0; row < SAMPLE_ROWS; row++) {
                rows.add();
            }
            return rows.table();
        });
        return new LiveTable(qualifiedName, sample, filler);
    }

    @Override
    public Table rows(SqlSession session) {
        RelationRows rows = new RelationRows(qualifiedName);
        filler.accept(session, rows);
        return rows.table();
    }

    @Override
    public String schemaName() {
        return sample.schemaName();
    }

    @Override
    public String name() {
        return sample.name();
    }

    @Override
    public Schema schema() {
        return sample.schema();
    }

    @Override
    public TableStats stats() {
        return sample.stats();
    }

    @Override
    public int batchCount() {
        return sample.batchCount();
    }

    @Override
    public int batchRows(int batch) {
        return sample.batchRows(batch);
    }

    @Override
    public Batch read(int batch, int[] columns) {
        return sample.read(batch, columns);
    }
}
