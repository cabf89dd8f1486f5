package dev.quarrel.server.wire;

import io.netty.buffer.ByteBuf;
import java.nio.charset.StandardCharsets;

/// Writes protocol traffic as text, one line a message, in the form of libpq's `PQtrace`.
///
/// - Source: PostgreSQL 15, `libpq-trace.c`; without timestamps, and with `suppress` as PQTRACE_REGRESS_MODE does it:
///   what differs from run to run (OIDs, cancel keys, source places) reads `NNNN` or `SSSS`.
public final class MessageTrace {
    private final StringBuilder text = new StringBuilder();
    private final boolean suppress;

    public MessageTrace(boolean suppress) {
        this.suppress = suppress;
    }

    /// Appends one message without type byte: a startup packet or one of the special requests.
    ///
    /// @param frame the whole packet; read to its end
    public void startup(ByteBuf frame) {
        text.append("F\t").append(frame.readInt()).append('\t');
        int code = frame.getInt(frame.readerIndex());
        switch (code) {
            case FrontendMessage.CANCEL_REQUEST_CODE -> {
                text.append("CancelRequest\t");
                int16(frame);
                int16(frame);
                int32(frame, suppress);
                int32(frame, suppress);
            }
            case FrontendMessage.SSL_REQUEST_CODE -> {
                text.append("SSLRequest\t");
                int16(frame);
                int16(frame);
            }
            case FrontendMessage.GSSENC_REQUEST_CODE -> {
                text.append("GSSENCRequest\t");
                int16(frame);
                int16(frame);
            }
            default -> {
                text.append("StartupMessage\t");
                int16(frame);
                int16(frame);
                while (frame.readableBytes() > 1) {
                    string(frame, false);
                    string(frame, false);
                }
            }
        }
        text.append('\n');
        frame.skipBytes(frame.readableBytes());
    }

    /// Appends one message that has a type byte.
    ///
    /// @param frame the whole message, type byte included; read to its end
    public void message(boolean toServer, ByteBuf frame) {
        char type = (char) frame.readUnsignedByte();
        text.append(toServer ? 'F' : 'B').append('\t').append(frame.readInt()).append('\t');
        if (toServer) {
            fromClient(type, frame);
        } else {
            fromServer(type, frame);
        }
        text.append('\n');
        frame.skipBytes(frame.readableBytes());
    }

    private void fromClient(char type, ByteBuf in) {
        switch (type) {
            case 'B' -> {
                text.append("Bind\t");
                string(in, false);
                string(in, false);
                int16s(in);
                values(in);
                int16s(in);
            }
            case 'C' -> named("Close\t", in);
            case 'D' -> named("Describe\t", in);
            case 'E' -> {
                text.append("Execute\t");
                string(in, false);
                int32(in, false);
            }
            case 'F' -> text.append("FunctionCall\t");
            case 'H' -> text.append("Flush");
            case 'P' -> {
                text.append("Parse\t");
                string(in, false);
                string(in, false);
                int32s(in, suppress);
            }
            case 'Q' -> {
                text.append("Query\t");
                string(in, false);
            }
            case 'S' -> text.append("Sync");
            case 'X' -> text.append("Terminate");
            case 'c' -> text.append("CopyDone");
            case 'd' -> text.append("CopyData\t");
            case 'f' -> text.append("CopyFail\t");
            // libpq has no name for it: the body is a password
            case 'p' -> text.append("Unknown message: 70");
            default -> text.append(String.format("Unknown message: %02x", (int) type));
        }
    }

    private void fromServer(char type, ByteBuf in) {
        switch (type) {
            case '1' -> text.append("ParseComplete");
            case '2' -> text.append("BindComplete");
            case '3' -> text.append("CloseComplete");
            case 'C' -> {
                text.append("CommandComplete\t");
                string(in, false);
            }
            case 'D' -> {
                text.append("DataRow\t");
                values(in);
            }
            case 'E' -> fields("ErrorResponse\t", in);
            case 'I' -> text.append("EmptyQueryResponse");
            case 'K' -> {
                text.append("BackendKeyData\t");
                int32(in, suppress);
                int32(in, suppress);
            }
            case 'N' -> fields("NoticeResponse\t", in);
            case 'R' -> {
                text.append("Authentication\t");
                int32(in, false);
            }
            case 'S' -> {
                text.append("ParameterStatus\t");
                string(in, false);
                string(in, false);
            }
            case 'T' -> {
                text.append("RowDescription\t");
                int count = int16(in);
                for (int index = 0; index < count; index++) {
                    string(in, false);
                    int32(in, suppress);
                    int16(in);
                    int32(in, suppress);
                    int16(in);
                    int32(in, false);
                    int16(in);
                }
            }
            case 'Z' -> {
                text.append("ReadyForQuery\t");
                byte1(in);
            }
            case 'n' -> text.append("NoData");
            case 's' -> text.append("PortalSuspended");
            case 't' -> {
                text.append("ParameterDescription\t");
                int32s(in, suppress);
            }
            case 'v' -> {
                text.append("NegotiateProtocolVersion\t");
                int32(in, false);
                int32(in, false);
            }
            default -> text.append(String.format("Unknown message: %02x", (int) type));
        }
    }

    private void named(String name, ByteBuf in) {
        text.append(name);
        byte1(in);
        string(in, false);
    }

    private void fields(String name, ByteBuf in) {
        text.append(name);
        while (true) {
            char letter = byte1(in);
            if (letter == 0) {
                return;
            }
            string(in, suppress && (letter == 'L' || letter == 'F' || letter == 'R'));
        }
    }

    private void values(ByteBuf in) {
        int count = int16(in);
        for (int index = 0; index < count; index++) {
            int length = int32(in, false);
            if (length >= 0) {
                bytes(in, length);
            }
        }
    }

    private void int16s(ByteBuf in) {
        int count = int16(in);
        for (int index = 0; index < count; index++) {
            int16(in);
        }
    }

    private void int32s(ByteBuf in, boolean hidden) {
        int count = int16(in);
        for (int index = 0; index < count; index++) {
            int32(in, hidden);
        }
    }

    private char byte1(ByteBuf in) {
        char value = (char) in.readUnsignedByte();
        text.append(' ');
        printable(value);
        return value;
    }

    private int int16(ByteBuf in) {
        int value = in.readShort();
        text.append(' ').append(value);
        return value;
    }

    private int int32(ByteBuf in, boolean hidden) {
        int value = in.readInt();
        if (hidden) {
            text.append(" NNNN");
        } else {
            text.append(' ').append(value);
        }
        return value;
    }

    private void string(ByteBuf in, boolean hidden) {
        int length = in.bytesBefore((byte) 0);
        String value = in.toString(in.readerIndex(), length, StandardCharsets.UTF_8);
        in.skipBytes(length + 1);
        text.append(" \"").append(hidden ? "SSSS" : value).append('"');
    }

    private void bytes(ByteBuf in, int length) {
        text.append(" '");
        for (int index = 0; index < length; index++) {
            printable((char) in.readUnsignedByte());
        }
        text.append('\'');
    }

    private void printable(char value) {
        if (value >= ' ' && value <= '~') {
            text.append(value);
        } else {
            text.append(String.format("\\x%02x", (int) value));
        }
    }

    @Override
    public String toString() {
        return text.toString();
    }
}
