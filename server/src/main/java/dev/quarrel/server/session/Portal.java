package dev.quarrel.server.session;

import dev.quarrel.calcite.Execution;
import dev.quarrel.calcite.SqlSession;
import dev.quarrel.core.budget.Cancellation;
import dev.quarrel.core.column.Batch;
import dev.quarrel.core.ir.Literal;
import dev.quarrel.server.rows.RowEncoder;
import dev.quarrel.server.rows.TextStyle;
import java.util.List;

/// What Bind made: a statement with its parameters, and, once begun, its rows with the place where the last Execute
/// stopped.
///
/// - Memory: owns its execution and the batch it is reading; `close` frees both, at any time.
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
    private final RowEncoder rows;
    private State state = State.NEW;
    private Execution execution;
    private Batch batch;
    private int nextRow;

    /// @param formats one a result column
    /// @param cancellation the statement's, for as long as the portal is open
    Portal(
            PreparedStatement statement,
            List<Literal> parameters,
            short[] formats,
            TextStyle style,
            Cancellation cancellation) {
        this.statement = statement;
        this.parameters = parameters;
        this.formats = formats;
        this.cancellation = cancellation;
        this.rows = statement.isEmpty() || !statement.query().returnsRows()
                ? null
                : RowEncoder.of(statement.query().columns(), formats, style);
    }

    PreparedStatement statement() {
        return statement;
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

    void begin(SqlSession session) {
        execution = session.execute(statement.query(), parameters, cancellation);
        state = State.RUNNING;
    }

    /// Sends rows, at most `limit`, and says how many.
    ///
    /// The next batch is asked for only when the client has taken the last one's bytes.
    long send(Output out, long limit) {
        if (execution.cursor() == null) {
            state = State.DONE;
            return 0;
        }
        long sent = 0;
        while (sent < limit) {
            if (batch == null || nextRow == batch.rowCount()) {
                closeBatch();
                batch = execution.cursor().next();
                if (batch == null) {
                    state = State.DONE;
                    break;
                }
                nextRow = 0;
                rows.open(batch);
            }
            while (nextRow < batch.rowCount() && sent < limit) {
                rows.encode(nextRow, out.buffer());
                nextRow++;
                sent++;
                if (out.isFull()) {
                    out.flush();
                    cancellation.check();
                }
            }
        }
        return sent;
    }

    /// CommandComplete's text for the rows of one Execute.
    String commandTag(long rowCount) {
        return execution.commandTag(rowCount);
    }

    private void closeBatch() {
        if (batch != null) {
            Batch done = batch;
            batch = null;
            done.close();
        }
    }

    @Override
    public void close() {
        state = State.DONE;
        try {
            closeBatch();
        } finally {
            if (execution != null) {
                execution.close();
            }
        }
    }
}
