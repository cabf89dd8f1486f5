package dev.quarrel.server.catalog;

import dev.quarrel.calcite.parse.QueryId;
import java.net.InetSocketAddress;
import java.time.Instant;
import java.util.List;

/// What a server knows of a client's session, for the functions and system tables that tell of it.
///
/// - Threads: [#activity] and [#processId] may be asked from any, all else from the session's own.
public interface ClientSession {
    /// How much of a statement's text is kept: as much as PostgreSQL does.
    int MOST_QUERY_CHARS = 1024;

    int processId();

    /// Where the client is; null for one that is not at a socket.
    InetSocketAddress clientAddress();

    /// Where it has connected to.
    InetSocketAddress serverAddress();

    /// The database that it is connected to.
    String database();

    Activity activity();

    List<Cursor> cursors();

    List<Prepared> preparedStatements();

    /// All sessions of the server, by process number.
    List<ClientSession> all();

    AdvisoryLocks locks();

    /// When the server was started.
    Instant serverStart();

    /// Stops what the session runs, as its client may ask for.
    void cancel();

    /// Ends the session.
    void terminate();

    /// - Errors: `QueryException` when the running statement was cancelled.
    void checkCancelled();

    /// What a session does.
    ///
    /// @param state as `pg_stat_activity` has it
    /// @param query the running text, or the last one
    /// @param queryId its number, or 0 where the text says it
    record Activity(
            String user,
            String application,
            Instant since,
            Instant transactionStart,
            Instant queryStart,
            Instant stateChange,
            String state,
            String query,
            long queryId) {
        @Override
        public long queryId() {
            return queryId != 0 || query.isEmpty() ? queryId : QueryId.of(query);
        }
    }

    /// An open cursor.
    record Cursor(
            String name, String statement, boolean isHeld, boolean isBinary, boolean isScrollable, Instant since) {}

    /// A prepared statement.
    ///
    /// @param parameterTypes their numbers
    /// @param resultTypes null for a statement without rows
    record Prepared(
            String name,
            String statement,
            Instant since,
            List<Integer> parameterTypes,
            List<Integer> resultTypes,
            boolean isFromSql) {}
}
