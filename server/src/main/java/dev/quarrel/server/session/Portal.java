package dev.quarrel.server.session;

import dev.quarrel.calcite.PreparedQuery.ResultColumn;
import dev.quarrel.calcite.SqlSession;
import dev.quarrel.core.budget.Cancellation;
import dev.quarrel.core.column.Batch;
import dev.quarrel.core.ir.Literal;
import dev.quarrel.core.run.CursorRows;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;
import dev.quarrel.server.catalog.ClientSession;
import dev.quarrel.server.rows.RowEncoder;
import dev.quarrel.server.rows.TextStyle;
import java.time.Instant;
import java.util.List;

/// What Bind or DECLARE made: a statement with its parameters, and, once begun, its rows with the place where the last
/// Execute or FETCH stopped.
///
/// - Memory: owns its run; `close` frees it, at any time.
final class Portal implements AutoCloseable {
    private enum State {
        NEW,
        RUNNING,
        DONE
    }

    private final PreparedStatement statement;
    private final List<Literal> parameters;
    private final short[] formats;
    private final Cancellation cancellation;
    private final List<ResultColumn> columns;
    private final RowEncoder encoder;
    private State state = State.NEW;
    private PortalRun run;
    private Instant since; // when DECLARE made it; null for others
    private boolean isHeld;
    private boolean isPersistent;
    private boolean hasFailed;

    /// @param columns of its rows; null for a statement without
    /// @param formats one a column
    /// @param cancellation the statement's, for as long as the portal is open
    Portal(
            PreparedStatement statement,
            List<Literal> parameters,
            List<ResultColumn> columns,
            short[] formats,
            TextStyle style,
            Cancellation cancellation) {
        this.statement = statement;
        this.parameters = parameters;
        this.columns = columns;
        this.formats = formats;
        this.cancellation = cancellation;
        this.encoder = columns == null ? null : RowEncoder.of(columns, formats, style);
    }

    PreparedStatement statement() {
        return statement;
    }

    List<Literal> parameters() {
        return parameters;
    }

    /// null for a statement without rows.
    List<ResultColumn> columns() {
        return columns;
    }

    short[] formats() {
        return formats;
    }

    Cancellation cancellation() {
        return cancellation;
    }

    /// Whether nothing runs under it: it is closed at once.
    boolean isQuick(SqlSession session) {
        return statement.isQuick(session);
    }

    boolean isNew() {
        return state == State.NEW;
    }

    boolean isDone() {
        return state == State.DONE;
    }

    /// Says that DECLARE made it.
    void becomeCursor(boolean held) {
        since = Instant.now();
        isHeld = held;
    }

    boolean isCursor() {
        return since != null;
    }

    boolean isHeld() {
        return isHeld;
    }

    /// Whether the transaction it was made in has ended well: it lives as long as the session then.
    boolean isPersistent() {
        return isPersistent;
    }

    void persist() {
        isPersistent = true;
    }

    /// - Memory: owned from here on.
    void begin(PortalRun newRun) {
        run = newRun;
        state = State.RUNNING;
    }

    /// Sends rows, at most `limit`, and says how many.
    long send(Output out, long limit) {
        long sent = run.read(limit, batch -> write(batch, out));
        if (run.isDone()) {
            state = State.DONE;
        }
        return sent;
    }

    /// The next batch is made only when the client has taken the last one's bytes.
    private void write(Batch batch, Output out) {
        encoder.open(batch);
        for (int row = 0; row < batch.rowCount(); row++) {
            encoder.encode(row, out.buffer());
            if (out.isFull()) {
                out.flush();
                cancellation.check();
            }
        }
    }

    /// CommandComplete's text for the rows of one Execute.
    String commandTag(long rowCount) {
        return run.commandTag(rowCount);
    }

    /// The devices that make its rows; empty for none.
    String devices() {
        return run == null ? "" : run.devices();
    }

    ClientSession.Cursor describe(String name) {
        boolean isScrollable = run instanceof QueryRows rows && rows.rows().isScrollable();
        boolean isBinary = formats.length > 0 && formats[0] == 1;
        return new ClientSession.Cursor(name, statement.sql(), isHeld, isBinary, isScrollable, since);
    }

    /// Says that reading its rows ended in an error: it can only be closed.
    void fail() {
        hasFailed = true;
    }

    /// The rows that FETCH and MOVE read.
    ///
    /// - Errors: 55000 for a portal without any, or whose run has failed.
    CursorRows cursor(String name) {
        if (!(run instanceof QueryRows rows) || hasFailed) {
            throw new QueryException(
                    SqlState.OBJECT_NOT_IN_PREREQUISITE_STATE, "portal \"" + name + "\" cannot be run");
        }
        return rows.rows();
    }

    @Override
    public void close() {
        state = State.DONE;
        if (run != null) {
            run.close();
        }
    }
}
