package dev.quarrel.calcite.host;

import dev.quarrel.calcite.rel.QuarrelFunctions;
import dev.quarrel.core.column.Batch;
import dev.quarrel.core.column.ColumnWriter;
import dev.quarrel.core.cpu.function.Kernels;
import dev.quarrel.core.cpu.function.RowsFunction;
import dev.quarrel.core.memory.PooledMemory;
import dev.quarrel.core.run.ResultCursor;
import dev.quarrel.core.type.Schema;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;

/// A cursor over the rows of functions that give rows, which are made as they are asked for.
final class FunctionsCursor implements ResultCursor {
    private static final int BATCH_ROWS = 4096;

    private final HostRun run;
    private final Schema schema;
    private final ResultCursor input;
    private final QuarrelFunctions rel;
    private final List<RowsFunction> functions = new ArrayList<>(); // null for a value
    private final List<Iterator<?>> values = new ArrayList<>(); // of the row at hand, by function
    private Batch rows;
    private int row = -1;
    private long number; // of the last result row of the row at hand
    private RuntimeException failure;

    FunctionsCursor(HostRun run, Schema schema, ResultCursor input, QuarrelFunctions rel) {
        this.run = run;
        this.schema = schema;
        this.input = input;
        this.rel = rel;
        for (QuarrelFunctions.Call call : rel.calls()) {
            functions.add(call.function() == null ? null : Kernels.rows(call.function()));
            values.add(Collections.emptyIterator());
        }
    }

    @Override
    public Schema schema() {
        return schema;
    }

    @Override
    public Batch next() {
        run.check();
        if (failure != null) {
            throw failure;
        }
        PooledMemory memory = new PooledMemory();
        List<ColumnWriter> writers = new ArrayList<>();
        int rowCount = 0;
        try {
            schema.fields().forEach(field -> writers.add(new ColumnWriter(field.type(), memory)));
            try {
                while (rowCount < BATCH_ROWS && advance()) {
                    append(writers);
                    rowCount++;
                }
            } catch (dev.quarrel.core.type.QueryException problem) {
                if (rowCount == 0) {
                    throw problem;
                }
                failure = problem;
                for (ColumnWriter writer : writers) {
                    if (writer.rowCount() > rowCount) {
                        writer.truncate(rowCount);
                    }
                }
            }
            if (rowCount == 0) {
                memory.close();
                return null;
            }
            return Batch.owning(schema, ColumnWriter.finishAll(writers), rowCount, memory::close);
        } catch (RuntimeException | Error problem) {
            memory.close();
            throw problem;
        }
    }

    /// Goes on to the next row of the result.
    private boolean advance() {
        while (rows == null || !hasValues()) {
            if (!nextInput()) {
                return false;
            }
            number = 0;
            for (int call = 0; call < values.size(); call++) {
                values.set(call, values(call));
            }
            if (rel.isOuter() && !hasValues()) {
                return true;
            }
        }
        number++;
        return true;
    }

    private boolean hasValues() {
        for (Iterator<?> each : values) {
            if (each.hasNext()) {
                return true;
            }
        }
        return false;
    }

    private boolean nextInput() {
        row++;
        while (rows == null || row == rows.rowCount()) {
            closeRows();
            rows = input.next();
            row = 0;
            if (rows == null) {
                return false;
            }
        }
        return true;
    }

    /// Whether a NULL among a function's arguments means that it gives no rows.
    private boolean isStrict(int call) {
        return rel.calls().get(call).function() != null
                && rel.calls().get(call).function().isStrict();
    }

    private Iterator<?> values(int call) {
        List<Integer> columns = rel.calls().get(call).arguments();
        Object[] arguments = new Object[columns.size()];
        for (int index = 0; index < arguments.length; index++) {
            arguments[index] = HostCells.read(rows.column(columns.get(index)), row);
            if (arguments[index] == null && isStrict(call)) {
                return Collections.emptyIterator();
            }
        }
        return functions.get(call) == null
                ? Collections.singletonList(arguments[0]).iterator()
                : functions.get(call).rows(arguments);
    }

    private void append(List<ColumnWriter> writers) {
        int column = 0;
        for (; column < rel.kept(); column++) {
            CellCopy.append(writers.get(column), rows.column(column), row);
        }
        for (Iterator<?> each : values) {
            writers.get(column++).append(each.hasNext() ? each.next() : null);
        }
        if (rel.isNumbered()) {
            writers.get(column).append(number == 0 ? null : number);
        }
    }

    private void closeRows() {
        if (rows != null) {
            Batch done = rows;
            rows = null;
            done.close();
        }
    }

    @Override
    public void close() {
        closeRows();
        input.close();
    }
}
