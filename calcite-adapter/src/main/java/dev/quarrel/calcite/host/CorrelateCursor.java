package dev.quarrel.calcite.host;

import dev.quarrel.calcite.rel.QuarrelCorrelate;
import dev.quarrel.core.column.Batch;
import dev.quarrel.core.column.ColumnWriter;
import dev.quarrel.core.ir.Literal;
import dev.quarrel.core.memory.PooledMemory;
import dev.quarrel.core.run.ResultCursor;
import dev.quarrel.core.type.Schema;
import java.util.ArrayList;
import java.util.List;
import org.apache.calcite.rel.core.JoinRelType;

/// A cursor that runs the right side once for each row of the left side, with that row's values; LEFT also keeps
/// left rows for which the right side yields none.
final class CorrelateCursor implements ResultCursor {
    private static final int BATCH_ROWS = 1024;

    private final HostRun run;
    private final Schema schema;
    private final PhysicalPlan.Host host;
    private final boolean isLeft;
    private final List<Literal> parameters;
    private final ResultCursor left;
    private Batch leftBatch;
    private int leftRow;

    CorrelateCursor(
            HostRun run, Schema schema, PhysicalPlan.Host host, QuarrelCorrelate rel, List<Literal> parameters) {
        this.run = run;
        this.schema = schema;
        this.host = host;
        this.isLeft = rel.getJoinType() == JoinRelType.LEFT;
        this.parameters = parameters;
        PhysicalPlan input = host.inputs().getFirst();
        this.left = run.cursor(input, parameters, HostRun.numbered(input.types()));
    }

    @Override
    public Schema schema() {
        return schema;
    }

    @Override
    public Batch next() {
        PooledMemory memory = new PooledMemory();
        try {
            List<ColumnWriter> writers = schema.fields().stream()
                    .map(field -> new ColumnWriter(field.type(), memory))
                    .toList();
            while (writers.getFirst().rowCount() < BATCH_ROWS && advance()) {
                run.scoped(() -> join(writers));
                leftRow++;
            }
            int rows = writers.getFirst().rowCount();
            if (rows == 0) {
                memory.close();
                return null;
            }
            return Batch.owning(schema, ColumnWriter.finishAll(writers), rows, memory::close);
        } catch (RuntimeException problem) {
            memory.close();
            throw problem;
        }
    }

    /// Goes on to a left row that is there.
    private boolean advance() {
        run.check();
        while (leftBatch == null || leftRow == leftBatch.rowCount()) {
            if (leftBatch != null) {
                leftBatch.close();
            }
            leftBatch = left.next();
            leftRow = 0;
            if (leftBatch == null) {
                return false;
            }
        }
        return true;
    }

    private void join(List<ColumnWriter> writers) {
        List<Literal> values = new ArrayList<>(parameters);
        for (int index = 0; index < host.outerColumns().size(); index++) {
            int number = host.outerParameters().get(index);
            Object value = HostCells.read(leftBatch.column(host.outerColumns().get(index)), leftRow);
            values.set(number - 1, new Literal(values.get(number - 1).type(), value));
        }
        PhysicalPlan right = host.inputs().get(1);
        ResultCursor rows = run.cursor(right, values, HostRun.numbered(right.types()));
        boolean any = false;
        for (Batch batch = rows.next(); batch != null; batch = rows.next()) {
            try (Batch owned = batch) {
                for (int row = 0; row < owned.rowCount(); row++) {
                    any = true;
                    append(writers, owned, row);
                }
            }
        }
        if (!any && isLeft) {
            append(writers, null, 0);
        }
    }

    private void append(List<ColumnWriter> writers, Batch right, int rightRow) {
        int leftCount = leftBatch.columns().size();
        for (int column = 0; column < writers.size(); column++) {
            Object value = column < leftCount
                    ? HostCells.read(leftBatch.column(column), leftRow)
                    : right == null ? null : HostCells.read(right.column(column - leftCount), rightRow);
            writers.get(column).append(value);
        }
    }

    @Override
    public void close() {
        if (leftBatch != null) {
            leftBatch.close();
            leftBatch = null;
        }
        left.close();
    }
}
