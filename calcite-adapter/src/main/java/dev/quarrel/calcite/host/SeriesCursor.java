package dev.quarrel.calcite.host;

import dev.quarrel.core.column.Batch;
import dev.quarrel.core.column.ColumnWriter;
import dev.quarrel.core.cpu.function.RowsFunction;
import dev.quarrel.core.memory.PooledMemory;
import dev.quarrel.core.run.ResultCursor;
import dev.quarrel.core.type.Schema;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;

/// A cursor over the rows of a function in FROM, which are produced as they are asked for.
final class SeriesCursor implements ResultCursor {
    private static final int BATCH_ROWS = 4096;

    private final HostRun run;
    private final Schema schema;
    private final ResultCursor input;
    private final RowsFunction function;
    private final boolean isStrict;
    private Batch arguments;
    private int nextArguments;
    private Iterator<?> values = Collections.emptyIterator();

    SeriesCursor(HostRun run, Schema schema, ResultCursor input, RowsFunction function, boolean isStrict) {
        this.run = run;
        this.schema = schema;
        this.input = input;
        this.function = function;
        this.isStrict = isStrict;
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
        Object[] values = new Object[batch.columns().size()];
        for (int argument = 0; argument < values.length; argument++) {
            values[argument] = HostCells.read(batch.column(argument), row);
            if (isStrict && values[argument] == null) {
                return Collections.emptyIterator();
            }
        }
        return function.rows(values);
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
