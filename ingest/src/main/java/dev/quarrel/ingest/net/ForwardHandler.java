package dev.quarrel.ingest.net;

import dev.quarrel.core.type.QueryException;
import dev.quarrel.ingest.intake.Intake;
import dev.quarrel.ingest.intake.Receipt;
import dev.quarrel.ingest.intake.Routes;
import dev.quarrel.ingest.msgpack.MsgpackException;
import dev.quarrel.ingest.msgpack.MsgpackSkipper;
import dev.quarrel.ingest.msgpack.MsgpackWriter;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.timeout.IdleStateEvent;
import java.io.IOException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// One connection of the forward protocol.
///
/// - Memory: the bytes of the message that is coming, which the connections have a bound for together
///   ([PartialBytes]); none is allocated for what a length claims alone.
final class ForwardHandler extends ChannelInboundHandlerAdapter {
    private static final Logger LOG = LoggerFactory.getLogger(ForwardHandler.class);
    private static final int FIRST_BYTES = 1 << 14;
    private static final int MOST_LOGIN_BYTES = 1 << 14;

    private final Intake intake;
    private final Routes routes;
    private final int mostBytes;
    private final PartialBytes partial;
    private ForwardLogin login; // null when it is done, or there is none
    private MsgpackSkipper skipper;
    private byte[] bytes = new byte[FIRST_BYTES];
    private int start;
    private int end;
    private boolean isShared; // whether a chunk has bytes of the buffer
    private boolean isDone; // it is being closed

    /// @param login of this connection, or null where senders need not know a key
    ForwardHandler(Intake intake, Routes routes, int mostBytes, PartialBytes partial, ForwardLogin login) {
        this.intake = intake;
        this.routes = routes;
        this.mostBytes = mostBytes;
        this.partial = partial;
        this.login = login;
        this.skipper = new MsgpackSkipper(login == null ? mostBytes : MOST_LOGIN_BYTES);
    }

    @Override
    public void channelActive(ChannelHandlerContext context) {
        partial.add(bytes.length);
        if (login != null) {
            var _ = context.writeAndFlush(Unpooled.wrappedBuffer(login.helo()));
        }
        context.fireChannelActive();
    }

    @Override
    public void channelInactive(ChannelHandlerContext context) {
        partial.add(-bytes.length);
        isDone = true;
        context.fireChannelInactive();
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
        ByteBuf in = (ByteBuf) message;
        try {
            if (isDone) {
                return;
            }
            int count = in.readableBytes();
            reserve(count);
            in.readBytes(bytes, end, count);
            end += count;
            readMessages(context);
        } catch (MsgpackException e) {
            LOG.warn(
                    "ingest.forward_refused peer={} error=\"{}\"",
                    context.channel().remoteAddress(),
                    e.getMessage());
            close(context);
        } finally {
            in.release();
        }
    }

    private void close(ChannelHandlerContext context) {
        isDone = true;
        start = 0;
        end = 0;
        var _ = context.close();
    }

    private void reserve(int count) {
        int held = end - start;
        if (end + count <= bytes.length) {
            return;
        }
        byte[] old = bytes;
        if (isShared || held + count > bytes.length) {
            // Twice as much as has come, at most: a length that is only claimed takes no memory.
            int size = Math.max(FIRST_BYTES, (int) Math.min(Integer.MAX_VALUE - 8L, 2L * (held + (long) count)));
            if (!partial.tryAdd(size - old.length)) {
                throw new MsgpackException("messages that are coming take all memory that they may");
            }
            bytes = new byte[size];
            isShared = false;
        }
        System.arraycopy(old, start, bytes, 0, held);
        start = 0;
        end = held;
    }

    private void readMessages(ChannelHandlerContext context) {
        while (start < end && !isDone) {
            int next = skipper.end(bytes, start, end);
            if (next < 0) {
                break;
            }
            if (login == null) {
                take(context, ForwardMessage.read(bytes, start, next, routes, mostBytes));
            } else {
                logIn(context, next);
            }
            start = next;
            skipper.begin();
        }
        if (start == end) {
            if (isShared || bytes.length > 16 * FIRST_BYTES) {
                partial.add(FIRST_BYTES - bytes.length);
                bytes = new byte[FIRST_BYTES];
                isShared = false;
            }
            start = 0;
            end = 0;
        }
        if (!intake.hasRoom() && context.channel().config().isAutoRead()) {
            context.channel().config().setAutoRead(false);
            intake.whenRoom(() -> context.executor().execute(() -> {
                if (context.channel().isActive()) {
                    context.channel().config().setAutoRead(true);
                }
            }));
        }
    }

    private void logIn(ChannelHandlerContext context, int next) {
        ForwardLogin.Answer answer = login.answer(bytes, start, next);
        var _ = context.writeAndFlush(Unpooled.wrappedBuffer(answer.pong()));
        if (answer.isRight()) {
            login = null;
            skipper = new MsgpackSkipper(mostBytes);
        } else {
            LOG.warn(
                    "ingest.forward_refused peer={} error=\"wrong shared key\"",
                    context.channel().remoteAddress());
            isDone = true;
            var _ = context.writeAndFlush(Unpooled.EMPTY_BUFFER).addListener(_ -> context.close());
        }
    }

    private void take(ChannelHandlerContext context, ForwardMessage message) {
        if (message.chunk() == null) {
            if (message.ackId() != null) {
                var _ = context.writeAndFlush(Unpooled.wrappedBuffer(ack(message.ackId())));
            }
            return;
        }
        isShared |= message.chunk().bytes() == bytes;
        intake.offer(message.chunk(), new Receipt() {
            @Override
            public void kept(long rejected) { // sending them again would not help
                if (message.ackId() != null) {
                    var _ = context.writeAndFlush(Unpooled.wrappedBuffer(ack(message.ackId())));
                }
            }

            @Override
            public void refused(QueryException reason) {
                var _ = context.close(); // the protocol has no other word for it; the sender tries again
            }
        });
    }

    /// `{"ack": id}`
    private static byte[] ack(String id) {
        MsgpackWriter out = new MsgpackWriter(64);
        out.map(1);
        out.text("ack");
        out.text(id);
        return out.toArray();
    }

    @Override
    public void userEventTriggered(ChannelHandlerContext context, Object event) {
        // A connection may be idle for long between messages, not within one, and not before it has logged in.
        if (event instanceof IdleStateEvent
                && (login != null || start < end)
                && context.channel().config().isAutoRead()) {
            LOG.info("ingest.forward_idle peer={}", context.channel().remoteAddress());
            close(context);
        }
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
        if (!(cause instanceof IOException)) {
            LOG.warn("ingest.forward_failed peer={} error={}", context.channel().remoteAddress(), cause.toString());
        }
        close(context);
    }
}
