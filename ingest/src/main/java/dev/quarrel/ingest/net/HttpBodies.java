package dev.quarrel.ingest.net;

import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.codec.http.HttpContent;
import io.netty.handler.codec.http.LastHttpContent;
import io.netty.util.ReferenceCountUtil;

/// Counts the bodies that are coming, of all connections together; one that would be too much ends its connection.
final class HttpBodies extends ChannelInboundHandlerAdapter {
    private final PartialBytes partial;
    private long held;

    HttpBodies(PartialBytes partial) {
        this.partial = partial;
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
        if (message instanceof HttpContent content) {
            int bytes = content.content().readableBytes();
            if (!partial.tryAdd(bytes)) {
                ReferenceCountUtil.release(message);
                var _ = context.close();
                return;
            }
            held += bytes;
        }
        context.fireChannelRead(message);
        if (message instanceof LastHttpContent) {
            letGo();
        }
    }

    @Override
    public void channelInactive(ChannelHandlerContext context) {
        letGo();
        context.fireChannelInactive();
    }

    private void letGo() {
        partial.add(-held);
        held = 0;
    }
}
