package dev.quarrel.calcite.host;

import dev.quarrel.calcite.rel.QuarrelSeries;
import dev.quarrel.core.column.Batch;
import dev.quarrel.core.column.ColumnWriter;
import dev.quarrel.core.memory.PooledMemory;
import dev.quarrel.core.run.ResultCursor;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.Schema;
import dev.quarrel.core.type.SqlState;
import java.util.Iterator;
import java.util.List;
import java.util.stream.LongStream;

/// The rows of a function in FROM, made as they are asked for.
final class SeriesCursor implements ResultCursor {
    private static final int BATCH_ROWS = 4096;

    private final HostRun run;
    private final Schema schema;
    private final ResultCursor input;
    private final QuarrelSeries.Function function;
    private Batch arguments;
    private int nextArguments;
    private Iterator<?> values = List.of().iterator();

    SeriesCursor(HostRun run, Schema schema, ResultCursor input, QuarrelSeries.Function function) {
        this.run = run;
        this.schema = schema;
        this.input = input;
        this.function = function;
    }

    @Override
    public Schema schema() {
        return schema;
    }

    @Override
    public Batch next() {
        run.check();
        if (!advance()) {
            return null;
        }
        PooledMemory memory = new PooledMemory();
        ColumnWriter writer = new ColumnWriter(schema.type(0), memory, BATCH_ROWS);
        while (writer.rowCount() < BATCH_ROWS && advance()) {
            writer.append(values.next());
        }
        int rowCount = writer.rowCount();
        return Batch.owning(schema, List.of(writer.finish()), rowCount, memory::close);
    }

    /// Finds the next row of arguments that makes any rows, if the last one's are used up.
    private boolean advance() {
        while (!values.hasNext()) {
            if (arguments == null || nextArguments == arguments.rowCount()) {
                closeArguments();
                arguments = input.next();
                nextArguments = 0;
                if (arguments == null) {
                    return false;
                }
            }
            values = rows(arguments, nextArguments);
            nextArguments++;
        }
        return true;
    }

    private Iterator<?> rows(Batch batch, int row) {
        Object first = HostCells.read(batch.column(0), row);
        Object last = HostCells.read(batch.column(1), row);
        Object step = batch.columns().size() > 2 ? HostCells.read(batch.column(2), row) : (Object) 1L;
        if (first == null || last == null || step == null) {
            return List.of().iterator();
        }
        return switch (function) {
            case GENERATE_SERIES -> series((Long) first, (Long) last, (Long) step);
        };
    }

    private static Iterator<?> series(long first, long last, long step) {
        if (step == 0) {
            throw new QueryException(SqlState.INVALID_PARAMETER_VALUE, "step size cannot equal zero");
        }
        if (step > 0 ? first > last : first < last) {
            return List.of().iterator();
        }
        long count = Long.divideUnsigned(step > 0 ? last - first : first - last, Math.abs(step));
        return LongStream.rangeClosed(0, count)
                .map(index -> first + index * step)
                .iterator();
    }

    private void closeArguments() {
        if (arguments != null) {
            Batch done = arguments;
            arguments = null;
            done.close();
        }
    }

    @Override
    public void close() {
        closeArguments();
        input.close();
    }
}
