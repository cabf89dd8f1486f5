package dev.quarrel.export.snapshot;

import dev.quarrel.core.run.Cancellation;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;
import dev.quarrel.export.PostgresTarget;
import dev.quarrel.export.ServerError;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;

/// One exported snapshot of a database, and the transaction that keeps it alive.
///
/// The tables are locked (ACCESS SHARE) *before* the snapshot is taken: TRUNCATE and table rewrites do not keep to
/// snapshots, so a table emptied between the two would be exported empty.
///
/// - Memory: owns the leader's connection; `close` ends the transaction, after which no more readers can join.
/// - Errors: `QueryException` with the server's SQLSTATE.
/// - Source: PostgreSQL documentation, "Snapshot Synchronization Functions"; LOCK, "Notes".
public final class ExportSnapshot implements AutoCloseable {
    private final PostgresTarget target;
    private final Connection leader;
    private final List<String> relations;
    private final List<String> lockable = new ArrayList<>();
    private final String id;
    private final String rows;
    private final String lsn;
    private final int serverVersion;
    private final boolean checkUtf8;

    private ExportSnapshot(PostgresTarget target, Connection leader, List<String> tables) throws SQLException {
        this.target = target;
        this.leader = leader;
        prepare(leader);
        this.relations = resolve(leader, tables, lockable);
        this.serverVersion = Integer.parseInt(single(leader, "SHOW server_version_num"));
        this.checkUtf8 = single(leader, "SHOW server_encoding").equals("SQL_ASCII");
        try (Statement statement = leader.createStatement()) {
            statement.execute("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY");
        }
        lock(leader, "");
        this.id = single(leader, "SELECT pg_export_snapshot()");
        this.rows = single(
                leader,
                serverVersion >= 130_000
                        ? "SELECT pg_current_snapshot()::text"
                        : "SELECT txid_current_snapshot()::text");
        this.lsn = single(
                leader,
                "SELECT CASE WHEN pg_is_in_recovery() THEN pg_last_wal_replay_lsn() ELSE pg_current_wal_lsn() END::text");
    }

    /// Opens a connection, locks the tables, and takes the snapshot.
    ///
    /// @param tables names as SQL writes them; the search path finds those without a schema
    /// @param cancellation cuts the connection off, also while it waits for a lock
    public static ExportSnapshot open(PostgresTarget target, List<String> tables, Cancellation cancellation) {
        Connection connection = target.connect();
        Runnable cutOff = () -> {
            try {
                connection.abort(Runnable::run);
            } catch (SQLException _) {
                // It is cut off already.
            }
        };
        cancellation.onCancel(cutOff);
        try {
            return new ExportSnapshot(target, connection, tables);
        } catch (SQLException failure) {
            cancellation.check();
            throw closing(connection, ServerError.of("could not take a snapshot of " + target, failure));
        } catch (RuntimeException failure) {
            throw closing(connection, failure);
        } finally {
            cancellation.forget(cutOff);
        }
    }

    private static <E extends RuntimeException> E closing(Connection connection, E failure) {
        try {
            connection.close();
        } catch (SQLException second) {
            failure.addSuppressed(second);
        }
        return failure;
    }

    private static void prepare(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            // Rows that a policy hides would be missing without a word; with this PostgreSQL says so.
            statement.execute("SET row_security = off");
            statement.execute("SET statement_timeout = 0");
            statement.execute("SET idle_in_transaction_session_timeout = 0");
            statement.execute("SET lock_timeout = 0");
            // Of some types PostgreSQL's text is read: the same whatever the database, the role or the client prefers.
            statement.execute("SET DateStyle = 'ISO, MDY'");
            statement.execute("SET IntervalStyle = postgres");
            statement.execute("SET TIME ZONE 'UTC'");
            statement.execute("SET bytea_output = hex");
            statement.execute("SET extra_float_digits = 3");
        }
    }

    /// @param lockable gets those that LOCK takes: materialized views and foreign tables it does not
    private static List<String> resolve(Connection connection, List<String> tables, List<String> lockable)
            throws SQLException {
        List<String> relations = new ArrayList<>();
        // The server itself reads the names, so quotes, folding and the search path are as it has them.
        String sql = """
                SELECT quote_ident(n.nspname) || '.' || quote_ident(c.relname), c.relkind IN ('r', 'p', 'v')
                FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
                WHERE c.oid = to_regclass(?)""";
        try (PreparedStatement query = connection.prepareStatement(sql)) {
            for (String table : tables) {
                query.setString(1, table);
                try (ResultSet rows = query.executeQuery()) {
                    if (!rows.next()) {
                        throw new QueryException(SqlState.UNDEFINED_TABLE, "relation \"" + table + "\" does not exist");
                    }
                    String relation = rows.getString(1);
                    if (relations.contains(relation)) {
                        throw new QueryException(
                                SqlState.INVALID_PARAMETER_VALUE, "table " + relation + " is named twice");
                    }
                    relations.add(relation);
                    if (rows.getBoolean(2)) {
                        lockable.add(relation);
                    }
                }
            }
        }
        return relations;
    }

    private void lock(Connection connection, String option) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            for (String table : lockable) {
                statement.execute("LOCK TABLE " + table + " IN ACCESS SHARE MODE" + option);
            }
        }
    }

    static String single(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(sql)) {
            rows.next();
            return rows.getString(1);
        }
    }

    /// Which transactions' rows are seen, as `pg_current_snapshot()` writes it: `xmin:xmax:xip_list`.
    public String rows() {
        return rows;
    }

    /// The name under which other transactions join the snapshot.
    public String id() {
        return id;
    }

    /// The write-ahead log's position, as PostgreSQL writes it.
    public String lsn() {
        return lsn;
    }

    /// `server_version_num`.
    public int serverVersion() {
        return serverVersion;
    }

    /// Whether the server does not vouch for its texts being UTF-8.
    public boolean checkUtf8() {
        return checkUtf8;
    }

    /// The tables' quoted names, in the order they were given.
    List<String> relations() {
        return relations;
    }

    Connection leader() {
        return leader;
    }

    /// Begins a transaction on another connection that sees exactly this snapshot and holds the same locks.
    ///
    /// - Errors: 55P03 when somebody waits to lock a table exclusively: waiting behind them, while they wait
    ///   for the leader, would never end. The connection is in a failed transaction then.
    public void join(Connection connection) {
        try {
            prepare(connection);
            try (Statement statement = connection.createStatement()) {
                statement.execute("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY");
                statement.execute("SET TRANSACTION SNAPSHOT '" + id.replace("'", "''") + "'");
            }
            lock(connection, " NOWAIT");
        } catch (SQLException failure) {
            throw ServerError.of("could not join snapshot " + id, failure);
        }
    }

    @Override
    public void close() {
        try {
            leader.close();
        } catch (SQLException failure) {
            throw ServerError.of("could not close the connection to " + target, failure);
        }
    }
}
