package dev.quarrel.core.column;

import dev.quarrel.core.type.Schema;
import java.util.AbstractList;
import java.util.List;
import java.util.RandomAccess;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.function.IntFunction;

/// Columns of a batch of which some are made when they are first asked for.
///
/// - Threads: any; one makes a column, others wait. An error is raised each time.
final class LazyColumns extends AbstractList<Column> implements RandomAccess {
    private final Schema schema;
    private final int rowCount;
    private final AtomicReferenceArray<Column> columns;
    private final IntFunction<Column> maker;

    LazyColumns(Schema schema, List<Column> made, IntFunction<Column> maker, int rowCount) {
        this.schema = schema;
        this.rowCount = rowCount;
        this.columns = new AtomicReferenceArray<>(made.toArray(Column[]::new));
        this.maker = maker;
    }

    @Override
    public Column get(int index) {
        Column known = columns.get(index);
        return known == null ? make(index) : known;
    }

    private synchronized Column make(int index) {
        Column known = columns.get(index);
        if (known == null) {
            known = maker.apply(index);
            Batch.requireFit(known, index, schema, rowCount);
            columns.set(index, known);
        }
        return known;
    }

    boolean isMade(int index) {
        return columns.get(index) != null;
    }

    @Override
    public int size() {
        return columns.length();
    }
}
