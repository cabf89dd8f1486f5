package dev.quarrel.server.session;

import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;
import dev.quarrel.server.catalog.AdvisoryLocks;
import dev.quarrel.server.catalog.ClientSession;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.time.Instant;
import java.util.List;
import java.util.function.Consumer;

/// A session and the connection that it belongs to, as functions and system tables see it.
final class ConnectedSession implements ClientSession {
    private final int processId;
    private final String database;
    private final Session session;
    private final SocketAddress client;
    private final SocketAddress server;
    private final SessionList sessions;
    private final Consumer<QueryException> shutDown;

    /// @param shutDown ends the connection
    ConnectedSession(
            int processId,
            String database,
            Session session,
            SocketAddress client,
            SocketAddress server,
            SessionList sessions,
            Consumer<QueryException> shutDown) {
        this.processId = processId;
        this.database = database;
        this.session = session;
        this.client = client;
        this.server = server;
        this.sessions = sessions;
        this.shutDown = shutDown;
    }

    @Override
    public int processId() {
        return processId;
    }

    @Override
    public InetSocketAddress clientAddress() {
        return client instanceof InetSocketAddress address ? address : null;
    }

    @Override
    public InetSocketAddress serverAddress() {
        return server instanceof InetSocketAddress address ? address : null;
    }

    @Override
    public String database() {
        return database;
    }

    @Override
    public Activity activity() {
        return session.activity();
    }

    @Override
    public List<Cursor> cursors() {
        return session.cursors();
    }

    @Override
    public List<Prepared> preparedStatements() {
        return session.preparedStatements();
    }

    @Override
    public List<ClientSession> all() {
        return sessions.all();
    }

    @Override
    public AdvisoryLocks locks() {
        return sessions.locks();
    }

    @Override
    public Instant serverStart() {
        return sessions.start();
    }

    @Override
    public void cancel() {
        session.cancel(new QueryException(SqlState.QUERY_CANCELED, "canceling statement due to user request"));
    }

    @Override
    public void terminate() {
        QueryException why =
                new QueryException(SqlState.ADMIN_SHUTDOWN, "terminating connection due to administrator command");
        shutDown.accept(why);
        session.cancel(why);
    }

    @Override
    public void checkCancelled() {
        session.checkCancelled();
    }
}
