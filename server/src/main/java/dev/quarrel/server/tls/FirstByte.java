package dev.quarrel.server.tls;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;

/// Looks at a connection's first byte: clients that begin with TLS, without asking by SSLRequest before
/// (`sslnegotiation=direct` of libpq 17), send a handshake record first. No startup packet begins like that, for its
/// length would be far too large.
///
/// - Source: PostgreSQL's `ProcessSSLStartup`.
public final class FirstByte extends ChannelInboundHandlerAdapter {
    private static final int HANDSHAKE_RECORD = 0x16;

    private final Runnable startTls;

    /// @param startTls puts the encryption into the pipeline, before this handler
    public FirstByte(Runnable startTls) {
        this.startTls = startTls;
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object received) {
        ByteBuf bytes = (ByteBuf) received;
        if (!bytes.isReadable()) {
            bytes.release();
            return;
        }
        boolean isTls = bytes.getUnsignedByte(bytes.readerIndex()) == HANDSHAKE_RECORD;
        var pipeline = context.pipeline();
        if (isTls) {
            startTls.run();
        }
        pipeline.remove(this);
        if (isTls) {
            pipeline.fireChannelRead(bytes);
        } else {
            context.fireChannelRead(bytes);
        }
    }
}
