package dev.quarrel.server.session;

import dev.quarrel.calcite.SqlSession;
import dev.quarrel.core.event.FlightRecording;
import dev.quarrel.core.event.StatementFinished;
import dev.quarrel.core.ir.Literal;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;
import dev.quarrel.server.catalog.ClientSession;
import dev.quarrel.server.statement.EndedStatement;
import dev.quarrel.server.statement.StatementListener;
import java.util.List;

/// Measures a session's statements for those who listen, one at a time. Where nobody does it costs a look.
final class StatementWatch {
    private final SqlSession sql;
    private final Output out;
    private final StatementListener listener;
    private boolean isRunning;
    private String text;
    private long startNanos;
    private long startBytes;
    private StatementFinished event; // null where nobody records
    private List<Literal> parameters = List.of();
    private long rows;
    private String devices = "";

    StatementWatch(SqlSession sql, Output out, StatementListener listener) {
        this.sql = sql;
        this.out = out;
        this.listener = listener;
    }

    void begin(String ofStatement) {
        boolean isRecorded = FlightRecording.hasBegun() && StatementFinished.isOn();
        isRunning = isRecorded || listener != StatementListener.NONE;
        if (isRunning) {
            text = ofStatement;
            startNanos = System.nanoTime();
            startBytes = out.writtenBytes();
            parameters = List.of();
            rows = 0;
            devices = "";
            event = isRecorded ? new StatementFinished() : null;
            if (event != null) {
                event.begin();
            }
        }
    }

    /// Says what a portal has sent.
    void ran(Portal portal, long rowCount) {
        if (isRunning) {
            parameters = portal.parameters();
            rows = rowCount;
            devices = portal.devices();
        }
    }

    /// The same of a copy.
    void copied(long rowCount, String onDevices) {
        if (isRunning) {
            rows = rowCount;
            devices = onDevices;
        }
    }

    void ended() {
        tell(false, null);
    }

    /// Says that a statement was prepared.
    void parsed() {
        tell(true, null);
    }

    /// Says that nothing is to be told.
    void forget() {
        isRunning = false;
    }

    void failed(Throwable failure) {
        tell(false, stateOf(failure));
    }

    /// What clients are told of a failure.
    static SqlState stateOf(Throwable failure) {
        return switch (failure) {
            case QueryException told -> told.state();
            case ClientGoneException _ -> SqlState.CONNECTION_FAILURE;
            default -> SqlState.INTERNAL_ERROR;
        };
    }

    private void tell(boolean isParse, SqlState error) {
        if (!isRunning) {
            return;
        }
        isRunning = false;
        ClientSession client = sql.attached(ClientSession.class);
        EndedStatement statement = new EndedStatement(
                client == null ? 0 : client.processId(),
                sql.user(),
                client == null ? "" : client.activity().application(),
                client == null ? sql.database() : client.database(),
                text,
                isParse,
                parameters,
                error,
                System.nanoTime() - startNanos,
                rows,
                out.writtenBytes() - startBytes,
                devices);
        listener.ended(statement);
        if (event != null && !isParse && event.shouldCommit()) {
            event.commit(
                    statement.kind().label(),
                    statement.queryId(),
                    statement.processId(),
                    rows,
                    statement.bytes(),
                    devices,
                    error == null ? "" : error.code());
        }
        event = null;
    }
}
