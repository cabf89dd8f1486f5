package dev.quarrel.server.session;

import dev.quarrel.calcite.SqlSession;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;
import dev.quarrel.server.auth.FailedLogins;
import dev.quarrel.server.auth.Login;
import dev.quarrel.server.auth.Users;
import dev.quarrel.server.config.ServerConfig;
import dev.quarrel.server.config.ServerSetting;
import dev.quarrel.server.databases.Databases;
import dev.quarrel.server.statement.StatementListener;
import dev.quarrel.server.tls.ServerTls;
import dev.quarrel.server.tls.TlsLink;
import dev.quarrel.server.wire.BackendMessage;
import dev.quarrel.server.wire.FrameDecoder;
import dev.quarrel.server.wire.FrontendMessage;
import dev.quarrel.server.wire.ProtocolException;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.codec.DecoderException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// One client's connection, from the first byte to the last: encryption requests, startup and login on the event
/// loop, then a [Session] whose messages are handled one after another: those that are answered in microseconds
/// on the event loop, the others on the session executor.
///
/// While more than [#MAILBOX_BYTES] of messages wait, nothing more is read from the client.
///
/// - Threads: Netty calls it on its event loop; `shutDown` may come from any thread.
public final class Connection extends ChannelInboundHandlerAdapter {
    private static final Logger LOG = LoggerFactory.getLogger(Connection.class);
    private static final long MAILBOX_BYTES = 1 << 20;
    private static final int MESSAGE_OVERHEAD = 128;
    private static final long WAIT_NANOS = 200_000_000;
    private static final long SHORT_NANOS = 1_000_000;
    /// Of protocol 3: 3.2 has longer keys to cancel by; no client asks for 3.1.
    private static final int NEWEST_MINOR = 2;

    /// What all connections of a server share.
    ///
    /// @param tls null where it is off
    /// @param admissions counts the sessions and refuses the one too many
    /// @param listener is told of statements that have ended
    /// @param executor runs the statements
    public record Shared(
            Databases databases,
            ServerConfig config,
            ServerTls tls,
            FailedLogins failedLogins,
            CancelKeys cancelKeys,
            Admissions admissions,
            StatementListener listener,
            Executor executor) {}

    private final Shared shared;
    private final FrameDecoder decoder;
    private final ConcurrentLinkedQueue<Mail> mailbox = new ConcurrentLinkedQueue<>();
    private final AtomicLong mailboxBytes = new AtomicLong();
    private final AtomicLong messages = new AtomicLong();
    private final AtomicBoolean draining = new AtomicBoolean();

    /// Whoever waits for a message in the middle of a statement.
    private volatile Thread reader;

    /// Something to be done, one after another.
    ///
    /// @param message what the client asks; null for what it does not
    /// @param bytes that it takes while it waits
    private record Mail(FrontendMessage message, Runnable task, long bytes) {}

    // Event loop only, up to the login's end.
    private ChannelHandlerContext context;
    private Future<?> loginTimeout;
    private TlsLink tls; // null without encryption
    private boolean tlsUnasked; // it began by itself, without SSLRequest
    private boolean sslAsked;
    private boolean gssAsked;
    private FrontendMessage.Startup startup;
    private Login login;
    private boolean refused;
    private boolean admitted;
    private boolean answeredHere; // and not yet sent

    // Written on the event loop at login, then by mailbox tasks.
    private Output out;
    private Databases.Lease lease; // null before the login
    private Session session;
    private CancelKeys.Key cancelKey;
    private volatile Session cancellable;
    private volatile QueryException shutdown;

    /// @param decoder the handler before this one, which is told when the login is over
    public Connection(Shared shared, FrameDecoder decoder) {
        this.shared = shared;
        this.decoder = decoder;
    }

    // ---- network events

    @Override
    public void handlerAdded(ChannelHandlerContext added) {
        context = added;
    }

    @Override
    public void channelActive(ChannelHandlerContext active) {
        loginTimeout = active.executor()
                .schedule(
                        () -> active.close(),
                        shared.config().number(ServerSetting.AUTHENTICATION_TIMEOUT),
                        TimeUnit.SECONDS);
        active.fireChannelActive();
    }

    @Override
    public void channelRead(ChannelHandlerContext reading, Object received) {
        if (refused) {
            return;
        }
        FrontendMessage message = (FrontendMessage) received;
        try {
            if (login != null && login.isOver()) {
                if (!handleHere(message)) {
                    post(message);
                }
            } else {
                beforeLogin(message);
            }
        } catch (QueryException | ProtocolException failure) {
            refuse(failure);
        }
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext read) {
        if (answeredHere && draining.compareAndSet(false, true)) {
            answeredHere = false;
            run(this::afterBurst);
            leave();
        }
        read.fireChannelReadComplete();
    }

    @Override
    public void channelWritabilityChanged(ChannelHandlerContext changed) {
        if (out != null) {
            out.writabilityChanged();
        }
        changed.fireChannelWritabilityChanged();
    }

    @Override
    public void channelInactive(ChannelHandlerContext inactive) {
        cancelLoginTimeout();
        if (out != null) {
            out.channelClosed();
        }
        Session open = cancellable;
        if (open != null) {
            open.cancel(new QueryException(SqlState.CONNECTION_FAILURE, "connection to client lost"));
        }
        if (admitted) {
            post(this::closeSession);
        }
        inactive.fireChannelInactive();
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext failed, Throwable failure) {
        Throwable cause =
                failure instanceof DecoderException && failure.getCause() != null ? failure.getCause() : failure;
        if (cause instanceof IOException) {
            var _ = failed.close(); // the peer reset the connection
            return;
        }
        if (cause instanceof VirtualMachineError) {
            // Out of memory, most likely: a part of what came or went is lost, and neither side knows which.
            var _ = failed.close();
            LOG.error("connection.lost remote={}", failed.channel().remoteAddress(), cause);
            return;
        }
        if (cause instanceof ProtocolException broken && login != null && login.isOver()) {
            // What was asked before the broken bytes is still answered.
            refused = true;
            post(() -> {
                if (session != null) {
                    session.fatal(new QueryException(broken.state(), broken.getMessage()));
                }
            });
            return;
        }
        if (!(cause instanceof ProtocolException)) {
            LOG.error("connection.bug remote={}", failed.channel().remoteAddress(), cause);
        }
        refuse(cause);
    }

    // ---- before the login is over, on the event loop

    private void beforeLogin(FrontendMessage message) {
        switch (message) {
            case FrontendMessage.SslRequest _ -> {
                if (sslAsked || tls != null) {
                    throw new ProtocolException("a second SSLRequest");
                }
                sslAsked = true;
                requireNothingBehind("SSL");
                if (shared.tls() == null) {
                    send(List.of(new BackendMessage.EncryptionRefused()));
                } else {
                    send(List.of(new BackendMessage.EncryptionAccepted()));
                    tls = shared.tls().accept(context.channel());
                }
            }
            case FrontendMessage.GssEncRequest _ -> {
                if (gssAsked || tls != null) {
                    throw new ProtocolException("a second GSSENCRequest");
                }
                gssAsked = true;
                requireNothingBehind("GSSAPI encryption");
                send(List.of(new BackendMessage.EncryptionRefused()));
            }
            case FrontendMessage.CancelRequest cancel -> {
                shared.cancelKeys().cancel(cancel.processId(), cancel.key());
                refused = true;
                var _ = context.close(); // never answered
            }
            case FrontendMessage.Startup first -> startup(first);
            case FrontendMessage.AuthenticationAnswer answer -> authenticate(answer);
            case FrontendMessage.Query _,
                    FrontendMessage.Parse _,
                    FrontendMessage.Bind _,
                    FrontendMessage.Describe _,
                    FrontendMessage.Execute _,
                    FrontendMessage.Close _,
                    FrontendMessage.Flush _,
                    FrontendMessage.Sync _,
                    FrontendMessage.Terminate _,
                    FrontendMessage.FunctionCall _,
                    FrontendMessage.CopyMessage _,
                    FrontendMessage.Unusable _ ->
                throw new ProtocolException("unexpected message before the login is over");
        }
    }

    /// What comes behind such a request in plain would be taken for what was said under encryption, whoever put it
    /// there (CVE-2021-23214).
    private void requireNothingBehind(String request) {
        if (decoder.hasBytesBehind()) {
            throw new ProtocolException("received unencrypted data after " + request + " request");
        }
    }

    /// TLS begins without SSLRequest: that is asked for by the name of our protocol in the handshake.
    public void startTls() {
        tls = shared.tls().accept(context.channel());
        tlsUnasked = true;
    }

    private void requireEncryption() {
        if (tls == null && shared.tls() != null && shared.tls().isRequired()) {
            throw new QueryException(
                            SqlState.INVALID_AUTHORIZATION_SPECIFICATION,
                            "this server accepts encrypted connections only")
                    .withHint("Connect with sslmode=require, or better sslmode=verify-full.");
        }
        if (tlsUnasked && !tls.isAgreedOnPostgres()) {
            throw new ProtocolException(
                    "received direct SSL connection request without ALPN protocol negotiation extension");
        }
    }

    private void startup(FrontendMessage.Startup message) {
        if (message.major() != 3) {
            throw new ProtocolException(
                    SqlState.FEATURE_NOT_SUPPORTED,
                    "unsupported frontend protocol " + message.major() + "." + message.minor()
                            + ": server supports 3.0 to 3." + NEWEST_MINOR);
        }
        List<String> unknownOptions = message.parameters().keySet().stream()
                .filter(name -> name.startsWith("_pq_."))
                .toList();
        if (message.minor() > NEWEST_MINOR || !unknownOptions.isEmpty()) {
            send(List.of(new BackendMessage.NegotiateProtocolVersion(
                    Math.min(message.minor(), NEWEST_MINOR), unknownOptions)));
        }
        requireEncryption();
        String user = message.parameters().getOrDefault("user", "");
        if (user.isEmpty()) {
            throw new QueryException(
                    SqlState.INVALID_AUTHORIZATION_SPECIFICATION,
                    "no PostgreSQL user name specified in startup packet");
        }
        if (shared.admissions().isStopping()) {
            throw new QueryException(SqlState.CANNOT_CONNECT_NOW, "the database system is shutting down");
        }
        startup = message;
        Users users = shared.config().users();
        long wait = users.isEmpty() ? 0 : shared.failedLogins().waitMillis(address(), user);
        if (wait == 0) {
            begin(users, user);
        } else {
            var _ = context.executor()
                    .schedule(
                            () -> {
                                if (!refused && context.channel().isActive()) {
                                    begin(users, user);
                                }
                            },
                            wait,
                            TimeUnit.MILLISECONDS);
        }
    }

    private void begin(Users users, String user) {
        login = Login.begin(users, user, tls == null ? new byte[0] : tls.endPoint());
        send(List.of(login.request()));
        finishLogin();
    }

    private InetAddress address() {
        // Not a socket's in tests alone.
        return context.channel().remoteAddress() instanceof InetSocketAddress remote
                ? remote.getAddress()
                : InetAddress.getLoopbackAddress();
    }

    private void authenticate(FrontendMessage.AuthenticationAnswer answer) {
        if (login == null) {
            throw new ProtocolException("unexpected authentication response");
        }
        String user = startup.parameters().get("user");
        try {
            send(login.answer(answer.bytes()));
        } catch (QueryException failure) {
            shared.failedLogins().failed(address(), user);
            throw failure;
        }
        if (login.isOver()) {
            shared.failedLogins().succeeded(address(), user);
        }
        finishLogin();
    }

    private void finishLogin() {
        if (!login.isOver()) {
            return;
        }
        cancelLoginTimeout();
        if (!shared.admissions().admit()) {
            throw new QueryException(SqlState.TOO_MANY_CONNECTIONS, "sorry, too many clients already");
        }
        admitted = true;
        decoder.loginFinished();
        out = new Output(context.channel());
        post(this::openSession);
    }

    private void cancelLoginTimeout() {
        if (loginTimeout != null) {
            loginTimeout.cancel(false);
            loginTimeout = null;
        }
    }

    private void send(List<BackendMessage> messages) {
        ByteBuf bytes = context.alloc().heapBuffer(256);
        messages.forEach(message -> message.encode(bytes));
        var _ = context.writeAndFlush(bytes);
    }

    private void refuse(Throwable failure) {
        if (refused) {
            return;
        }
        refused = true;
        cancelLoginTimeout();
        ByteBuf bytes = context.alloc().heapBuffer(256);
        ErrorFields.fatal(failure).encode(bytes);
        var _ = context.writeAndFlush(bytes).addListener(_ -> context.close());
    }

    // ---- after it, on the session executor

    /// Answers a message on the event loop, if nothing is asked before it and it is quick: no other thread is woken.
    ///
    /// Messages are put into the mailbox on the event loop alone, so none comes while this one is handled.
    private boolean handleHere(FrontendMessage message) {
        if (!mailbox.isEmpty() || !draining.compareAndSet(false, true)) {
            return false;
        }
        boolean isQuick = session != null && shutdown == null && out.isReady() && session.isQuick(message);
        if (isQuick) {
            messages.incrementAndGet();
            answeredHere = true;
            run(() -> session.handle(message));
        }
        leave();
        return isQuick;
    }

    /// Lets others handle messages again, and those that came meanwhile be handled.
    private void leave() {
        draining.set(false);
        if (!mailbox.isEmpty() && draining.compareAndSet(false, true)) {
            shared.executor().execute(this::drain);
        }
    }

    private void post(FrontendMessage message) {
        messages.incrementAndGet();
        post(new Mail(
                message,
                () -> {
                    if (session != null) { // null once the client is gone
                        session.handle(message);
                    }
                },
                MESSAGE_OVERHEAD + size(message)));
    }

    private static long size(FrontendMessage message) {
        return switch (message) {
            case FrontendMessage.Query query -> query.sql().length() * 2L;
            case FrontendMessage.Parse parse -> parse.sql().length() * 2L + parse.parameterTypes().length * 4L;
            case FrontendMessage.Bind bind -> {
                long bytes = 0;
                for (byte[] parameter : bind.parameters()) {
                    bytes += 16 + (parameter == null ? 0 : parameter.length);
                }
                yield bytes;
            }
            case FrontendMessage.CopyData data -> data.bytes().length;
            default -> 0;
        };
    }

    private void post(Runnable task) {
        post(new Mail(null, task, 0));
    }

    private void post(Mail mail) {
        if (mailboxBytes.addAndGet(mail.bytes()) > MAILBOX_BYTES) {
            context.channel().config().setAutoRead(false);
        }
        mailbox.add(mail);
        Thread waiting = reader;
        if (waiting != null) {
            LockSupport.unpark(waiting);
        }
        if (draining.compareAndSet(false, true)) {
            shared.executor().execute(this::drain);
        }
    }

    private void handle(Mail mail) {
        try {
            run(mail.task());
        } finally {
            if (mail.bytes() > 0) {
                taken(mail.bytes());
            }
        }
    }

    /// The client's next message, in the middle of a statement that reads some: whoever drains the mailbox runs it.
    ///
    /// - Errors: what `check` raises, which is asked from time to time; 57P01 when the server ends.
    private FrontendMessage awaitMessage(Runnable check) {
        reader = Thread.currentThread();
        try {
            while (true) {
                check.run();
                if (shutdown != null) {
                    throw shutdown;
                }
                Mail mail = mailbox.peek();
                if (mail == null) {
                    LockSupport.parkNanos(this, WAIT_NANOS);
                } else if (mail.message() != null) {
                    mailbox.poll();
                    taken(mail.bytes());
                    return mail.message();
                } else {
                    // The connection has ended, as `check` says soon; or the server does.
                    LockSupport.parkNanos(this, SHORT_NANOS);
                }
            }
        } finally {
            reader = null;
        }
    }

    private void taken(long bytes) {
        long left = mailboxBytes.addAndGet(-bytes);
        if (left <= MAILBOX_BYTES / 2 && !context.channel().config().isAutoRead()) {
            context.channel().config().setAutoRead(true);
        }
    }

    private void drain() {
        do {
            for (Mail mail = mailbox.poll(); mail != null; mail = mailbox.poll()) {
                handle(mail);
            }
            run(this::afterBurst);
            draining.set(false);
        } while (!mailbox.isEmpty() && draining.compareAndSet(false, true));
    }

    private void run(Runnable task) {
        try {
            task.run();
        } catch (ClientGoneException gone) {
            var _ = context.close();
        } catch (RuntimeException | Error bug) {
            var _ = context.close(); // before the log, which may fail as well
            LOG.error("session.bug", bug);
        }
    }

    /// All that was asked has been answered: send it, and end what is to be ended.
    private void afterBurst() {
        if (session == null) {
            return;
        }
        if (shutdown != null) {
            session.fatal(shutdown);
        }
        if (session.isFinished()) {
            out.flushAndClose();
        } else {
            out.flush();
            watchIdleClient();
        }
    }

    /// idle_session_timeout and idle_in_transaction_session_timeout: any message, of whatever kind, makes `messages`
    /// move on.
    private void watchIdleClient() {
        long limit = session.idleLimitMillis();
        if (limit <= 0) {
            return;
        }
        long seen = messages.get();
        QueryException ended = session.idleTimeout();
        var _ = context.executor()
                .schedule(
                        () -> {
                            if (messages.get() == seen) {
                                shutDown(ended);
                            }
                        },
                        limit,
                        TimeUnit.MILLISECONDS);
    }

    private void openSession() {
        SqlSession sql;
        Map<String, String> settings;
        try {
            String user = startup.parameters().get("user");
            settings = StartupSettings.of(startup.parameters());
            Integer run = StartupSettings.takeSnapshot(settings);
            lease = shared.databases().lease(startup.parameters().getOrDefault("database", ""), user, run);
            sql = lease.engine().openSession(user, shared.config().users().privileges(user));
            sql.setDefaults(shared.config().sessionDefaults());
            if (run != null) {
                sql.setSnapshot(run);
            }
        } catch (QueryException refused) {
            out.write(ErrorFields.fatal(refused));
            out.flushAndClose();
            return;
        } catch (RuntimeException | Error failure) {
            out.write(ErrorFields.fatal(failure));
            out.flushAndClose();
            throw failure;
        }
        session = new Session(
                sql,
                out,
                context.channel().eventLoop(),
                shared.config().number(ServerSetting.MAX_PREPARED),
                shared.listener());
        session.readFrom(this::awaitMessage);
        cancellable = session;
        try {
            for (Map.Entry<String, String> setting : settings.entrySet()) {
                sql.set(setting.getKey(), setting.getValue());
            }
        } catch (QueryException wrong) {
            session.fatal(wrong);
            return;
        }
        session.reportSettings();
        cancelKey = shared.cancelKeys()
                .register(
                        startup.minor() >= 2 ? CancelKeys.LONG : CancelKeys.SHORT,
                        () -> session.cancel(new QueryException(
                                SqlState.QUERY_CANCELED, "canceling statement due to user request")));
        ConnectedSession connected = new ConnectedSession(
                cancelKey.processId(),
                lease.database(),
                session,
                context.channel().remoteAddress(),
                context.channel().localAddress(),
                shared.admissions().open(),
                this::shutDown);
        sql.attach(connected);
        shared.admissions().open().add(connected);
        out.write(new BackendMessage.BackendKeyData(cancelKey.processId(), cancelKey.bytes()));
        session.ready();
    }

    private void closeSession() {
        admitted = false;
        try {
            if (cancelKey != null) {
                shared.cancelKeys().remove(cancelKey);
                shared.admissions().open().remove(cancelKey.processId());
            }
            if (session != null) {
                session.close();
            }
        } finally {
            session = null;
            cancellable = null;
            if (lease != null) {
                lease.close();
            }
            out.release();
            shared.admissions().leave();
        }
    }

    // ---- from outside

    /// Ends the session: at once where it waits for its client, after the running statement where it does not,
    /// and sooner if `cancelRunning` is called.
    public void shutDown(QueryException why) {
        shutdown = why;
        context.executor().execute(() -> {
            if (out == null) {
                refuse(why);
            } else {
                post(() -> {}); // wakes a session that waits for its client
            }
        });
    }

    /// Stops the statement that runs, if one does.
    public void cancelRunning(QueryException why) {
        Session open = cancellable;
        if (open != null) {
            open.cancel(why);
        }
    }
}
