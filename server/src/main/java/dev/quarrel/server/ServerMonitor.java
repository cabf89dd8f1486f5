package dev.quarrel.server;

import dev.quarrel.calcite.Engine;
import dev.quarrel.server.auth.FailedLogins;
import dev.quarrel.server.catalog.ClientSession;
import dev.quarrel.server.config.ServerConfig;
import dev.quarrel.server.config.ServerSetting;
import dev.quarrel.server.console.Console;
import dev.quarrel.server.console.StatementHistory;
import dev.quarrel.server.databases.Databases;
import dev.quarrel.server.http.HttpPort;
import dev.quarrel.server.http.Readiness;
import dev.quarrel.server.metrics.ServerMetrics;
import dev.quarrel.server.session.Connection;
import dev.quarrel.server.statement.StatementListener;
import dev.quarrel.server.statement.StatementLog;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ScheduledExecutorService;
import java.util.function.Supplier;

/// What tells of a server to those who watch it: counts, health, readiness and the console by HTTP, where that is on,
/// and the log of statements that take long. It can be
/// opened before there is an engine, so that a start that takes its time can be watched, too.
///
/// Threads share it. Whoever opens it closes it, after the server.
public final class ServerMonitor implements AutoCloseable {
    private final Readiness readiness = new Readiness();
    private final ServerMetrics metrics; // null without HTTP
    private final HttpPort port; // null without HTTP
    private final StatementHistory history; // null without a console
    private final StatementListener listener;

    private ServerMonitor(ServerConfig config) throws IOException {
        List<StatementListener> listeners = new ArrayList<>();
        String where = config.text(ServerSetting.HTTP);
        boolean hasConsole = config.isOn(ServerSetting.CONSOLE);
        if (hasConsole && where.isEmpty()) {
            throw new IllegalArgumentException("console=on needs http: the console is on that port");
        }
        history = hasConsole ? new StatementHistory() : null;
        if (hasConsole) {
            listeners.add(history);
        }
        if (where.isEmpty()) {
            metrics = null;
            port = null;
        } else {
            metrics = new ServerMetrics(readiness::isReady);
            listeners.add(metrics);
            port = HttpPort.start(where, config.text(ServerSetting.HTTP_HOSTS), readiness, metrics, hasConsole);
        }
        int minMillis = config.number(ServerSetting.LOG_MIN_DURATION_STATEMENT);
        if (minMillis >= 0) {
            listeners.add(new StatementLog(minMillis, config.isOn(ServerSetting.LOG_PARAMETERS)));
        }
        listener = StatementListener.of(listeners);
    }

    /// - Errors: [IllegalArgumentException] for an address that is none, [IOException] for one that cannot be had.
    public static ServerMonitor open(ServerConfig config) throws IOException {
        return new ServerMonitor(config);
    }

    /// Where HTTP is answered; null where it is off.
    public InetSocketAddress httpAddress() {
        return port == null ? null : port.address();
    }

    /// Whether queries are taken, for `/readyz`.
    public Readiness readiness() {
        return readiness;
    }

    /// What `/metrics` answers; null where HTTP is off.
    public ServerMetrics metrics() {
        return metrics;
    }

    StatementListener listener() {
        return listener;
    }

    void watch(
            Engine engine,
            Supplier<Integer> connections,
            Supplier<List<ClientSession>> sessions,
            int limit,
            FailedLogins failedLogins) {
        if (metrics != null) {
            metrics.watch(engine);
            metrics.watch(connections, sessions, limit);
            metrics.watch(failedLogins);
        }
    }

    /// Opens the console, where there is one.
    ///
    /// @param timer ends what takes too long
    void openConsole(Connection.Shared shared, ScheduledExecutorService timer) {
        if (history != null) {
            Databases databases = shared.databases();
            port.open(new Console(shared, databases.first(), databases.names(), timer, history));
        }
    }

    @Override
    public void close() {
        if (port != null) {
            port.close();
        }
    }
}
