package dev.quarrel.export.mysql;

import dev.quarrel.core.arrow.dataset.Manifest;
import dev.quarrel.core.budget.Cancellation;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;
import dev.quarrel.export.config.ExportConfig;
import dev.quarrel.export.snapshot.ExportSnapshot;
import dev.quarrel.export.snapshot.ExportTable;
import dev.quarrel.export.snapshot.RowRange;
import dev.quarrel.export.source.MySqlError;
import dev.quarrel.export.source.MySqlServer;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/// One state of a server's transactional tables, and the connections that see it.
///
/// MySQL cannot hand a snapshot on from one transaction to another. So the server holds all writers for the
/// moment that all connections take to begin theirs (`FLUSH TABLES WITH READ LOCK`, as mysqldump and mydumper
/// do); where that is not allowed, one connection reads everything.
///
/// - Memory: owns the connections. Being cancelled cuts them off.
/// - Source: MySQL manual, "START TRANSACTION", "FLUSH"; MariaDB, "START TRANSACTION WITH CONSISTENT
/// SNAPSHOT".
public final class MySqlSnapshot implements AutoCloseable {
    private final MySqlServer server;
    private final Cancellation cancellation;
    private final List<Connection> connections = new ArrayList<>(); // the first is the leader; guarded by itself
    private final List<String> notices = new ArrayList<>();
    private final Runnable cutOff = this::abortAll;
    private final ExportConfig config;
    private String position;
    private String version;
    private List<ExportTable> tables = List.of();
    private MySqlKeys keysBefore;
    private Map<String, MySqlCatalog.Sent> sent = Map.of(); // by the table's name for people

    private MySqlSnapshot(MySqlServer server, ExportConfig config, Cancellation cancellation) {
        this.server = server;
        this.config = config;
        this.cancellation = cancellation;
        cancellation.onCancel(cutOff);
    }

    /// Connects, takes the snapshot, and finds the tables and what the queries are.
    ///
    /// Names in the selection are as MySQL has them: letters keep their case, and backticks take a part
    /// literally, as double quotes do. There may be fewer connections than workers are asked for.
    public static MySqlSnapshot open(MySqlServer server, ExportConfig config, Cancellation cancellation) {
        MySqlSnapshot snapshot = new MySqlSnapshot(server, config, cancellation);
        try {
            snapshot.begin(config.workers());
            MySqlCatalog catalog = new MySqlCatalog(
                    snapshot.leader(), server.database(), snapshot.readerCount(), config, snapshot.keysBefore);
            snapshot.tables = catalog.tables();
            snapshot.sent = catalog.sent();
            snapshot.notices.addAll(catalog.notices());
            return snapshot;
        } catch (SQLException failure) {
            snapshot.close();
            cancellation.check();
            throw MySqlError.of("could not take a snapshot of " + server, failure);
        } catch (RuntimeException failure) {
            snapshot.close();
            cancellation.check();
            throw failure;
        }
    }

    private void begin(int workers) throws SQLException {
        for (int worker = 0; worker < workers; worker++) {
            cancellation.check();
            Connection connection = server.connect();
            synchronized (connections) {
                connections.add(connection);
            }
        }
        version = ExportSnapshot.single(leader(), "SELECT VERSION()");
        keysBefore = MySqlKeys.read(leader());
        boolean isHeld = hold();
        if (!isHeld) {
            synchronized (connections) {
                while (connections.size() > 1) {
                    connections.removeLast().close();
                }
            }
        }
        for (int reader = 0; reader < readerCount(); reader++) {
            try (Statement statement = connection(reader).createStatement()) {
                statement.execute("SET SESSION TRANSACTION ISOLATION LEVEL REPEATABLE READ");
                statement.execute("START TRANSACTION WITH CONSISTENT SNAPSHOT, READ ONLY");
            }
        }
        position = position();
        if (isHeld) {
            try (Statement statement = leader().createStatement()) {
                statement.execute("UNLOCK TABLES");
            }
        }
    }

    /// Has the server hold all writers.
    private boolean hold() throws SQLException {
        if (readerCount() == 1) {
            return false;
        }
        try (Statement statement = leader().createStatement()) {
            statement.execute("FLUSH TABLES WITH READ LOCK");
            return true;
        } catch (SQLException failure) {
            if (!MySqlError.isPrivilegeMissing(failure)) {
                throw failure;
            }
            notices.add("one connection reads everything: " + server.user()
                    + " may not hold the writers while several begin (privilege RELOAD or FLUSH_TABLES)");
            return false;
        }
    }

    /// Where the binary log stood, where the server tells: for whoever replays it from there.
    private String position() throws SQLException {
        for (String sql : List.of("SELECT @@global.gtid_current_pos", "SELECT @@global.gtid_executed")) {
            try {
                String found = ExportSnapshot.single(leader(), sql);
                if (found != null && !found.isEmpty()) {
                    return found.replace("\n", "");
                }
            } catch (SQLException failure) {
                cancellation.check(); // the other kind of server, or no privilege
            }
        }
        return null;
    }

    private Connection leader() {
        return connection(0);
    }

    private Connection connection(int reader) {
        synchronized (connections) {
            return connections.get(reader);
        }
    }

    /// Connections that may read at once.
    public int readerCount() {
        synchronized (connections) {
            return connections.size();
        }
    }

    public List<ExportTable> tables() {
        return tables;
    }

    /// What the user should know of the snapshot.
    public List<String> notices() {
        return List.copyOf(notices);
    }

    /// Whose rows these are; the snapshot's name is the position of the binary log (GTIDs), where there is one.
    public Manifest.Origin origin() {
        String name = position == null ? "without a position (no binary log)" : position;
        return new Manifest.Origin(server.toString(), name, null, null, null, version);
    }

    /// A range's rows over one of the connections, which reads nothing else meanwhile.
    ///
    /// @param reader 0 to `readerCount() - 1`
    public MySqlRows rows(int reader, ExportTable table, RowRange range) {
        MySqlCatalog.Sent wanted = sent.get(table.qualifiedName());
        String where = range.condition().isEmpty() ? "" : " WHERE " + range.condition();
        String sql =
                switch (range) {
                    case RowRange.OfRelation relation ->
                        "SELECT "
                                + wanted.columns().stream()
                                        .map(MySqlColumn::selected)
                                        .collect(Collectors.joining(", "))
                                + " FROM " + relation.from() + where;
                    // As it was written, since within another statement it would lose its order.
                    case RowRange.OfQuery query when where.isEmpty() -> query.query();
                    case RowRange.OfQuery query -> "SELECT * FROM " + MySqlQueries.derived(query.query()) + where;
                };
        try {
            return new MySqlRows(connection(reader), sql, table, wanted, config);
        } catch (SQLException failure) {
            cancellation.check();
            throw MySqlError.of("could not read " + table.qualifiedName(), failure);
        }
    }

    /// Cuts one of the connections off: who reads from it gets an error.
    public void abort(int reader) {
        abort(connection(reader));
    }

    private void abortAll() {
        List<Connection> all;
        synchronized (connections) {
            all = List.copyOf(connections);
        }
        all.forEach(MySqlSnapshot::abort);
    }

    private static void abort(Connection connection) {
        try {
            connection.abort(Runnable::run);
        } catch (SQLException _) {
            // It is cut off already.
        }
    }

    /// Ends all transactions.
    @Override
    public void close() {
        cancellation.forget(cutOff);
        QueryException first = null;
        synchronized (connections) {
            for (Connection connection : connections) {
                try {
                    connection.close();
                } catch (SQLException failure) {
                    first = new QueryException(
                            SqlState.CONNECTION_FAILURE, "could not close a connection to " + server, failure);
                }
            }
            connections.clear();
        }
        if (first != null && !cancellation.isCancelled()) {
            throw first;
        }
    }
}
