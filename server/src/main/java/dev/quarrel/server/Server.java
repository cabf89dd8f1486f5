package dev.quarrel.server;

import dev.quarrel.calcite.Engine;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;
import dev.quarrel.server.auth.FailedLogins;
import dev.quarrel.server.auth.UsersFile;
import dev.quarrel.server.catalog.ClientSession;
import dev.quarrel.server.config.ServerConfig;
import dev.quarrel.server.config.ServerSetting;
import dev.quarrel.server.databases.Databases;
import dev.quarrel.server.session.Admissions;
import dev.quarrel.server.session.CancelKeys;
import dev.quarrel.server.session.Connection;
import dev.quarrel.server.tls.FirstByte;
import dev.quarrel.server.tls.ServerTls;
import dev.quarrel.server.wire.FrameDecoder;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Engines behind PostgreSQL's wire protocol, each a database.
///
/// While no user is defined everybody who can reach the address may log in, so such a server listens on loopback
/// only.
///
/// - Threads: all methods may be called from any thread; `start` and `stop` once each.
/// - Memory: it borrows the engines, which must stay open until `stop` has returned.
public final class Server implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Server.class);
    private static final int IO_THREADS = 2; // they only move bytes; statements run elsewhere
    // Deeply nested SQL recurses in the planner; a stack that is too small turns it into 54001.
    private static final long SESSION_STACK_BYTES = 8L << 20;
    private static final int REFRESH_SECONDS = 2;
    private static final WriteBufferWaterMark WRITE_BUFFER = new WriteBufferWaterMark(64 * 1024, 256 * 1024);

    private final Databases databases;
    private final boolean ownsDatabases;
    private final ServerConfig config;
    private final ServerTls tls; // null where it is off
    private final ServerMonitor monitor;
    private final boolean ownsMonitor;
    private final Admissions admissions;
    private final Set<Connection> connections = ConcurrentHashMap.newKeySet();
    private final ThreadPoolExecutor sessions;
    private MultiThreadIoEventLoopGroup io;
    private Channel listening;

    private Server(
            Databases databases,
            boolean ownsDatabases,
            ServerConfig config,
            ServerTls tls,
            ServerMonitor monitor,
            boolean ownsMonitor) {
        this.databases = databases;
        this.ownsDatabases = ownsDatabases;
        this.config = config;
        this.tls = tls;
        this.monitor = monitor;
        this.ownsMonitor = ownsMonitor;
        this.admissions = new Admissions(config.number(ServerSetting.MAX_CONNECTIONS));
        AtomicInteger number = new AtomicInteger();
        // Threads of the platform, not virtual ones: planning computes, and virtual threads that compute are not
        // preempted, so one session's plan could hold up all others.
        this.sessions =
                new ThreadPoolExecutor(0, Integer.MAX_VALUE, 30, TimeUnit.SECONDS, new SynchronousQueue<>(), task -> {
                    Thread thread =
                            new Thread(null, task, "quarrel-session-" + number.incrementAndGet(), SESSION_STACK_BYTES);
                    thread.setDaemon(true);
                    return thread;
                });
    }

    /// Starts listening; when it returns, clients can connect.
    ///
    /// - Errors: [IllegalArgumentException] for settings that do not go together, [IOException] when the users file
    ///   cannot be
    ///   read or the address cannot be listened on.
    public static Server start(Engine engine, ServerConfig config) throws IOException {
        ServerMonitor monitor = ServerMonitor.open(config);
        try {
            ServerConfig complete = withUsersFromFile(config);
            Server server = start(Databases.of(engine, complete::users), true, complete, monitor, true);
            monitor.readiness().ready();
            return server;
        } catch (IOException | RuntimeException | Error problem) {
            monitor.close();
            throw problem;
        }
    }

    /// The same with a monitor that was opened before, which the caller closes, and tells when the server is ready.
    public static Server start(Databases databases, ServerConfig config, ServerMonitor monitor) throws IOException {
        return start(databases, false, config, monitor, false);
    }

    private static Server start(
            Databases databases, boolean ownsDatabases, ServerConfig config, ServerMonitor monitor, boolean ownsMonitor)
            throws IOException {
        ServerConfig complete = withUsersFromFile(config);
        InetAddress address = InetAddress.getByName(complete.text(ServerSetting.HOST));
        requireSafety(complete, address);
        Server server = new Server(databases, ownsDatabases, complete, ServerTls.open(complete), monitor, ownsMonitor);
        server.warnOfPlainText(address);
        server.listen(new InetSocketAddress(address, complete.number(ServerSetting.PORT)));
        return server;
    }

    private static void requireSafety(ServerConfig complete, InetAddress address) {
        if (complete.users().isEmpty()) {
            if (!address.isLoopbackAddress()) {
                throw new IllegalArgumentException("without users the server listens on loopback only, not on "
                        + complete.text(ServerSetting.HOST) + ": define users in a users file");
            }
            LOG.warn("server.trust no user is defined: everybody on this machine may log in, under any name, without a"
                    + " password; define users with a users file");
        }
    }

    private void warnOfPlainText(InetAddress address) {
        if (!address.isLoopbackAddress() && (tls == null || !tls.isRequired())) {
            LOG.warn(
                    "server.plain_text {}: what such clients ask and are answered can be read on the network, and nothing"
                            + " proves to them that this is the server (SCRAM keeps the passwords themselves secret); {}",
                    tls == null ? "TLS is off" : "clients may connect without TLS",
                    tls == null ? "set tls_cert and tls_key" : "set tls=required");
        }
    }

    private static ServerConfig withUsersFromFile(ServerConfig config) throws IOException {
        String file = config.text(ServerSetting.USERS_FILE);
        if (file.isEmpty() || !config.users().isEmpty()) {
            return config;
        }
        return config.withUsers(UsersFile.open(Path.of(file)));
    }

    private void listen(InetSocketAddress address) throws IOException {
        CancelKeys cancelKeys = new CancelKeys();
        Connection.Shared shared = new Connection.Shared(
                databases, config, tls, new FailedLogins(), cancelKeys, admissions, monitor.listener(), sessions);
        // Half-open connections cost little, but not nothing: a multiple of the sessions is enough for anybody.
        int connectionLimit = 2 * config.number(ServerSetting.MAX_CONNECTIONS) + 16;
        io = new MultiThreadIoEventLoopGroup(IO_THREADS, NioIoHandler.newFactory());
        try {
            listening = new ServerBootstrap()
                    .group(io)
                    .channel(NioServerSocketChannel.class)
                    .option(ChannelOption.SO_REUSEADDR, true)
                    .childOption(ChannelOption.TCP_NODELAY, true)
                    .childOption(ChannelOption.SO_KEEPALIVE, true)
                    .childOption(ChannelOption.WRITE_BUFFER_WATER_MARK, WRITE_BUFFER)
                    .childHandler(new ChannelInitializer<Channel>() {
                        @Override
                        protected void initChannel(Channel channel) {
                            if (connections.size() >= connectionLimit) {
                                var _ = channel.close();
                                return;
                            }
                            FrameDecoder decoder = new FrameDecoder(
                                    config.number(ServerSetting.MAX_MESSAGE_BYTES),
                                    ServerSetting.MAX_MESSAGE_BYTES.settingName());
                            Connection connection = new Connection(shared, decoder);
                            connections.add(connection);
                            channel.closeFuture().addListener(_ -> connections.remove(connection));
                            if (tls != null) {
                                channel.pipeline().addLast(new FirstByte(connection::startTls));
                            }
                            channel.pipeline().addLast(decoder, connection);
                        }
                    })
                    .bind(address)
                    .sync()
                    .channel();
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            shutDownThreads();
            throw new IOException("interrupted while starting to listen on " + address, interrupted);
        } catch (Exception failure) {
            // Netty throws what the socket threw, declared or not
            shutDownThreads();
            throw new IOException("cannot listen on " + address + ": " + failure.getMessage(), failure);
        }
        if (tls != null) {
            io.scheduleWithFixedDelay(tls::refresh, REFRESH_SECONDS, REFRESH_SECONDS, TimeUnit.SECONDS);
        }
        monitor.watch(
                databases.first(),
                connections::size,
                admissions::all,
                config.number(ServerSetting.MAX_CONNECTIONS),
                shared.failedLogins());
        monitor.openConsole(shared, io);
        LOG.info("server.ready address={}", address());
    }

    /// Where it listens; the port is the one taken, also for port 0.
    public InetSocketAddress address() {
        return (InetSocketAddress) listening.localAddress();
    }

    /// Where HTTP is answered; null where it is off.
    public InetSocketAddress httpAddress() {
        return monitor.httpAddress();
    }

    public int sessionCount() {
        return admissions.sessions();
    }

    /// Stops: new connections are told so (57P03), idle sessions end with 57P01, running statements get
    /// shutdown_timeout to finish, and are cancelled then.
    public void stop() {
        if (listening == null) {
            return;
        }
        monitor.readiness().waitFor("shutting down");
        LOG.info("server.stop sessions={}", admissions.sessions());
        admissions.stop();
        List<Connection> open = List.copyOf(connections);
        QueryException why =
                new QueryException(SqlState.ADMIN_SHUTDOWN, "terminating connection due to administrator command");
        open.forEach(connection -> connection.shutDown(why));
        if (!awaitClosed(open, config.seconds(ServerSetting.SHUTDOWN_TIMEOUT))) {
            LOG.warn("server.stop_cancels sessions={}", admissions.sessions());
            open.forEach(connection -> connection.cancelRunning(why));
            admissions.all().forEach(ClientSession::cancel); // those of the console
            awaitClosed(open, Duration.ofSeconds(2));
        }
        listening.close().syncUninterruptibly();
        shutDownThreads();
        listening = null;
        if (ownsDatabases) {
            databases.close();
        }
        if (ownsMonitor) {
            monitor.close();
        }
    }

    /// Waits for those that were there when the stop began; who comes later is told so and goes.
    private boolean awaitClosed(List<Connection> open, Duration patience) {
        long deadline = System.nanoTime() + patience.toNanos();
        while (open.stream().anyMatch(connections::contains) || admissions.sessions() > 0) {
            if (System.nanoTime() > deadline) {
                return false;
            }
            try {
                Thread.sleep(10);
            } catch (InterruptedException interrupted) {
                Thread.currentThread().interrupt();
                return false;
            }
        }
        return true;
    }

    private void shutDownThreads() {
        // Bounded: a thread that died of an error (a JAR that was replaced beneath it) may never say that it has ended.
        if (!io.shutdownGracefully(0, 2, TimeUnit.SECONDS).awaitUninterruptibly(5, TimeUnit.SECONDS)) {
            LOG.warn("server.stop_leaves_threads");
        }
        if (tls != null) {
            tls.close();
        }
        sessions.shutdown();
        try {
            sessions.awaitTermination(2, TimeUnit.SECONDS);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    /// The same as [#stop].
    @Override
    public void close() {
        stop();
    }
}
