package dev.quarrel.server.wire;

import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;
import io.netty.buffer.ByteBuf;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharsetDecoder;
import java.nio.charset.CoderResult;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.StandardCharsets;

/// Reads the fields of one message's body; every length and count is checked against the bytes left before anything
/// is allocated.
///
/// - Memory: `body` is only read, and what is returned is copied out of it.
/// - Errors: [ProtocolException] where the body is cut short or says impossible lengths, [QueryException] 22021 for
///   bad UTF-8.
public final class MessageReader {
    private static final byte[] NO_BYTES = new byte[0];

    private final ByteBuf body;

    MessageReader(ByteBuf body) {
        this.body = body;
    }

    byte readByte() {
        require(1);
        return body.readByte();
    }

    int readInt16() {
        require(2);
        return body.readShort();
    }

    int readInt32() {
        require(4);
        return body.readInt();
    }

    int bytesLeft() {
        return body.readableBytes();
    }

    /// A count of items that take at least `bytesPerItem` each.
    int readCount(int bytesPerItem) {
        int count = readInt16() & 0xFFFF; // libpq sends up to 65,535 parameters, so the 16 bits are unsigned
        require((long) count * bytesPerItem);
        return count;
    }

    String readString() {
        int end = body.bytesBefore((byte) 0);
        if (end < 0) {
            throw new ProtocolException("invalid string in message");
        }
        ByteBuffer bytes = body.nioBuffer(body.readerIndex(), end);
        body.skipBytes(end + 1);
        return decodeUtf8(bytes);
    }

    /// A length as int32 and that many bytes, or null for length -1.
    byte[] readSizedBytes() {
        int length = readInt32();
        if (length == -1) {
            return null;
        }
        if (length < 0) {
            throw new ProtocolException("invalid length " + length + " in message");
        }
        return readBytes(length);
    }

    byte[] readBytes(int length) {
        require(length);
        if (length == 0) {
            return NO_BYTES;
        }
        byte[] bytes = new byte[length];
        body.readBytes(bytes);
        return bytes;
    }

    byte[] readRest() {
        return readBytes(bytesLeft());
    }

    void requireEnd() {
        if (body.isReadable()) {
            throw new ProtocolException("invalid message format");
        }
    }

    private void require(long bytes) {
        if (bytes > body.readableBytes()) {
            throw new ProtocolException("insufficient data left in message");
        }
    }

    /// Text from bytes that a client claims to be UTF-8.
    ///
    /// - Errors: [QueryException] 22021 naming the first bad bytes, as PostgreSQL does.
    public static String decodeUtf8(ByteBuffer bytes) {
        CharsetDecoder decoder = StandardCharsets.UTF_8
                .newDecoder()
                .onMalformedInput(CodingErrorAction.REPORT)
                .onUnmappableCharacter(CodingErrorAction.REPORT);
        CharBuffer text = CharBuffer.allocate(bytes.remaining()); // UTF-8 never has fewer bytes than UTF-16 has units
        CoderResult result = decoder.decode(bytes, text, true);
        if (result.isError()) {
            throw badUtf8(bytes);
        }
        return text.flip().toString();
    }

    private static QueryException badUtf8(ByteBuffer at) {
        int first = at.get(at.position()) & 0xFF;
        int sequence = first >= 0xF0 && first < 0xF8
                ? 4
                : first >= 0xE0 && first < 0xF0 ? 3 : first >= 0xC0 && first < 0xE0 ? 2 : 1;
        StringBuilder message = new StringBuilder("invalid byte sequence for encoding \"UTF8\":");
        for (int index = 0; index < Math.min(sequence, at.remaining()); index++) {
            message.append(String.format(" 0x%02x", at.get(at.position() + index) & 0xFF));
        }
        return new QueryException(SqlState.CHARACTER_NOT_IN_REPERTOIRE, message.toString());
    }
}
