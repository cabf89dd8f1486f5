package dev.quarrel.server.session;

import dev.quarrel.calcite.Engine;
import dev.quarrel.calcite.Execution;
import dev.quarrel.calcite.Notice;
import dev.quarrel.calcite.ParsedStatement;
import dev.quarrel.calcite.PreparedQuery;
import dev.quarrel.calcite.PreparedQuery.ResultColumn;
import dev.quarrel.calcite.SqlSession;
import dev.quarrel.calcite.TablePrivileges;
import dev.quarrel.core.budget.Cancellation;
import dev.quarrel.core.column.Batch;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;
import dev.quarrel.server.catalog.AdvisoryLocks;
import dev.quarrel.server.catalog.ClientSession;
import dev.quarrel.server.databases.Databases;
import dev.quarrel.server.rows.RowEncoder;
import dev.quarrel.server.statement.EndedStatement;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/// A session that a part of this server opens for a user, for one statement, without the wire between: it counts
/// against max_connections, has the user's privileges, is seen in `pg_stat_activity` and can be cancelled from there.
///
/// - Threads: one at a time runs statements; [#cancel] and [#activity] may come from any.
/// - Memory: its statement's rows are bounded by what the caller says.
public final class DirectSession implements ClientSession, AutoCloseable {
    private final Connection.Shared shared;
    private final Client client;
    private final Cancellation cancellation;
    private final ScheduledExecutorService timer;
    private final ActivityLog log;
    private final CancelKeys.Key key;
    private final List<Notice> notices = new ArrayList<>();
    private Databases.Lease lease;
    private SqlSession sql;

    /// Who asks.
    ///
    /// @param database empty for the first one
    /// @param at where the user is
    /// @param to where they have connected to
    public record Client(
            String user, String database, String application, InetSocketAddress at, InetSocketAddress to) {}

    private DirectSession(
            Connection.Shared shared, Client client, ScheduledExecutorService timer, Cancellation cancellation) {
        this.shared = shared;
        this.client = client;
        this.timer = timer;
        this.cancellation = cancellation;
        this.log = new ActivityLog(client.user());
        log.application(client.application());
        this.key = shared.cancelKeys().register(CancelKeys.LONG, this::cancel);
    }

    /// Opens a session.
    ///
    /// - Errors: `QueryException` 57P03 while the server stops, 53300 for one too many, 3D000 for a database
    ///   that is not there.
    ///
    /// @param timer ends what takes too long
    /// @param cancellation ends what it runs
    public static DirectSession open(
            Connection.Shared shared, Client client, ScheduledExecutorService timer, Cancellation cancellation) {
        if (shared.admissions().isStopping()) {
            throw new QueryException(SqlState.CANNOT_CONNECT_NOW, "the database system is shutting down");
        }
        if (!shared.admissions().admit()) {
            throw new QueryException(SqlState.TOO_MANY_CONNECTIONS, "sorry, too many clients already");
        }
        DirectSession session = new DirectSession(shared, client, timer, cancellation);
        try {
            session.begin();
            return session;
        } catch (RuntimeException | Error failure) {
            session.close();
            throw failure;
        }
    }

    private void begin() {
        lease = shared.databases().lease(client.database(), client.user(), null);
        sql = lease.engine().openSession(client.user(), shared.config().users().privileges(client.user()));
        sql.setDefaults(shared.config().sessionDefaults());
        sql.set("application_name", client.application());
        sql.set("default_transaction_read_only", "on"); // whatever the server's clients may do
        sql.onNotice(notice -> {
            if (notices.size() < 100) {
                notices.add(notice);
            }
        });
        sql.attach(this);
        shared.admissions().open().add(this);
    }

    /// Runs a text of one statement.
    ///
    /// - Errors: `QueryException` as for any client; 42601 for more than one statement, 0A000 for those
    ///   about what is kept from one statement to the next, and for COPY.
    public DirectRows run(String text, DirectRows.Bounds bounds) {
        long start = System.nanoTime();
        long most = limitMillis(bounds.millis());
        Future<?> timeout = timer.schedule(
                () -> cancellation.cancel(
                        new QueryException(SqlState.QUERY_CANCELED, "canceling statement due to statement timeout")),
                most,
                TimeUnit.MILLISECONDS);
        log.running(text);
        Taken taken = new Taken(bounds);
        SqlState error = null;
        try {
            sql.set("statement_timeout", most + "ms");
            return run(text, taken, start);
        } catch (RuntimeException | Error failure) {
            error = StatementWatch.stateOf(failure);
            throw failure;
        } finally {
            timeout.cancel(false);
            log.idle(SqlSession.TransactionState.IDLE);
            shared.listener()
                    .ended(new EndedStatement(
                            processId(),
                            client.user(),
                            client.application(),
                            database(),
                            text,
                            false,
                            List.of(),
                            error,
                            System.nanoTime() - start,
                            taken.rows.size(),
                            taken.bytes,
                            taken.devices));
        }
    }

    /// The engine of the session's database.
    public Engine engine() {
        return lease.engine();
    }

    /// Which tables the user may read.
    public TablePrivileges privileges() {
        return sql.privileges();
    }

    private long limitMillis(long most) {
        long own = Durations.millis(sql.setting("statement_timeout"));
        return own > 0 ? Math.min(own, most) : most;
    }

    private DirectRows run(String text, Taken taken, long start) {
        List<ParsedStatement> parsed = sql.parse(text, cancellation).stream()
                .filter(statement -> !statement.isEmpty())
                .toList();
        if (parsed.isEmpty()) {
            return new DirectRows(List.of(), List.of(), false, "", "", System.nanoTime() - start, List.of());
        }
        if (parsed.size() > 1) {
            throw new QueryException(SqlState.SYNTAX_ERROR, "one statement at a time is run here")
                    .withPosition(text.codePointCount(0, parsed.get(1).startOffset()) + 1);
        }
        ParsedStatement statement = parsed.getFirst();
        if (statement.command() != null) {
            throw notHere("a statement about cursors or prepared statements");
        }
        PreparedQuery query = sql.prepare(statement, List.of(), cancellation);
        if (!query.parameterTypes().isEmpty()) {
            throw statement.noParameters();
        }
        if (query.copy() != null) {
            throw notHere("COPY");
        }
        cancellation.check();
        try (Execution execution = sql.execute(query, List.of(), cancellation)) {
            if (execution.cursor() != null) {
                taken.read(
                        execution,
                        RowEncoder.of(query.columns(), new short[query.columns().size()], TextStyles.of(sql)));
            }
            taken.devices = execution.devices();
            return new DirectRows(
                    query.returnsRows() ? query.columns() : List.<ResultColumn>of(),
                    taken.rows,
                    taken.isCut,
                    execution.commandTag(taken.rows.size()),
                    taken.devices,
                    System.nanoTime() - start,
                    List.copyOf(notices));
        }
    }

    private static QueryException notHere(String what) {
        return new QueryException(SqlState.FEATURE_NOT_SUPPORTED, "not supported here: " + what)
                .withHint("Each statement runs in a session of its own; use psql, or another client.");
    }

    /// The rows that are answered.
    private final class Taken {
        private final DirectRows.Bounds bounds;
        private final List<String[]> rows = new ArrayList<>();
        private long bytes;
        private boolean isCut;
        private String devices = "";

        Taken(DirectRows.Bounds bounds) {
            this.bounds = bounds;
        }

        void read(Execution execution, RowEncoder encoder) {
            for (Batch batch = execution.cursor().next();
                    batch != null;
                    batch = execution.cursor().next()) {
                try (Batch open = batch) {
                    for (int row = 0; row < open.rowCount(); row++) {
                        if (rows.size() == bounds.rows() || bytes > bounds.bytes()) {
                            isCut = true;
                            return;
                        }
                        rows.add(texts(encoder.values(open, row)));
                    }
                }
                cancellation.check();
            }
        }

        private String[] texts(byte[][] values) {
            String[] texts = new String[values.length];
            for (int index = 0; index < values.length; index++) {
                if (values[index] != null) {
                    // A character has four bytes at most.
                    int most = (int) Math.min(values[index].length, 4L * bounds.chars());
                    String text = new String(values[index], 0, most, StandardCharsets.UTF_8);
                    boolean isLong = most < values[index].length || text.length() > bounds.chars();
                    texts[index] = isLong ? text.substring(0, Math.min(text.length(), bounds.chars())) + "…" : text;
                    isCut |= isLong;
                    bytes += most;
                }
            }
            return texts;
        }
    }

    // ---- as functions and system tables see it

    @Override
    public int processId() {
        return key.processId();
    }

    @Override
    public InetSocketAddress clientAddress() {
        return client.at();
    }

    @Override
    public InetSocketAddress serverAddress() {
        return client.to();
    }

    @Override
    public String database() {
        return lease == null ? "" : lease.database();
    }

    @Override
    public Activity activity() {
        return log.activity();
    }

    @Override
    public List<Cursor> cursors() {
        return List.of();
    }

    @Override
    public List<Prepared> preparedStatements() {
        return List.of();
    }

    @Override
    public List<ClientSession> all() {
        return shared.admissions().all();
    }

    @Override
    public AdvisoryLocks locks() {
        return shared.admissions().open().locks();
    }

    @Override
    public Instant serverStart() {
        return shared.admissions().open().start();
    }

    @Override
    public void cancel() {
        cancellation.cancel();
    }

    @Override
    public void terminate() {
        cancellation.cancel(
                new QueryException(SqlState.ADMIN_SHUTDOWN, "terminating connection due to administrator command"));
    }

    @Override
    public void checkCancelled() {
        cancellation.check();
    }

    @Override
    public void close() {
        try {
            shared.cancelKeys().remove(key);
            shared.admissions().open().remove(processId());
            if (sql != null) {
                sql.close();
            }
        } finally {
            if (lease != null) {
                lease.close();
            }
            shared.admissions().leave();
        }
    }
}
