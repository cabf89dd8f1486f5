package dev.quarrel.server.wire;

import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.ByteToMessageDecoder;
import java.util.List;

/// Cuts a client's bytes into messages, and gives each on as one [FrontendMessage].
///
/// A length is checked before a byte is kept for it, so an unauthenticated peer can cost [#SMALL_LIMIT] bytes and
/// no more:
///
/// | phase, message | length in bytes |
/// |---|---|
/// | startup packet | 8 to 10,000 |
/// | any, before the login is over | up to 10,000 |
/// | Sync, Flush, Describe, Execute, Close, Terminate | up to 10,000 |
/// | Query, Parse, Bind, FunctionCall, CopyData | up to the limit given; a longer one is skipped and reported as
///
/// - Threads: the channel's event loop alone.
/// - Errors: a [ProtocolException] is thrown once, by way of `exceptionCaught`; the bytes after it are dropped.
public final class FrameDecoder extends ByteToMessageDecoder {
    static final int SMALL_LIMIT = 10_000;
    /// PostgreSQL's own bound for any message; a length above it is no length.
    static final int HARD_LIMIT = (1 << 30) - 1;

    private enum Phase {
        STARTUP,
        LOGIN,
        READY,
        BROKEN
    }

    private final int messageLimit;
    private final String limitSetting;
    private Phase phase = Phase.STARTUP;
    private long skipBytes;

    /// @param messageLimit bytes of the largest Query, Parse or Bind
    /// @param limitSetting the name of the setting that changes it, for the message
    public FrameDecoder(int messageLimit, String limitSetting) {
        this.messageLimit = messageLimit;
        this.limitSetting = limitSetting;
    }

    /// The login is over: longer messages, and all types, are accepted from now on.
    public void loginFinished() {
        if (phase == Phase.LOGIN) {
            phase = Phase.READY;
        }
    }

    /// Whether bytes came together with the message that was given on last, behind it.
    public boolean hasBytesBehind() {
        return actualReadableBytes() > 0;
    }

    @Override
    protected void decode(ChannelHandlerContext context, ByteBuf in, List<Object> out) {
        if (phase == Phase.BROKEN) {
            in.skipBytes(in.readableBytes());
            return;
        }
        try {
            FrontendMessage message = phase == Phase.STARTUP ? decodeStartup(in) : decodeTyped(in);
            if (message != null) {
                out.add(message);
            }
        } catch (ProtocolException broken) {
            phase = Phase.BROKEN;
            in.skipBytes(in.readableBytes());
            throw broken;
        }
    }

    private FrontendMessage decodeStartup(ByteBuf in) {
        if (in.readableBytes() < 4) {
            return null;
        }
        int length = in.getInt(in.readerIndex());
        if (length < 8 || length > SMALL_LIMIT) {
            throw new ProtocolException("invalid length of startup packet");
        }
        if (in.readableBytes() < length) {
            return null;
        }
        FrontendMessage message =
                FrontendMessage.decodeStartup(in.readSlice(length).skipBytes(4));
        if (message instanceof FrontendMessage.Startup) {
            phase = Phase.LOGIN;
        }
        return message;
    }

    private FrontendMessage decodeTyped(ByteBuf in) {
        if (skipBytes > 0) {
            int skipped = (int) Math.min(skipBytes, in.readableBytes());
            in.skipBytes(skipped);
            skipBytes -= skipped;
            return null;
        }
        if (!in.isReadable()) {
            return null;
        }
        char type = (char) in.getUnsignedByte(in.readerIndex());
        int limit = limit(type); // refuses an unknown type before its length is waited for
        if (in.readableBytes() < 5) {
            return null;
        }
        int length = in.getInt(in.readerIndex() + 1);
        if (length < 4 || length > HARD_LIMIT || (length > limit && limit < messageLimit)) {
            throw new ProtocolException("invalid message length");
        }
        if (length > limit) {
            in.skipBytes(5);
            skipBytes = length - 4L;
            return new FrontendMessage.Unusable(type, tooLong(length));
        }
        if (in.readableBytes() < length + 1) {
            return null;
        }
        return FrontendMessage.decode(type, in.readSlice(length + 1).skipBytes(5));
    }

    private int limit(char type) {
        if (phase == Phase.LOGIN) {
            if (type != 'p') {
                throw new ProtocolException("expected an authentication response, got message type " + (int) type);
            }
            return SMALL_LIMIT;
        }
        return switch (type) {
            case 'Q', 'P', 'B', 'F', 'd' -> messageLimit;
            case 'S', 'H', 'D', 'E', 'C', 'X', 'c', 'f', 'p' -> Math.min(SMALL_LIMIT, messageLimit - 1);
            default -> throw new ProtocolException("invalid frontend message type " + (int) type);
        };
    }

    private QueryException tooLong(int length) {
        return new QueryException(
                        SqlState.PROTOCOL_VIOLATION,
                        "message of " + length + " bytes exceeds the limit of " + messageLimit + " bytes")
                .withHint("Raise " + limitSetting + ".");
    }
}
