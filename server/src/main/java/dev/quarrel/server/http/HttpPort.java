package dev.quarrel.server.http;

import dev.quarrel.server.console.Console;
import dev.quarrel.server.metrics.ServerMetrics;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.group.ChannelGroup;
import io.netty.channel.group.DefaultChannelGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.handler.codec.http.HttpDecoderConfig;
import io.netty.handler.codec.http.HttpServerCodec;
import io.netty.handler.timeout.WriteTimeoutHandler;
import io.netty.util.concurrent.GlobalEventExecutor;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// A port of its own for whoever watches the server: `/metrics`, `/healthz` and `/readyz`, and the web
/// console where that is on.
///
/// It has a thread of its own and few connections, so that nobody who stalls here keeps a query waiting.
public final class HttpPort implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(HttpPort.class);
    private static final int MAX_CONNECTIONS = 64;
    private static final int MAX_LINE_BYTES = 2048;
    private static final int MAX_HEADER_BYTES = 8192;
    private static final int WRITE_TIMEOUT_SECONDS = 10;
    private static final String LOOPBACK = "127.0.0.1";

    private final MultiThreadIoEventLoopGroup io = new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());
    private final ChannelGroup connections = new DefaultChannelGroup(GlobalEventExecutor.INSTANCE);
    private final ConsoleDoor console;
    private final Channel listening;

    private HttpPort(
            InetSocketAddress address, HttpHosts hosts, Readiness readiness, ServerMetrics metrics, ConsoleDoor console)
            throws IOException {
        this.console = console;
        try {
            listening = new ServerBootstrap()
                    .group(io)
                    .channel(NioServerSocketChannel.class)
                    .option(ChannelOption.SO_REUSEADDR, true)
                    .childHandler(new ChannelInitializer<Channel>() {
                        @Override
                        protected void initChannel(Channel channel) {
                            if (connections.size() >= MAX_CONNECTIONS) {
                                var _ = channel.close();
                                return;
                            }
                            connections.add(channel);
                            channel.pipeline()
                                    .addLast(
                                            new WriteTimeoutHandler(WRITE_TIMEOUT_SECONDS),
                                            new HttpServerCodec(new HttpDecoderConfig()
                                                    .setMaxInitialLineLength(MAX_LINE_BYTES)
                                                    .setMaxHeaderSize(MAX_HEADER_BYTES)),
                                            new HttpRequests(hosts, readiness, metrics, console));
                        }
                    })
                    .bind(address)
                    .sync()
                    .channel();
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            stop();
            throw new IOException("interrupted while starting to listen on " + address, interrupted);
        } catch (Exception failure) {
            // Netty throws what the socket threw, declared or not
            stop();
            throw new IOException("cannot listen on " + address + " for HTTP: " + failure.getMessage(), failure);
        }
    }

    /// Starts listening.
    ///
    /// - Errors: [IllegalArgumentException] for what is no address, [IOException] when it cannot be listened on.
    ///
    /// @param where a port, or an address, a colon and a port; 0 takes a free one
    /// @param hosts names that requests may be for, beside localhost, with commas between them
    /// @param hasConsole whether [#open] will be called
    public static HttpPort start(
            String where, String hosts, Readiness readiness, ServerMetrics metrics, boolean hasConsole)
            throws IOException {
        InetSocketAddress address = address(where);
        HttpPort port = new HttpPort(address, new HttpHosts(hosts), readiness, metrics, new ConsoleDoor(hasConsole));
        LOG.info("http.ready address={}", port.address());
        if (!address.getAddress().isLoopbackAddress()) {
            LOG.warn(
                    "http.open address={}: everybody who reaches it can read the metrics; a firewall, or a proxy that"
                            + " asks who they are, keeps others out",
                    port.address());
        }
        return port;
    }

    private static InetSocketAddress address(String where) throws IOException {
        int colon = where.lastIndexOf(':');
        String host = colon < 0 ? LOOPBACK : where.substring(0, colon);
        try {
            int port = Integer.parseInt(where.substring(colon + 1));
            return new InetSocketAddress(InetAddress.getByName(host.isEmpty() ? LOOPBACK : host), port);
        } catch (IllegalArgumentException wrong) {
            throw new IllegalArgumentException(
                    "http is a port, or an address, a colon and a port, not \"" + where + "\"", wrong);
        }
    }

    /// Lets the console answer from now on.
    public void open(Console newConsole) {
        console.open(newConsole);
        LOG.info("console.ready path=/console address={}", address());
    }

    /// Where it listens; the port is the one taken, also for port 0.
    public InetSocketAddress address() {
        return (InetSocketAddress) listening.localAddress();
    }

    private void stop() {
        io.shutdownGracefully(0, 1, TimeUnit.SECONDS).syncUninterruptibly();
    }

    @Override
    public void close() {
        listening.close().syncUninterruptibly();
        connections.close();
        stop();
    }
}
