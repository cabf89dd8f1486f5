package dev.quarrel.calcite.host;

import dev.quarrel.calcite.rel.QuarrelRecursion;
import dev.quarrel.core.column.Batch;
import dev.quarrel.core.ir.Literal;
import dev.quarrel.core.run.ResultCursor;
import dev.quarrel.core.type.Schema;
import java.util.List;

/// A cursor over the rows of a recursive query. A round is run when the rows of the one before are used up, so whoever
/// wants no more rows ends a recursion that has no end of its own.
final class RecursionCursor implements ResultCursor {
    private final HostRun run;
    private final Schema schema;
    private final PhysicalPlan.Host host;
    private final QuarrelRecursion recursion;
    private final List<Literal> parameters;
    private final SeenRows seen; // null where rows may come again
    private WorkingRows working;
    private int given;
    private boolean isAhead; // whether what is the same in all rounds is there

    RecursionCursor(
            HostRun run, Schema schema, PhysicalPlan.Host host, QuarrelRecursion recursion, List<Literal> parameters) {
        this.run = run;
        this.schema = schema;
        this.host = host;
        this.recursion = recursion;
        this.parameters = parameters;
        this.seen = recursion.isDistinct() ? new SeenRows(run.budget(), new RowKey(host.padded())) : null;
    }

    @Override
    public Schema schema() {
        return schema;
    }

    @Override
    public Batch next() {
        run.check();
        if (working == null) {
            round(0);
        }
        while (given == working.batchCount()) {
            working.requireWhole();
            if (working.batchCount() == 0) {
                return null;
            }
            run.check();
            if (!isAhead) {
                isAhead = true;
                run.makeAhead(host.inputs().get(1), parameters);
            }
            round(1);
        }
        return working.share(given++, schema);
    }

    /// Runs a term over the rows of the round before, which are not needed any more then.
    private void round(int term) {
        WorkingRows last = working;
        working = run.over(last, recursion.identity(), host.inputs().get(term), parameters, seen);
        given = 0;
        if (last != null) {
            last.close();
        }
    }

    @Override
    public void close() {
        if (working != null) {
            working.close();
            working = null;
        }
        if (seen != null) {
            seen.close();
        }
    }
}
