package dev.quarrel.calcite.host;

import dev.quarrel.calcite.rel.QuarrelCalls;
import dev.quarrel.core.column.Batch;
import dev.quarrel.core.run.ResultCursor;
import dev.quarrel.core.type.Schema;
import java.util.List;

/// A cursor over the input's rows, extended by the results of functions written in Java.
final class CallsCursor implements ResultCursor {
    private final HostRun run;
    private final Schema schema;
    private final ResultCursor input;
    private final List<QuarrelCalls.Call> calls;

    CallsCursor(HostRun run, Schema schema, ResultCursor input, List<QuarrelCalls.Call> calls) {
        this.run = run;
        this.schema = schema;
        this.input = input;
        this.calls = calls;
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
        try {
            for (int row = 0; row < batch.rowCount(); row++) {
                for (int call = 0; call < calls.size(); call++) {
                    widened.append(call, call(calls.get(call), batch, row));
                }
            }
            return widened.finish();
        } catch (RuntimeException problem) {
            widened.discard();
            throw problem;
        }
    }

    private Object call(QuarrelCalls.Call call, Batch batch, int row) {
        boolean isCalled = call.condition() == QuarrelCalls.Call.ALWAYS
                || Boolean.TRUE.equals(HostCells.read(batch.column(call.condition()), row));
        if (!isCalled) {
            return null;
        }
        Object[] arguments = new Object[call.arguments().size()];
        boolean hasNull = false;
        for (int index = 0; index < arguments.length; index++) {
            arguments[index] = HostCells.read(batch.column(call.arguments().get(index)), row);
            hasNull |= arguments[index] == null;
        }
        return hasNull && call.function().strict()
                ? null
                : call.function().body().call(run.session(), arguments);
    }

    @Override
    public void close() {
        input.close();
    }
}
