package dev.quarrel.server.wire;

import io.netty.buffer.ByteBuf;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/// The messages that the server sends: one record per message, with `encode` and `decode` side by side.
///
/// Rows of results do not pass through here but through `rows.RowEncoder`, which writes DataRow bytes from columns.
///
/// - Source: PostgreSQL documentation, "Frontend/Backend Protocol", section "Message Formats".
public sealed interface BackendMessage {
    /// Writes the whole message, frame included.
    void encode(ByteBuf out);

    /// The one byte that answers SSLRequest where TLS follows.
    record EncryptionAccepted() implements BackendMessage {
        @Override
        public void encode(ByteBuf out) {
            out.writeByte('S');
        }
    }

    /// The one byte that refuses SSLRequest and GSSENCRequest.
    record EncryptionRefused() implements BackendMessage {
        @Override
        public void encode(ByteBuf out) {
            out.writeByte('N');
        }
    }

    /// Which protocol to go on with.
    ///
    /// @param minor the newest minor version of protocol 3 that we speak
    /// @param unknownOptions the `_pq_.` options we did not recognise
    record NegotiateProtocolVersion(int minor, List<String> unknownOptions) implements BackendMessage {
        static NegotiateProtocolVersion decode(MessageReader in) {
            int minor = in.readInt32() & 0xFFFF;
            int count = in.readInt32();
            List<String> options = new ArrayList<>();
            for (int index = 0; index < count; index++) {
                options.add(in.readString());
            }
            return new NegotiateProtocolVersion(minor, options);
        }

        @Override
        public void encode(ByteBuf out) {
            int length = MessageWriter.begin(out, 'v');
            out.writeInt(3 << 16 | minor).writeInt(unknownOptions.size());
            unknownOptions.forEach(option -> MessageWriter.string(out, option));
            MessageWriter.end(out, length);
        }
    }

    record AuthenticationOk() implements BackendMessage {
        @Override
        public void encode(ByteBuf out) {
            out.writeByte('R').writeInt(8).writeInt(0);
        }
    }

    record AuthenticationSasl(List<String> mechanisms) implements BackendMessage {
        @Override
        public void encode(ByteBuf out) {
            int length = MessageWriter.begin(out, 'R');
            out.writeInt(10);
            mechanisms.forEach(mechanism -> MessageWriter.string(out, mechanism));
            out.writeByte(0);
            MessageWriter.end(out, length);
        }
    }

    record AuthenticationSaslContinue(byte[] data) implements BackendMessage {
        @Override
        public void encode(ByteBuf out) {
            out.writeByte('R').writeInt(8 + data.length).writeInt(11).writeBytes(data);
        }
    }

    record AuthenticationSaslFinal(byte[] data) implements BackendMessage {
        @Override
        public void encode(ByteBuf out) {
            out.writeByte('R').writeInt(8 + data.length).writeInt(12).writeBytes(data);
        }
    }

    private static BackendMessage decodeAuthentication(MessageReader in) {
        int kind = in.readInt32();
        return switch (kind) {
            case 0 -> new AuthenticationOk();
            case 10 -> {
                List<String> mechanisms = new ArrayList<>();
                for (String name = in.readString(); !name.isEmpty(); name = in.readString()) {
                    mechanisms.add(name);
                }
                yield new AuthenticationSasl(mechanisms);
            }
            case 11 -> new AuthenticationSaslContinue(in.readRest());
            case 12 -> new AuthenticationSaslFinal(in.readRest());
            default -> throw new ProtocolException("unknown authentication request " + kind);
        };
    }

    record BackendKeyData(int processId, byte[] key) implements BackendMessage {
        static BackendKeyData decode(MessageReader in) {
            return new BackendKeyData(in.readInt32(), in.readRest());
        }

        @Override
        public void encode(ByteBuf out) {
            out.writeByte('K').writeInt(8 + key.length).writeInt(processId).writeBytes(key);
        }
    }

    record ParameterStatus(String name, String value) implements BackendMessage {
        static ParameterStatus decode(MessageReader in) {
            return new ParameterStatus(in.readString(), in.readString());
        }

        @Override
        public void encode(ByteBuf out) {
            int length = MessageWriter.begin(out, 'S');
            MessageWriter.string(out, name);
            MessageWriter.string(out, value);
            MessageWriter.end(out, length);
        }
    }

    record ReadyForQuery(TransactionStatus status) implements BackendMessage {
        static ReadyForQuery decode(MessageReader in) {
            byte code = in.readByte();
            for (TransactionStatus status : TransactionStatus.values()) {
                if (status.code() == code) {
                    return new ReadyForQuery(status);
                }
            }
            throw new ProtocolException("unknown transaction status " + code);
        }

        @Override
        public void encode(ByteBuf out) {
            out.writeByte('Z').writeInt(5).writeByte(status.code());
        }
    }

    /// One column of a result.
    ///
    /// @param tableOid 0 where the column is not a table's
    /// @param columnNumber 1-based in that table, or 0
    /// @param typeSize bytes; -1 for types of varying length
    /// @param typeModifier -1 for none
    /// @param format 0 text, 1 binary; 0 while not known
    record ColumnDescription(
            String name, int tableOid, int columnNumber, int typeOid, int typeSize, int typeModifier, int format) {}

    record RowDescription(List<ColumnDescription> columns) implements BackendMessage {
        static RowDescription decode(MessageReader in) {
            int count = in.readCount(19);
            List<ColumnDescription> columns = new ArrayList<>(count);
            for (int index = 0; index < count; index++) {
                columns.add(new ColumnDescription(
                        in.readString(),
                        in.readInt32(),
                        in.readInt16(),
                        in.readInt32(),
                        in.readInt16(),
                        in.readInt32(),
                        in.readInt16()));
            }
            return new RowDescription(columns);
        }

        @Override
        public void encode(ByteBuf out) {
            int length = MessageWriter.begin(out, 'T');
            out.writeShort(columns.size());
            for (ColumnDescription column : columns) {
                MessageWriter.string(out, column.name());
                out.writeInt(column.tableOid()).writeShort(column.columnNumber());
                out.writeInt(column.typeOid()).writeShort(column.typeSize());
                out.writeInt(column.typeModifier()).writeShort(column.format());
            }
            MessageWriter.end(out, length);
        }
    }

    record DataRow(byte[][] values) implements BackendMessage {
        static DataRow decode(MessageReader in) {
            byte[][] values = new byte[in.readCount(4)][];
            for (int index = 0; index < values.length; index++) {
                values[index] = in.readSizedBytes();
            }
            return new DataRow(values);
        }

        @Override
        public void encode(ByteBuf out) {
            int length = MessageWriter.begin(out, 'D');
            out.writeShort(values.length);
            for (byte[] value : values) {
                MessageWriter.sizedBytes(out, value);
            }
            MessageWriter.end(out, length);
        }
    }

    record ParameterDescription(int[] types) implements BackendMessage {
        static ParameterDescription decode(MessageReader in) {
            int[] types = new int[in.readCount(4)];
            for (int index = 0; index < types.length; index++) {
                types[index] = in.readInt32();
            }
            return new ParameterDescription(types);
        }

        @Override
        public void encode(ByteBuf out) {
            int length = MessageWriter.begin(out, 't');
            out.writeShort(types.length);
            for (int type : types) {
                out.writeInt(type);
            }
            MessageWriter.end(out, length);
        }
    }

    record CommandComplete(String tag) implements BackendMessage {
        static CommandComplete decode(MessageReader in) {
            return new CommandComplete(in.readString());
        }

        @Override
        public void encode(ByteBuf out) {
            int length = MessageWriter.begin(out, 'C');
            MessageWriter.string(out, tag);
            MessageWriter.end(out, length);
        }
    }

    record EmptyQueryResponse() implements BackendMessage {
        @Override
        public void encode(ByteBuf out) {
            MessageWriter.empty(out, 'I');
        }
    }

    record NoData() implements BackendMessage {
        @Override
        public void encode(ByteBuf out) {
            MessageWriter.empty(out, 'n');
        }
    }

    record ParseComplete() implements BackendMessage {
        @Override
        public void encode(ByteBuf out) {
            MessageWriter.empty(out, '1');
        }
    }

    record BindComplete() implements BackendMessage {
        @Override
        public void encode(ByteBuf out) {
            MessageWriter.empty(out, '2');
        }
    }

    record CloseComplete() implements BackendMessage {
        @Override
        public void encode(ByteBuf out) {
            MessageWriter.empty(out, '3');
        }
    }

    record PortalSuspended() implements BackendMessage {
        @Override
        public void encode(ByteBuf out) {
            MessageWriter.empty(out, 's');
        }
    }

    /// Rows of a COPY follow, as [CopyData] and then [CopyDone].
    ///
    /// @param isBinary whether they are bytes, not text
    record CopyOutResponse(boolean isBinary, int columns) implements BackendMessage {
        static CopyOutResponse decode(MessageReader in) {
            boolean isBinary = in.readByte() != 0;
            int count = in.readCount(2);
            for (int index = 0; index < count; index++) {
                in.readInt16();
            }
            return new CopyOutResponse(isBinary, count);
        }

        @Override
        public void encode(ByteBuf out) {
            encode(out, 'H', isBinary, columns);
        }

        private static void encode(ByteBuf out, char type, boolean isBinary, int columns) {
            int length = MessageWriter.begin(out, type);
            out.writeByte(isBinary ? 1 : 0).writeShort(columns);
            for (int index = 0; index < columns; index++) {
                out.writeShort(isBinary ? 1 : 0);
            }
            MessageWriter.end(out, length);
        }
    }

    /// The client is to send rows of a COPY.
    ///
    /// @param isBinary whether they are bytes, not text
    record CopyInResponse(boolean isBinary, int columns) implements BackendMessage {
        static CopyInResponse decode(MessageReader in) {
            CopyOutResponse same = CopyOutResponse.decode(in);
            return new CopyInResponse(same.isBinary(), same.columns());
        }

        @Override
        public void encode(ByteBuf out) {
            CopyOutResponse.encode(out, 'G', isBinary, columns);
        }
    }

    record CopyData(byte[] bytes) implements BackendMessage {
        @Override
        public void encode(ByteBuf out) {
            encode(bytes, bytes.length, out);
        }

        /// The message of the first `length` bytes.
        public static void encode(byte[] bytes, int length, ByteBuf out) {
            out.writeByte('d').writeInt(4 + length).writeBytes(bytes, 0, length);
        }
    }

    record CopyDone() implements BackendMessage {
        @Override
        public void encode(ByteBuf out) {
            MessageWriter.empty(out, 'c');
        }
    }

    /// A statement, or the connection, has failed.
    ///
    /// @param fields by PostgreSQL's field letters, in the order to be sent
    record ErrorResponse(Map<Character, String> fields) implements BackendMessage {
        @Override
        public void encode(ByteBuf out) {
            encodeFields(out, 'E', fields);
        }
    }

    /// Something to tell that is no failure.
    ///
    /// @param fields as in [ErrorResponse]
    record NoticeResponse(Map<Character, String> fields) implements BackendMessage {
        @Override
        public void encode(ByteBuf out) {
            encodeFields(out, 'N', fields);
        }
    }

    private static void encodeFields(ByteBuf out, char type, Map<Character, String> fields) {
        int length = MessageWriter.begin(out, type);
        fields.forEach((letter, text) -> {
            out.writeByte(letter);
            MessageWriter.string(out, text);
        });
        out.writeByte(0);
        MessageWriter.end(out, length);
    }

    private static Map<Character, String> decodeFields(MessageReader in) {
        Map<Character, String> fields = new LinkedHashMap<>();
        for (byte letter = in.readByte(); letter != 0; letter = in.readByte()) {
            fields.put((char) letter, in.readString());
        }
        return fields;
    }

    /// Reads the body of the message of that type, all of it.
    static BackendMessage decode(char type, ByteBuf body) {
        MessageReader in = new MessageReader(body);
        BackendMessage message =
                switch (type) {
                    case 'v' -> NegotiateProtocolVersion.decode(in);
                    case 'R' -> decodeAuthentication(in);
                    case 'K' -> BackendKeyData.decode(in);
                    case 'S' -> ParameterStatus.decode(in);
                    case 'Z' -> ReadyForQuery.decode(in);
                    case 'T' -> RowDescription.decode(in);
                    case 'D' -> DataRow.decode(in);
                    case 't' -> ParameterDescription.decode(in);
                    case 'C' -> CommandComplete.decode(in);
                    case 'I' -> new EmptyQueryResponse();
                    case 'n' -> new NoData();
                    case '1' -> new ParseComplete();
                    case '2' -> new BindComplete();
                    case '3' -> new CloseComplete();
                    case 's' -> new PortalSuspended();
                    case 'H' -> CopyOutResponse.decode(in);
                    case 'G' -> CopyInResponse.decode(in);
                    case 'd' -> new CopyData(in.readRest());
                    case 'c' -> new CopyDone();
                    case 'E' -> new ErrorResponse(decodeFields(in));
                    case 'N' -> new NoticeResponse(decodeFields(in));
                    default -> throw new ProtocolException("unknown backend message type " + (int) type);
                };
        in.requireEnd();
        return message;
    }
}
