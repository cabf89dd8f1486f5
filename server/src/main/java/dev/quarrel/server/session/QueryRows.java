package dev.quarrel.server.session;

import dev.quarrel.calcite.Execution;
import dev.quarrel.core.column.Batch;
import dev.quarrel.core.run.CursorRows;
import dev.quarrel.core.run.CursorRows.Direction;
import dev.quarrel.core.spill.QuerySpill;
import java.util.function.Consumer;

/// The rows of an execution.
final class QueryRows implements PortalRun {
    private final Execution execution;
    private final CursorRows rows;
    private boolean isDone;

    /// - Memory: owns both.
    ///
    /// @param kept where rows are kept that may be read backwards; null for others
    QueryRows(Execution execution, QuerySpill kept) {
        this.execution = execution;
        this.rows = new CursorRows(execution.cursor(), kept);
    }

    CursorRows rows() {
        return rows;
    }

    @Override
    public long read(long limit, Consumer<Batch> receiver) {
        long count = rows.read(Direction.FORWARD, limit, receiver);
        isDone = count < limit;
        return count;
    }

    @Override
    public boolean isDone() {
        return isDone;
    }

    @Override
    public String devices() {
        return execution.devices();
    }

    @Override
    public String commandTag(long rowCount) {
        return execution.commandTag(rowCount);
    }

    @Override
    public void close() {
        try {
            rows.close();
        } finally {
            execution.close();
        }
    }
}
