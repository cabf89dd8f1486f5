package dev.quarrel.server.catalog;

import static dev.quarrel.core.pg.PgType.BOOL;
import static dev.quarrel.core.pg.PgType.FLOAT8;
import static dev.quarrel.core.pg.PgType.INET;
import static dev.quarrel.core.pg.PgType.INT4;
import static dev.quarrel.core.pg.PgType.INT8;
import static dev.quarrel.core.pg.PgType.TEXT;
import static dev.quarrel.core.pg.PgType.TIMESTAMPTZ;

import dev.quarrel.calcite.ScalarFunction;
import dev.quarrel.calcite.SqlSession;
import dev.quarrel.core.pg.PgType;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;
import dev.quarrel.server.catalog.AdvisoryLocks.Key;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Function;

/// The functions that ask or change a client's session, and those that reach others.
///
/// What PostgreSQL declares as void is an empty text here.
final class SessionFunctions {
    private static final String VOID = "";
    private static final long LOOK_NANOS = 10_000_000;

    private final AtomicLong transactions = new AtomicLong(2);
    private final List<ScalarFunction> functions = new ArrayList<>();

    private SessionFunctions() {}

    static List<ScalarFunction> all() {
        SessionFunctions made = new SessionFunctions();
        made.addSettings();
        made.addConnection();
        made.addSleep();
        made.addSignals();
        made.addLocks();
        return List.copyOf(made.functions);
    }

    private void add(String name, List<PgType> arguments, PgType result, ScalarFunction.Body body) {
        functions.add(new ScalarFunction(name, arguments, result, true, body));
    }

    /// One that does something.
    private void addVolatile(String name, List<PgType> arguments, PgType result, ScalarFunction.Volatile body) {
        functions.add(new ScalarFunction(name, arguments, result, true, body));
    }

    /// - Errors: 0A000 where no server has made the session.
    private static ClientSession client(SqlSession session) {
        ClientSession client = session.attached(ClientSession.class);
        if (client == null) {
            throw new QueryException(SqlState.FEATURE_NOT_SUPPORTED, "this session is not a server's");
        }
        return client;
    }

    private void addSettings() {
        functions.add(new ScalarFunction("set_config", List.of(TEXT, TEXT, BOOL), TEXT, false, (ScalarFunction.Volatile)
                (session, values) -> {
                    if (values[0] == null) {
                        throw new QueryException(SqlState.NULL_VALUE_NOT_ALLOWED, "SET requires parameter name");
                    }
                    String name = (String) values[0];
                    session.set(name, values[1] == null ? null : (String) values[1], Boolean.TRUE.equals(values[2]));
                    return session.setting(name);
                }));
    }

    private void addConnection() {
        add("pg_backend_pid", List.of(), INT4, (session, _) ->
                (long) client(session).processId());
        address("inet_client", ClientSession::clientAddress);
        address("inet_server", ClientSession::serverAddress);
        add(
                "pg_postmaster_start_time",
                List.of(),
                TIMESTAMPTZ,
                (session, _) -> LiveTables.micros(client(session).serverStart()));
        add(
                "pg_conf_load_time",
                List.of(),
                TIMESTAMPTZ,
                (session, _) -> LiveTables.micros(client(session).serverStart()));
        add(
                "statement_timestamp",
                List.of(),
                TIMESTAMPTZ,
                (session, _) -> LiveTables.micros(client(session).activity().queryStart()));
        add("txid_current", List.of(), INT8, (_, _) -> transactions.incrementAndGet());
        add("txid_current_if_assigned", List.of(), INT8, (_, _) -> null);
        add("pg_blocking_pids", List.of(INT4), PgType.INT4_ARRAY, (_, _) -> "{}");
        add("pg_safe_snapshot_blocking_pids", List.of(INT4), PgType.INT4_ARRAY, (_, _) -> "{}");
    }

    private void address(String prefix, Function<ClientSession, InetSocketAddress> address) {
        add(prefix + "_addr", List.of(), INET, (session, _) -> {
            InetSocketAddress found = address.apply(client(session));
            return found == null ? null : found.getAddress().getHostAddress();
        });
        add(prefix + "_port", List.of(), INT4, (session, _) -> {
            InetSocketAddress found = address.apply(client(session));
            return found == null ? null : (long) found.getPort();
        });
    }

    private void addSleep() {
        addVolatile("pg_sleep", List.of(FLOAT8), TEXT, (session, values) -> {
            double seconds = (Double) values[0];
            ClientSession client = client(session);
            long end = System.nanoTime() + (long) Math.min(Long.MAX_VALUE / 4, Math.max(0, seconds) * 1e9);
            for (long left = end - System.nanoTime(); left > 0; left = end - System.nanoTime()) {
                client.checkCancelled();
                LockSupport.parkNanos(Math.min(left, LOOK_NANOS));
            }
            return VOID;
        });
    }

    private void addSignals() {
        addVolatile(
                "pg_cancel_backend",
                List.of(INT4),
                BOOL,
                (session, values) -> signal(session, (Long) values[0], "cancel query", ClientSession::cancel));
        addVolatile(
                "pg_terminate_backend",
                List.of(INT4),
                BOOL,
                (session, values) -> signal(session, (Long) values[0], "terminate process", ClientSession::terminate));
    }

    private interface Signal {
        void send(ClientSession to);
    }

    /// - Errors: 42501 for a session of another user.
    private static boolean signal(SqlSession session, long processId, String what, Signal signal) {
        for (ClientSession other : client(session).all()) {
            if (other.processId() == processId) {
                if (!other.activity().user().equals(session.user())) {
                    throw new QueryException(SqlState.INSUFFICIENT_PRIVILEGE, "permission denied to " + what)
                            .withDetail("Only sessions of the same user can be reached.");
                }
                signal.send(other);
                return true;
            }
        }
        return false;
    }

    private void addLocks() {
        for (String suffix : List.of("", "_shared")) {
            boolean isShared = !suffix.isEmpty();
            for (String kind : List.of("", "xact_")) {
                boolean isOfTransaction = !kind.isEmpty();
                locking("pg_advisory_" + kind + "lock" + suffix, TEXT, (session, key) -> {
                    ClientSession client = client(session);
                    client.locks().take(key, client.processId(), isShared, isOfTransaction, client::checkCancelled);
                    return VOID;
                });
                locking("pg_try_advisory_" + kind + "lock" + suffix, BOOL, (session, key) -> {
                    ClientSession client = client(session);
                    return client.locks().take(key, client.processId(), isShared, isOfTransaction, null);
                });
            }
            locking("pg_advisory_unlock" + suffix, BOOL, (session, key) -> {
                ClientSession client = client(session);
                boolean wasHeld = client.locks().release(key, client.processId(), isShared);
                if (!wasHeld) {
                    session.warn(
                            SqlState.WARNING.code(),
                            "you don't own a lock of type " + (isShared ? "ShareLock" : "ExclusiveLock"));
                }
                return wasHeld;
            });
        }
        addVolatile("pg_advisory_unlock_all", List.of(), TEXT, (session, _) -> {
            ClientSession client = client(session);
            client.locks().releaseOfSession(client.processId());
            return VOID;
        });
    }

    private interface Locking {
        Object call(SqlSession session, Key key);
    }

    /// A lock's number is one of 64 bits, or two of 32.
    private void locking(String name, PgType result, Locking body) {
        addVolatile(name, List.of(INT8), result, (session, values) -> body.call(session, Key.of((Long) values[0])));
        addVolatile(
                name,
                List.of(INT4, INT4),
                result,
                (session, values) -> body.call(session, Key.of((Long) values[0], (Long) values[1])));
    }
}
