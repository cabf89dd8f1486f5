package dev.quarrel.server.session;

import dev.quarrel.calcite.ClientCommand.Fetch;
import dev.quarrel.core.budget.Cancellation;
import dev.quarrel.core.column.Batch;
import dev.quarrel.core.run.CursorRows;
import dev.quarrel.core.run.CursorRows.Direction;
import java.util.function.Consumer;

/// What a FETCH reads of a cursor, or a MOVE passes.
///
/// - Memory: the cursor stays its portal's. Cancelling the FETCH cancels the cursor's query.
final class FetchedRows implements PortalRun {
    private final Portal portal;
    private final CursorRows cursor;
    private final Fetch fetch;
    private final Cancellation own;
    private final Runnable link;
    private long left;
    private boolean isDone;

    FetchedRows(Portal portal, Fetch fetch, Cancellation own) {
        this.portal = portal;
        this.cursor = portal.cursor(fetch.cursor());
        this.fetch = fetch;
        this.own = own;
        this.left = fetch.count();
        this.link = own.passTo(portal.cancellation());
    }

    @Override
    public long read(long limit, Consumer<Batch> rows) {
        try {
            return readRows(limit, rows);
        } catch (RuntimeException | Error failure) {
            portal.fail();
            throw failure;
        }
    }

    private long readRows(long limit, Consumer<Batch> rows) {
        if (fetch.isMove()) {
            isDone = true;
            return cursor.read(fetch.direction(), fetch.count(), null);
        }
        boolean isPlain = fetch.direction() == Direction.FORWARD || fetch.direction() == Direction.BACKWARD;
        if (!isPlain || left <= 0) {
            isDone = true;
            return cursor.read(fetch.direction(), left, rows);
        }
        long wanted = Math.min(left, limit);
        long count = cursor.read(fetch.direction(), wanted, rows);
        left -= left == CursorRows.ALL ? 0 : count;
        isDone = count < wanted || left == 0;
        return count;
    }

    @Override
    public boolean isDone() {
        return isDone;
    }

    @Override
    public String commandTag(long rowCount) {
        return (fetch.isMove() ? "MOVE " : "FETCH ") + rowCount;
    }

    @Override
    public void close() {
        own.forget(link);
    }
}
