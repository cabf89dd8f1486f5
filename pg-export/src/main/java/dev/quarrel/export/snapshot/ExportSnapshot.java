package dev.quarrel.export.snapshot;

import dev.quarrel.core.arrow.dataset.Manifest;
import dev.quarrel.core.budget.Cancellation;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;
import dev.quarrel.export.config.ExportConfig;
import dev.quarrel.export.source.PostgresSource;
import dev.quarrel.export.source.ServerError;
import java.math.BigDecimal;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.Consumer;

/// One exported snapshot of a database, and the transaction that keeps it alive.
///
/// The tables are locked (ACCESS SHARE) *before* the snapshot is taken: TRUNCATE and table rewrites do not keep to
/// snapshots, so a table emptied between the two would be exported empty.
///
/// - Memory: owns the leader's connection; `close` ends the transaction, after which no more readers can join.
/// - Errors: `QueryException` with the server's SQLSTATE.
/// - Source: PostgreSQL documentation, "Snapshot Synchronization Functions"; LOCK, "Notes".
public final class ExportSnapshot implements AutoCloseable {
    private static final String BEGIN = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY";

    private final PostgresSource target;
    private final Connection leader;
    private final List<String> settings;
    private final List<SelectedTable> selected;
    private final List<String> notices = new ArrayList<>();
    private final String lock;
    private final long lockTimeoutMillis;
    private final String id;
    private final int serverVersion;
    private final boolean checkUtf8;
    private final boolean isImported;
    private final ServerCollations collations;
    private final Manifest.Origin origin;
    private final OpenTransactions openTransactions; // null where nobody asks

    private ExportSnapshot(ExportConfig config, PostgresSource target, Connection leader, Consumer<String> waits)
            throws SQLException {
        this.target = target;
        this.settings = config.settings();
        this.leader = leader;
        long configured = Long.parseLong(
                single(leader, "SELECT setting FROM pg_catalog.pg_settings WHERE name = 'lock_timeout'"));
        this.lockTimeoutMillis = config.lockTimeout()
                .map(Duration::toMillis)
                .orElse(configured > 0 ? configured : ExportConfig.DEFAULT_LOCK_TIMEOUT.toMillis());
        prepare(statements(leader));
        this.selected = TableSelector.select(leader, config.selection(), notices::add);
        this.lock = TableSelector.lockStatement(selected);
        this.serverVersion = Integer.parseInt(single(leader, "SHOW server_version_num"));
        this.checkUtf8 = single(leader, "SHOW server_encoding").equals("SQL_ASCII");
        boolean isStandby = single(leader, "SELECT pg_is_in_recovery()").equals("t");
        String systemIdentifier = systemIdentifier(leader);
        String imported = config.snapshot().orElse(null);
        this.isImported = imported != null;
        this.openTransactions = config.rows().isIncremental() ? OpenTransactions.look(leader) : null;
        if (config.deferrable()) {
            if (isStandby) {
                throw new QueryException(
                                SqlState.FEATURE_NOT_SUPPORTED,
                                target + " is a hot standby, which has no serializable snapshots")
                        .withHint("export from the primary, or without --serializable-deferrable");
            }
            execute(leader, "BEGIN ISOLATION LEVEL SERIALIZABLE READ ONLY DEFERRABLE");
        } else {
            execute(leader, BEGIN);
        }
        if (imported != null) {
            try {
                execute(leader, importing(imported));
            } catch (SQLException failure) {
                throw ServerError.of("could not use snapshot " + imported, failure)
                        .withHint("pg_export_snapshot() gives the name, for as long as its transaction is open");
            }
        }
        int process = Integer.parseInt(single(leader, "SELECT pg_catalog.pg_backend_pid()"));
        LockWatch watch = new LockWatch(target, process, waits);
        try (watch) {
            lock(statements(leader), "");
        } catch (SQLException failure) {
            if (SqlState.LOCK_NOT_AVAILABLE.code().equals(failure.getSQLState())) {
                throw timedOut(failure, watch.last());
            }
            boolean isGone = SqlState.UNDEFINED_TABLE.code().equals(failure.getSQLState())
                    || SqlState.INVALID_SCHEMA_NAME.code().equals(failure.getSQLState());
            if (isGone && selected.stream().anyMatch(table -> !table.isNamed())) {
                // Found by a pattern a moment ago; the next look does not find it.
                throw new QueryException(
                        SqlState.LOCK_NOT_AVAILABLE, "a table was dropped while it was being locked", failure);
            }
            throw failure;
        }
        this.id = imported != null ? imported : single(leader, "SELECT pg_export_snapshot()");
        String rows = single(
                leader,
                serverVersion >= 130_000
                        ? "SELECT pg_current_snapshot()::text"
                        : "SELECT txid_current_snapshot()::text");
        // Of a snapshot that was taken elsewhere nobody can tell where the log was then.
        String lsn = imported != null
                ? null
                : single(leader, isStandby ? "SELECT pg_last_wal_replay_lsn()" : "SELECT pg_current_wal_lsn()");
        this.collations = new ServerCollations(leader, serverVersion);
        this.origin = new Manifest.Origin(
                target.toString(),
                rows,
                id,
                lsn,
                systemIdentifier,
                single(leader, "SHOW server_version"),
                collations.ofDatabase());
    }

    private QueryException timedOut(SQLException failure, String waited) {
        QueryException error = new QueryException(
                        SqlState.LOCK_NOT_AVAILABLE,
                        String.format(
                                Locale.ROOT,
                                "could not lock the tables within %s s",
                                BigDecimal.valueOf(lockTimeoutMillis, 3)
                                        .stripTrailingZeros()
                                        .toPlainString()),
                        failure)
                .withHint("--lock-timeout SECONDS waits longer, and 0 without end");
        return waited == null ? error : error.withDetail(waited);
    }

    /// Opens a connection, locks the tables, and takes the snapshot; or joins the one that `config` names,
    /// and then locks the tables, so that one emptied in between is exported empty.
    ///
    /// @param waits hears of locks that are waited for
    /// @param server the one that every connection of the export goes to
    /// @param cancellation cuts the connection off, also while it waits for a lock
    public static ExportSnapshot open(
            ExportConfig config, PostgresSource server, Consumer<String> waits, Cancellation cancellation) {
        Connection connection = server.connect();
        Runnable cutOff = () -> PostgresSource.cutOff(connection);
        cancellation.onCancel(cutOff);
        try {
            return new ExportSnapshot(config, server, connection, waits);
        } catch (SQLException failure) {
            cancellation.check();
            throw closing(connection, ServerError.of("could not take a snapshot of " + server, failure));
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

    /// What takes statements without a result.
    @FunctionalInterface
    public interface Statements {
        void execute(String sql) throws SQLException;
    }

    private static Statements statements(Connection connection) {
        return sql -> execute(connection, sql);
    }

    private void prepare(Statements connection) throws SQLException {
        // Those of the user's come first: what the export relies on is as it must be.
        for (String setting : settings) {
            int equals = setting.indexOf('=');
            connection.execute("SELECT pg_catalog.set_config("
                    + literal(setting.substring(0, equals).strip()) + ", " + literal(setting.substring(equals + 1))
                    + ", false)");
        }
        // Rows that a policy hides would be missing without a word; with this PostgreSQL says so.
        connection.execute("SET row_security = off");
        connection.execute("SET statement_timeout = 0");
        connection.execute("SET idle_in_transaction_session_timeout = 0");
        connection.execute("SET lock_timeout = " + lockTimeoutMillis);
        // Of some types PostgreSQL's text is read: the same whatever the database, the role or the client prefers.
        connection.execute("SET DateStyle = 'ISO, MDY'");
        connection.execute("SET IntervalStyle = postgres");
        connection.execute("SET TIME ZONE 'UTC'");
        connection.execute("SET bytea_output = hex");
        connection.execute("SET extra_float_digits = 3");
        // Every scan begins at the first page, wherever others are at that moment.
        connection.execute("SET synchronize_seqscans = off");
    }

    private static void execute(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    private static String literal(String text) {
        // Whatever standard_conforming_strings says.
        return "E'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'";
    }

    private static String importing(String snapshot) {
        return "SET TRANSACTION SNAPSHOT '" + snapshot.replace("'", "''") + "'";
    }

    private void lock(Statements connection, String option) throws SQLException {
        if (!lock.isEmpty()) {
            connection.execute(lock + option);
        }
    }

    /// What tells the cluster from others; null where the role may not know.
    private static String systemIdentifier(Connection connection) {
        try {
            return single(connection, "SELECT system_identifier FROM pg_control_system()");
        } catch (SQLException _) {
            return null;
        }
    }

    /// The first column of a statement's only row.
    public static String single(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(sql)) {
            rows.next();
            return rows.getString(1);
        }
    }

    /// What a statement that counts rows says.
    ///
    /// - Errors: the server's, as of `open`.
    public long count(String sql, Cancellation cancellation) {
        synchronized (leader) {
            try (Statement statement = leader.createStatement()) {
                Runnable cancel = () -> {
                    try {
                        statement.cancel();
                    } catch (SQLException _) {
                        // It has ended.
                    }
                };
                cancellation.onCancel(cancel);
                try (ResultSet rows = statement.executeQuery(sql)) {
                    rows.next();
                    return rows.getLong(1);
                } finally {
                    cancellation.forget(cancel);
                }
            } catch (SQLException failure) {
                cancellation.check();
                throw ServerError.of("could not count rows", failure);
            }
        }
    }

    /// Bytes that a table takes in the server, with its partitions; -1 for what is no table.
    public long byteSize(ExportTable table) {
        String name = "to_regclass("
                + literal(ExportTable.quoted(table.schema()) + "." + ExportTable.quoted(table.name())) + ")";
        return table.ranges().stream().noneMatch(RowRange.OfRelation.class::isInstance)
                ? -1
                : count(
                        "SELECT coalesce((SELECT sum(pg_table_size(relid)) FROM pg_partition_tree(" + name
                                + ")), pg_table_size(" + name + "), -1)",
                        new Cancellation());
    }

    /// The first column of texts that is not UTF-8 in some rows, of a database whose encoding says nothing; null where
    /// it is not found.
    public String columnNotUtf8(ExportTable table, RowRange range) {
        synchronized (leader) {
            for (ExportColumn column : table.columns()) {
                String text = "(" + column.selected() + ")::pg_catalog.text";
                String sql = "SELECT count(pg_catalog.convert_from(pg_catalog.convert_to(" + text
                        + ", 'SQL_ASCII'), 'UTF8')) FROM " + table.from(range);
                try (Statement statement = leader.createStatement()) {
                    statement.execute("SAVEPOINT quarrel");
                    statement.execute(sql);
                    statement.execute("RELEASE SAVEPOINT quarrel");
                } catch (SQLException failure) {
                    if (SqlState.CHARACTER_NOT_IN_REPERTOIRE.code().equals(failure.getSQLState())) {
                        return column.name();
                    }
                    try {
                        execute(leader, "ROLLBACK TO SAVEPOINT quarrel");
                    } catch (SQLException _) {
                        return null; // the connection is lost
                    }
                }
            }
            return null;
        }
    }

    /// The name under which other transactions join the snapshot.
    public String id() {
        return id;
    }

    /// What the rows are of.
    public Manifest.Origin origin() {
        return origin;
    }

    /// What was left out although a pattern matched it.
    public List<String> notices() {
        return List.copyOf(notices);
    }

    /// Tells the user something.
    void tell(String notice) {
        notices.add(notice);
    }

    /// What was open just before the snapshot.
    ///
    /// Of a snapshot that another session has taken nobody knows it.
    OpenTransactions openTransactions() {
        if (isImported) {
            return new OpenTransactions(
                    null, null, false, "the snapshot is another session's, and what was open before it is not known");
        }
        return openTransactions;
    }

    /// `server_version_num`.
    public int serverVersion() {
        return serverVersion;
    }

    /// Whether the server does not vouch for its texts being UTF-8.
    public boolean checkUtf8() {
        return checkUtf8;
    }

    /// Whether the tables were locked before the snapshot was taken.
    boolean isLockedBefore() {
        return !isImported;
    }

    List<SelectedTable> selected() {
        return selected;
    }

    Connection leader() {
        return leader;
    }

    ServerCollations collations() {
        return collations;
    }

    /// Begins a transaction on another connection that sees exactly this snapshot and holds the same locks.
    ///
    /// - Errors: 55P03 when somebody waits to lock a table exclusively: waiting behind them, while they wait
    ///   for the leader, would never end. The connection is in a failed transaction then.
    public void join(Statements connection) {
        try {
            prepare(connection);
            connection.execute(BEGIN);
            connection.execute(importing(id));
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
