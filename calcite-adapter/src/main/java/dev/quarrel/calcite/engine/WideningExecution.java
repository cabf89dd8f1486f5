package dev.quarrel.calcite.engine;

import dev.quarrel.calcite.Execution;
import dev.quarrel.core.column.Batch;
import dev.quarrel.core.run.ResultCursor;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.Schema;
import java.util.function.Supplier;

/// A run of a query that begins anew with numerics of any number of digits, if one of 38 digits proves to be too
/// narrow before any row was handed out.
final class WideningExecution implements Execution, ResultCursor {
    private final Supplier<QueryExecution> wide;
    private QueryExecution run;
    private boolean hasBegun;
    private boolean isWide;

    /// - Errors: those of both runs' beginnings; nothing stays open then.
    ///
    /// @param wide starts the second run
    WideningExecution(Supplier<QueryExecution> narrow, Supplier<QueryExecution> wide) {
        this.wide = wide;
        try {
            run = narrow.get();
        } catch (QueryException problem) {
            widen(problem);
        }
    }

    private void widen(QueryException problem) {
        if (!problem.needsWideNumerics() || isWide) {
            throw problem;
        }
        if (hasBegun) {
            throw problem.withHint("Cast a value that is computed with to a numeric of more digits, such as"
                    + " numeric(100,20): rows had been sent when the digits proved too many.");
        }
        isWide = true;
        if (run != null) {
            run.close();
        }
        run = wide.get();
    }

    @Override
    public Batch next() {
        Batch batch;
        try {
            batch = run.cursor().next();
        } catch (QueryException problem) {
            widen(problem);
            batch = run.cursor().next();
        }
        hasBegun = true;
        return batch;
    }

    @Override
    public ResultCursor cursor() {
        return this;
    }

    @Override
    public Schema schema() {
        return run.cursor().schema();
    }

    @Override
    public String devices() {
        return run.devices();
    }

    @Override
    public String commandTag(long rowCount) {
        return run.commandTag(rowCount);
    }

    @Override
    public void close() {
        run.close();
    }
}
