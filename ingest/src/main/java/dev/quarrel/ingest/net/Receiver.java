package dev.quarrel.ingest.net;

import dev.quarrel.ingest.intake.Intake;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.AdaptiveRecvByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.RecvByteBufAllocator;
import io.netty.channel.group.ChannelGroup;
import io.netty.channel.group.DefaultChannelGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.SocketChannel;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.handler.codec.http.HttpObjectAggregator;
import io.netty.handler.codec.http.HttpServerCodec;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.timeout.IdleStateHandler;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.netty.util.concurrent.GlobalEventExecutor;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import javax.net.ssl.SSLException;

/// Listens for events and hands them to an intake.
///
/// - Threads: its own, one or two.
public final class Receiver implements AutoCloseable {
    private static final int THREADS = 2;
    private static final int IDLE_SECONDS = 60;
    private static final int HTTP_IDLE_SECONDS = 300;

    private final ReceiverConfig config;
    private final Intake intake;
    private final SslContext tls; // null for none
    private final PartialBytes partial;
    private final AtomicInteger connections = new AtomicInteger();
    private final ChannelGroup channels = new DefaultChannelGroup(GlobalEventExecutor.INSTANCE);
    private final EventLoopGroup threads;
    private Channel forward;
    private Channel http;

    private Receiver(ReceiverConfig config, Intake intake, SslContext tls) {
        this.config = config;
        this.intake = intake;
        this.tls = tls;
        this.partial = new PartialBytes(4L * config.mostBytes());
        this.threads = new MultiThreadIoEventLoopGroup(
                THREADS, new DefaultThreadFactory("quarrel-ingest-net", true), NioIoHandler.newFactory());
    }

    /// Starts to listen.
    ///
    /// - Errors: [IOException] where an address cannot be had, or the certificate not be read.
    public static Receiver start(ReceiverConfig config, Intake intake) throws IOException {
        SslContext tls = null;
        if (config.certificate() != null) {
            try {
                tls = SslContextBuilder.forServer(
                                config.certificate().toFile(),
                                config.privateKey().toFile())
                        .protocols("TLSv1.3", "TLSv1.2")
                        .build();
            } catch (SSLException | IllegalArgumentException e) {
                throw new IOException(
                        "certificate " + config.certificate() + " or key " + config.privateKey() + ": "
                                + e.getMessage(),
                        e);
            }
        }
        Receiver receiver = new Receiver(config, intake, tls);
        try {
            receiver.listen();
            Receiver started = receiver;
            receiver = null;
            return started;
        } finally {
            if (receiver != null) {
                receiver.close();
            }
        }
    }

    private void listen() throws IOException {
        if (config.forward() != null) {
            forward = bind(config.forward(), this::beginForward);
        }
        if (config.http() != null) {
            http = bind(config.http(), this::beginHttp);
        }
    }

    private interface Beginning {
        void begin(SocketChannel channel);
    }

    private Channel bind(InetSocketAddress address, Beginning beginning) throws IOException {
        ServerBootstrap bootstrap = new ServerBootstrap()
                .group(threads)
                .channel(NioServerSocketChannel.class)
                .childOption(ChannelOption.TCP_NODELAY, true)
                .childOption(ChannelOption.SO_KEEPALIVE, true)
                .childOption(ChannelOption.RECVBUF_ALLOCATOR, largeReads())
                .childHandler(new ChannelInitializer<SocketChannel>() {
                    @Override
                    protected void initChannel(SocketChannel channel) {
                        if (connections.incrementAndGet() > config.mostConnections()) {
                            connections.decrementAndGet();
                            var _ = channel.close();
                            return;
                        }
                        channels.add(channel);
                        channel.closeFuture().addListener(_ -> connections.decrementAndGet());
                        if (tls != null) {
                            channel.pipeline().addLast(tls.newHandler(channel.alloc()));
                        }
                        beginning.begin(channel);
                    }
                });
        try {
            return bootstrap.bind(address).sync().channel();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException(e);
        } catch (Exception e) {
            // Netty throws the IOException of the bind without saying so.
            throw new IOException(
                    "cannot listen on " + address.getHostString() + ":" + address.getPort() + ": " + e.getMessage(), e);
        }
    }

    private static RecvByteBufAllocator largeReads() {
        return new AdaptiveRecvByteBufAllocator(2048, 1 << 14, 1 << 18);
    }

    private void beginForward(SocketChannel channel) {
        ForwardLogin login = config.sharedKey() == null ? null : new ForwardLogin(config.sharedKey(), hostName());
        channel.pipeline()
                .addLast(new IdleStateHandler(IDLE_SECONDS, 0, 0, TimeUnit.SECONDS))
                .addLast(new ForwardHandler(intake, config.routes(), config.mostBytes(), partial, login));
    }

    private static String hostName() {
        String name = System.getenv("HOSTNAME");
        return name == null || name.isEmpty() ? "quarrel" : name;
    }

    private void beginHttp(SocketChannel channel) {
        channel.pipeline()
                .addLast(new IdleStateHandler(0, 0, HTTP_IDLE_SECONDS, TimeUnit.SECONDS))
                .addLast(new HttpServerCodec())
                .addLast(new HttpBodies(partial))
                .addLast(new HttpObjectAggregator(config.mostBytes(), true))
                .addLast(new HttpEventsHandler(intake, config.sharedKey(), config.mostBytes()));
    }

    /// Where the forward protocol is received, or null.
    public InetSocketAddress forwardAddress() {
        return forward == null ? null : (InetSocketAddress) forward.localAddress();
    }

    /// Where HTTP is received, or null.
    public InetSocketAddress httpAddress() {
        return http == null ? null : (InetSocketAddress) http.localAddress();
    }

    public int connections() {
        return connections.get();
    }

    /// Listens no more and ends all connections: what is not acknowledged is sent again by who sent it.
    @Override
    public void close() {
        if (forward != null) {
            forward.close().syncUninterruptibly();
        }
        if (http != null) {
            http.close().syncUninterruptibly();
        }
        channels.close().awaitUninterruptibly(5, TimeUnit.SECONDS);
        threads.shutdownGracefully(0, 5, TimeUnit.SECONDS).awaitUninterruptibly(10, TimeUnit.SECONDS);
    }
}
