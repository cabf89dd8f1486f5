package dev.quarrel.server.wire;

import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;
import io.netty.buffer.ByteBuf;
import java.util.LinkedHashMap;
import java.util.Map;

/// The messages that a client sends: one record per message, with `decode` and `encode` side by side.
///
/// - Memory: a record copies what it keeps, so the network buffer can go as soon as `decode` returns.
/// - Source: PostgreSQL documentation, "Frontend/Backend Protocol", section "Message Formats".
public sealed interface FrontendMessage {
    /// Writes the whole message, frame included.
    void encode(ByteBuf out);

    /// The codes that stand where a StartupMessage has its protocol version.
    int CANCEL_REQUEST_CODE = 80877102;

    int SSL_REQUEST_CODE = 80877103;
    int GSSENC_REQUEST_CODE = 80877104;

    /// The first packet of a session.
    ///
    /// @param parameters user, database, options and run-time settings, in the order sent
    record Startup(int major, int minor, Map<String, String> parameters) implements FrontendMessage {
        static Startup decode(int version, MessageReader in) {
            Map<String, String> parameters = new LinkedHashMap<>();
            while (true) {
                if (in.bytesLeft() == 0) {
                    throw new ProtocolException("invalid startup packet layout: expected terminator as last byte");
                }
                String name = in.readString();
                if (name.isEmpty()) {
                    break;
                }
                parameters.put(name, in.readString());
            }
            if (in.bytesLeft() != 0) {
                throw new ProtocolException("invalid startup packet layout: expected terminator as last byte");
            }
            return new Startup(version >>> 16, version & 0xFFFF, parameters);
        }

        @Override
        public void encode(ByteBuf out) {
            int length = MessageWriter.beginUntyped(out);
            out.writeShort(major).writeShort(minor);
            parameters.forEach((name, value) -> {
                MessageWriter.string(out, name);
                MessageWriter.string(out, value);
            });
            out.writeByte(0);
            MessageWriter.end(out, length);
        }
    }

    record SslRequest() implements FrontendMessage {
        @Override
        public void encode(ByteBuf out) {
            out.writeInt(8).writeInt(SSL_REQUEST_CODE);
        }
    }

    record GssEncRequest() implements FrontendMessage {
        @Override
        public void encode(ByteBuf out) {
            out.writeInt(8).writeInt(GSSENC_REQUEST_CODE);
        }
    }

    /// Asks, on a connection of its own, to stop a session's statement.
    ///
    /// @param key 4 bytes in protocol 3.0
    record CancelRequest(int processId, byte[] key) implements FrontendMessage {
        static CancelRequest decode(MessageReader in) {
            int processId = in.readInt32();
            if (in.bytesLeft() < 4 || in.bytesLeft() > 256) {
                throw new ProtocolException("invalid length of cancel request packet");
            }
            return new CancelRequest(processId, in.readRest());
        }

        @Override
        public void encode(ByteBuf out) {
            out.writeInt(12 + key.length)
                    .writeInt(CANCEL_REQUEST_CODE)
                    .writeInt(processId)
                    .writeBytes(key);
        }
    }

    /// An answer to an authentication request, whose form only the authentication under way knows.
    record AuthenticationAnswer(byte[] bytes) implements FrontendMessage {
        static AuthenticationAnswer decode(MessageReader in) {
            return new AuthenticationAnswer(in.readRest());
        }

        @Override
        public void encode(ByteBuf out) {
            int length = MessageWriter.begin(out, 'p');
            out.writeBytes(bytes);
            MessageWriter.end(out, length);
        }
    }

    record Query(String sql) implements FrontendMessage {
        static Query decode(MessageReader in) {
            return new Query(in.readString());
        }

        @Override
        public void encode(ByteBuf out) {
            int length = MessageWriter.begin(out, 'Q');
            MessageWriter.string(out, sql);
            MessageWriter.end(out, length);
        }
    }

    /// Prepares a statement.
    ///
    /// @param name empty for the unnamed statement
    /// @param parameterTypes OIDs; 0, or none at the end, leaves a type to the server
    record Parse(String name, String sql, int[] parameterTypes) implements FrontendMessage {
        static Parse decode(MessageReader in) {
            String name = in.readString();
            String sql = in.readString();
            int[] types = new int[in.readCount(4)];
            for (int index = 0; index < types.length; index++) {
                types[index] = in.readInt32();
            }
            return new Parse(name, sql, types);
        }

        @Override
        public void encode(ByteBuf out) {
            int length = MessageWriter.begin(out, 'P');
            MessageWriter.string(out, name);
            MessageWriter.string(out, sql);
            out.writeShort(parameterTypes.length);
            for (int type : parameterTypes) {
                out.writeInt(type);
            }
            MessageWriter.end(out, length);
        }
    }

    /// Makes a portal of a statement and its parameters.
    ///
    /// @param parameterFormats none = all text, one = for all, else one each
    /// @param parameters null for NULL
    /// @param resultFormats as `parameterFormats`
    record Bind(String portal, String statement, short[] parameterFormats, byte[][] parameters, short[] resultFormats)
            implements FrontendMessage {
        static Bind decode(MessageReader in) {
            String portal = in.readString();
            String statement = in.readString();
            short[] parameterFormats = decodeFormats(in);
            byte[][] parameters = new byte[in.readCount(4)][];
            for (int index = 0; index < parameters.length; index++) {
                parameters[index] = in.readSizedBytes();
            }
            if (parameterFormats.length > 1 && parameterFormats.length != parameters.length) {
                throw new QueryException(
                        SqlState.PROTOCOL_VIOLATION,
                        "bind message has " + parameterFormats.length + " parameter formats but " + parameters.length
                                + " parameters");
            }
            return new Bind(portal, statement, parameterFormats, parameters, decodeFormats(in));
        }

        private static short[] decodeFormats(MessageReader in) {
            short[] formats = new short[in.readCount(2)];
            for (int index = 0; index < formats.length; index++) {
                formats[index] = (short) in.readInt16();
                if (formats[index] != 0 && formats[index] != 1) {
                    throw new QueryException(
                            SqlState.INVALID_PARAMETER_VALUE, "unsupported format code: " + formats[index]);
                }
            }
            return formats;
        }

        @Override
        public void encode(ByteBuf out) {
            int length = MessageWriter.begin(out, 'B');
            MessageWriter.string(out, portal);
            MessageWriter.string(out, statement);
            encodeFormats(out, parameterFormats);
            out.writeShort(parameters.length);
            for (byte[] parameter : parameters) {
                MessageWriter.sizedBytes(out, parameter);
            }
            encodeFormats(out, resultFormats);
            MessageWriter.end(out, length);
        }

        private static void encodeFormats(ByteBuf out, short[] formats) {
            out.writeShort(formats.length);
            for (short format : formats) {
                out.writeShort(format);
            }
        }
    }

    record Describe(Target target, String name) implements FrontendMessage {
        static Describe decode(MessageReader in) {
            return new Describe(Target.of(in.readByte()), in.readString());
        }

        @Override
        public void encode(ByteBuf out) {
            int length = MessageWriter.begin(out, 'D');
            out.writeByte(target.code());
            MessageWriter.string(out, name);
            MessageWriter.end(out, length);
        }
    }

    /// Runs a portal, or runs it on.
    ///
    /// @param maxRows 0 or less for all
    record Execute(String portal, int maxRows) implements FrontendMessage {
        static Execute decode(MessageReader in) {
            return new Execute(in.readString(), in.readInt32());
        }

        @Override
        public void encode(ByteBuf out) {
            int length = MessageWriter.begin(out, 'E');
            MessageWriter.string(out, portal);
            out.writeInt(maxRows);
            MessageWriter.end(out, length);
        }
    }

    record Close(Target target, String name) implements FrontendMessage {
        static Close decode(MessageReader in) {
            return new Close(Target.of(in.readByte()), in.readString());
        }

        @Override
        public void encode(ByteBuf out) {
            int length = MessageWriter.begin(out, 'C');
            out.writeByte(target.code());
            MessageWriter.string(out, name);
            MessageWriter.end(out, length);
        }
    }

    record Flush() implements FrontendMessage {
        @Override
        public void encode(ByteBuf out) {
            MessageWriter.empty(out, 'H');
        }
    }

    record Sync() implements FrontendMessage {
        @Override
        public void encode(ByteBuf out) {
            MessageWriter.empty(out, 'S');
        }
    }

    record Terminate() implements FrontendMessage {
        @Override
        public void encode(ByteBuf out) {
            MessageWriter.empty(out, 'X');
        }
    }

    /// The body is not kept: no function can be called this way.
    record FunctionCall() implements FrontendMessage {
        @Override
        public void encode(ByteBuf out) {
            int length = MessageWriter.begin(out, 'F');
            out.writeInt(0).writeShort(0).writeShort(0).writeShort(0);
            MessageWriter.end(out, length);
        }
    }

    /// What a client sends of a COPY … FROM STDIN: outside of one, PostgreSQL drops it in silence.
    sealed interface CopyMessage extends FrontendMessage {}

    record CopyData(byte[] bytes) implements CopyMessage {
        @Override
        public void encode(ByteBuf out) {
            int length = MessageWriter.begin(out, 'd');
            out.writeBytes(bytes);
            MessageWriter.end(out, length);
        }
    }

    record CopyDone() implements CopyMessage {
        @Override
        public void encode(ByteBuf out) {
            MessageWriter.empty(out, 'c');
        }
    }

    /// @param reason why the client gives up
    record CopyFail(String reason) implements CopyMessage {
        @Override
        public void encode(ByteBuf out) {
            int length = MessageWriter.begin(out, 'f');
            MessageWriter.string(out, reason);
            MessageWriter.end(out, length);
        }
    }

    /// A message whose frame was sound and whose content cannot be used: text that is not UTF-8, formats that
    /// are none, or more bytes than the limit.
    ///
    /// The session answers it with `error` where it would have answered the message.
    ///
    /// @param type the message's type byte
    record Unusable(char type, QueryException error) implements FrontendMessage {
        @Override
        public void encode(ByteBuf out) {
            throw new UnsupportedOperationException("an unusable message is only received");
        }
    }

    /// Reads the body of the message of that type, all of it.
    static FrontendMessage decode(char type, ByteBuf body) {
        MessageReader in = new MessageReader(body);
        FrontendMessage message;
        try {
            message = switch (type) {
                case 'p' -> AuthenticationAnswer.decode(in);
                case 'Q' -> Query.decode(in);
                case 'P' -> Parse.decode(in);
                case 'B' -> Bind.decode(in);
                case 'D' -> Describe.decode(in);
                case 'E' -> Execute.decode(in);
                case 'C' -> Close.decode(in);
                case 'H' -> new Flush();
                case 'S' -> new Sync();
                case 'X' -> new Terminate();
                case 'F' -> {
                    in.readRest();
                    yield new FunctionCall();
                }
                case 'd' -> new CopyData(in.readRest());
                case 'c' -> new CopyDone();
                case 'f' -> new CopyFail(in.readString());
                default -> throw new ProtocolException("invalid frontend message type " + (int) type);
            };
        } catch (QueryException unusable) {
            return new Unusable(type, unusable);
        }
        in.requireEnd();
        return message;
    }

    /// Reads the body of a packet of the startup phase, which has no type byte.
    static FrontendMessage decodeStartup(ByteBuf body) {
        MessageReader in = new MessageReader(body);
        int code = in.readInt32();
        FrontendMessage message =
                switch (code) {
                    case SSL_REQUEST_CODE -> new SslRequest();
                    case GSSENC_REQUEST_CODE -> new GssEncRequest();
                    case CANCEL_REQUEST_CODE -> CancelRequest.decode(in);
                    default -> {
                        try {
                            yield Startup.decode(code, in);
                        } catch (QueryException badText) {
                            throw new ProtocolException(badText.state(), badText.getMessage());
                        }
                    }
                };
        in.requireEnd();
        return message;
    }
}
