package dev.quarrel.core.cpu;

import dev.quarrel.core.column.Batch;
import dev.quarrel.core.table.Table;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntConsumer;

/// A table that says when a batch is read, and how many are open.
final class WatchedTable extends ForwardingTable {
    private final IntConsumer onRead;
    final AtomicInteger reads = new AtomicInteger();
    final AtomicInteger open = new AtomicInteger();

    WatchedTable(Table table, IntConsumer onRead) {
        super(table);
        this.onRead = onRead;
    }

    @Override
    public Batch read(int batch, int[] columns) {
        reads.incrementAndGet();
        onRead.accept(batch);
        Batch read = super.read(batch, columns);
        open.incrementAndGet();
        return Batch.owning(read.schema(), read.columns(), read.rowCount(), open::decrementAndGet);
    }

    @Override
    public QueryException faultOf(InternalError error) {
        return new QueryException(SqlState.IO_ERROR, "file t.arrow was cut short");
    }
}
