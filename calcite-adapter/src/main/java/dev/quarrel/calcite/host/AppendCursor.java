package dev.quarrel.calcite.host;

import dev.quarrel.core.column.Batch;
import dev.quarrel.core.run.ResultCursor;
import dev.quarrel.core.type.Schema;
import java.util.function.IntFunction;

/// A cursor over the rows of several inputs, one input after another; each starts when the previous one has
/// ended.
final class AppendCursor implements ResultCursor {
    private final Schema schema;
    private final int inputCount;
    private final IntFunction<ResultCursor> inputs;
    private int next;
    private ResultCursor current;

    AppendCursor(Schema schema, int inputCount, IntFunction<ResultCursor> inputs) {
        this.schema = schema;
        this.inputCount = inputCount;
        this.inputs = inputs;
    }

    @Override
    public Schema schema() {
        return schema;
    }

    @Override
    public Batch next() {
        while (true) {
            Batch batch = current == null ? null : current.next();
            if (batch != null) {
                return Batch.owning(schema, batch.columns(), batch.rowCount(), batch::close);
            }
            if (next == inputCount) {
                return null;
            }
            current = inputs.apply(next++);
        }
    }

    @Override
    public void close() {}
}
