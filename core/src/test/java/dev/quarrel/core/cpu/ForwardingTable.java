package dev.quarrel.core.cpu;

import dev.quarrel.core.column.Batch;
import dev.quarrel.core.table.Table;
import dev.quarrel.core.table.TableStats;
import dev.quarrel.core.type.Schema;

/// Another table with something of its own: the base of tables that tests watch or describe.
public abstract class ForwardingTable implements Table {
    private final Table table;

    public ForwardingTable(Table table) {
        this.table = table;
    }

    @Override
    public final String schemaName() {
        return table.schemaName();
    }

    @Override
    public final String name() {
        return table.name();
    }

    @Override
    public final Schema schema() {
        return table.schema();
    }

    @Override
    public TableStats stats() {
        return table.stats();
    }

    @Override
    public final int batchCount() {
        return table.batchCount();
    }

    @Override
    public final int batchRows(int batch) {
        return table.batchRows(batch);
    }

    @Override
    public Batch read(int batch, int[] columns) {
        return table.read(batch, columns);
    }
}
