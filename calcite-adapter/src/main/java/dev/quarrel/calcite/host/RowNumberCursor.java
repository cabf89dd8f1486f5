package dev.quarrel.calcite.host;

import dev.quarrel.core.column.Batch;
import dev.quarrel.core.run.ResultCursor;
import dev.quarrel.core.type.Schema;

/// A cursor over the input's rows, with a number added to each row.
final class RowNumberCursor implements ResultCursor {
    private final HostRun run;
    private final Schema schema;
    private final ResultCursor input;
    private long number;

    RowNumberCursor(HostRun run, Schema schema, ResultCursor input) {
        this.run = run;
        this.schema = schema;
        this.input = input;
    }

    @Override
    public Schema schema() {
        return schema;
    }

    @Override
    public Batch next() {
        run.check();
        Batch batch = input.next();
        if (batch == null) {
            return null;
        }
        Widened widened = new Widened(batch, schema);
        for (int row = 0; row < batch.rowCount(); row++) {
            widened.append(0, number++);
        }
        return widened.finish();
    }

    @Override
    public void close() {
        input.close();
    }
}
