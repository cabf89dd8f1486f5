package dev.quarrel.server.tls;

import io.netty.channel.Channel;
import io.netty.handler.ssl.SslHandler;
import java.util.concurrent.Executor;

/// The encryption of one connection, from the handshake to the end.
///
/// - Threads: the connection's event loop.
public final class TlsLink {
    private final SslHandler handler;
    private final byte[] endPoint;

    private TlsLink(SslHandler handler, byte[] endPoint) {
        this.handler = handler;
        this.endPoint = endPoint;
    }

    /// All that comes from now on is TLS.
    ///
    /// @param executor computes what handshakes need: signatures, mostly
    static TlsLink over(Channel channel, TlsCredentials credentials, Executor executor) {
        var engine = credentials.context().newEngine(channel.alloc());
        SslHandler[] made = new SslHandler[1];
        // A task after the handshake would be that of another one: TLS 1.2 has renegotiation, which costs a client
        // little and a server much, so the connection ends instead. TLS 1.3 has no tasks then.
        made[0] = new SslHandler(engine, task -> {
            if (made[0].handshakeFuture().isDone()) {
                // past the handler, which would wait for its task
                var _ = channel.pipeline().context(made[0]).close();
            } else {
                executor.execute(task);
            }
        });
        made[0].setHandshakeTimeoutMillis(0); // the time for the whole login is limited
        channel.pipeline().addFirst("tls", made[0]);
        return new TlsLink(made[0], credentials.endPoint());
    }

    /// What SCRAM binds a login to: the server certificate's hash; empty where there is none.
    public byte[] endPoint() {
        return endPoint.clone();
    }

    /// Whether the client named our protocol in the handshake, which it must where it asked for nothing before.
    public boolean isAgreedOnPostgres() {
        return TlsCredentials.ALPN.equals(handler.applicationProtocol());
    }
}
