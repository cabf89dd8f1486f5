package dev.quarrel.export.snapshot;

import dev.quarrel.core.type.QueryException;
import dev.quarrel.export.source.PostgresSource;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/// Says what a connection waits for when it waits longer than a moment for a lock: which table, and who is before it.
///
/// A connection of its own asks, which is opened only then. What cannot be asked is not said: a role may see no more of
/// another's session than its process, and a server may have no connection left.
///
/// - Source: PostgreSQL documentation, `pg_blocking_pids`, `pg_locks`.
final class LockWatch implements AutoCloseable {
    private static final int PAUSE_MILLIS = 1000;
    private static final String BLOCKERS = """
            SELECT l.relation::regclass::text, b.pid, a.usename, a.application_name, a.state,
                   left(regexp_replace(a.query, '\\s+', ' ', 'g'), 200)
            FROM pg_locks l
            CROSS JOIN LATERAL unnest(pg_blocking_pids(l.pid)) AS b(pid)
            LEFT JOIN pg_stat_activity a ON a.pid = b.pid
            WHERE l.pid = ? AND NOT l.granted
            ORDER BY b.pid LIMIT 1""";

    private final PostgresSource server;
    private final int process;
    private final Consumer<String> notices;
    private final CountDownLatch over = new CountDownLatch(1);
    private volatile String last;

    /// @param process the connection's process at the server
    LockWatch(PostgresSource server, int process, Consumer<String> notices) {
        this.server = server;
        this.process = process;
        this.notices = notices;
        Thread.ofPlatform().name("export-locks").daemon(true).start(this::watch);
    }

    /// What was said last, or null.
    String last() {
        return last;
    }

    private void watch() {
        try {
            if (over.await(PAUSE_MILLIS, TimeUnit.MILLISECONDS)) {
                return;
            }
            try (Connection connection = server.connect();
                    PreparedStatement blockers = connection.prepareStatement(BLOCKERS)) {
                blockers.setInt(1, process);
                do {
                    look(blockers);
                } while (!over.await(PAUSE_MILLIS, TimeUnit.MILLISECONDS));
            }
        } catch (SQLException | QueryException _) {
            // The wait goes on without a word.
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
        }
    }

    private void look(PreparedStatement blockers) throws SQLException {
        try (ResultSet rows = blockers.executeQuery()) {
            if (!rows.next()) {
                return;
            }
            StringBuilder text = new StringBuilder("waiting for a lock");
            if (rows.getString(1) != null) {
                text.append(" on ").append(rows.getString(1));
            }
            text.append(": before it is process ").append(rows.getInt(2));
            if (rows.getString(3) != null) {
                text.append(" of ").append(rows.getString(3));
            }
            String program = rows.getString(4);
            String state = rows.getString(5);
            if (program != null && !program.isEmpty()) {
                text.append(", ").append(program);
            }
            if (state != null) {
                text.append(", ").append(state);
            }
            if (rows.getString(6) != null) {
                text.append(": ").append(rows.getString(6));
            }
            String said = text.toString();
            if (!Objects.equals(said, last) && over.getCount() > 0) {
                last = said;
                notices.accept(said);
            }
        }
    }

    @Override
    public void close() {
        over.countDown();
    }
}
