package dev.quarrel.calcite.host;

import dev.quarrel.core.column.Batch;
import dev.quarrel.core.run.ResultCursor;
import dev.quarrel.core.type.Schema;

/// A cursor over the rows that a recursive query's last round made.
final class WorkingCursor implements ResultCursor {
    private final Schema schema;
    private final WorkingRows rows;
    private int next;

    WorkingCursor(Schema schema, WorkingRows rows) {
        this.schema = schema;
        this.rows = rows;
    }

    @Override
    public Schema schema() {
        return schema;
    }

    @Override
    public Batch next() {
        return next == rows.batchCount() ? null : rows.share(next++, schema);
    }

    @Override
    public void close() {}
}
