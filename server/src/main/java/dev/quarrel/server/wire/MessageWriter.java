package dev.quarrel.server.wire;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;

/// Writes the frame of a message: its type byte, and the length once the body is known.
final class MessageWriter {
    private MessageWriter() {}

    /// Starts a message and returns the place of its length.
    static int begin(ByteBuf out, char type) {
        out.writeByte(type);
        return beginUntyped(out);
    }

    static int beginUntyped(ByteBuf out) {
        int lengthIndex = out.writerIndex();
        out.writeInt(0);
        return lengthIndex;
    }

    static void end(ByteBuf out, int lengthIndex) {
        out.setInt(lengthIndex, out.writerIndex() - lengthIndex);
    }

    static void empty(ByteBuf out, char type) {
        out.writeByte(type).writeInt(4);
    }

    /// A text that a NUL ends; one within it would end the text, and have its rest taken for the next field.
    static void string(ByteBuf out, String text) {
        ByteBufUtil.writeUtf8(out, text.indexOf(0) < 0 ? text : text.replace('\0', '\uFFFD'));
        out.writeByte(0);
    }

    /// A length as int32 and the bytes; -1 alone for null.
    static void sizedBytes(ByteBuf out, byte[] bytes) {
        if (bytes == null) {
            out.writeInt(-1);
        } else {
            out.writeInt(bytes.length).writeBytes(bytes);
        }
    }
}
