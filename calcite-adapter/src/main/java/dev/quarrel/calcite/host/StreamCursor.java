package dev.quarrel.calcite.host;

import dev.quarrel.core.column.Batch;
import dev.quarrel.core.ir.Literal;
import dev.quarrel.core.run.ResultCursor;
import dev.quarrel.core.type.Schema;
import java.util.List;

/// A cursor over what a plan makes of each batch of its input.
final class StreamCursor implements ResultCursor {
    private final HostRun run;
    private final Schema schema;
    private final PhysicalPlan work;
    private final Object identity;
    private final List<Literal> parameters;
    private final ResultCursor input;
    private WorkingRows made;
    private int given;
    private boolean isAhead;

    /// @param identity of the working table that a batch is put into
    StreamCursor(
            HostRun run,
            Schema schema,
            ResultCursor input,
            PhysicalPlan work,
            Object identity,
            List<Literal> parameters) {
        this.run = run;
        this.schema = schema;
        this.input = input;
        this.work = work;
        this.identity = identity;
        this.parameters = parameters;
    }

    @Override
    public Schema schema() {
        return schema;
    }

    @Override
    public Batch next() {
        while (made == null || given == made.batchCount()) {
            run.check();
            if (made != null) {
                made.requireWhole();
            }
            Batch batch = input.next();
            if (batch == null) {
                return null;
            }
            if (!isAhead) {
                isAhead = true;
                run.makeAhead(work, parameters);
            }
            try (WorkingRows rows = WorkingRows.holding(batch)) {
                closeMade();
                made = run.over(rows, identity, work, parameters, null);
                given = 0;
            }
        }
        return made.share(given++, schema);
    }

    private void closeMade() {
        if (made != null) {
            WorkingRows done = made;
            made = null;
            done.close();
        }
    }

    @Override
    public void close() {
        closeMade();
        input.close();
    }
}
