package dev.quarrel.server.session;

import dev.quarrel.calcite.CopyInput;
import dev.quarrel.core.pg.PgType;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;
import dev.quarrel.server.rows.ParameterDecoder;
import dev.quarrel.server.wire.BackendMessage;
import dev.quarrel.server.wire.FrontendMessage;
import java.io.InputStream;
import java.util.Objects;
import java.util.function.Supplier;

/// The bytes that a client sends for a COPY … FROM STDIN, as they are asked for.
///
/// - Errors: 57014 where the client gives up, 08P01 for other messages than PostgreSQL allows among them; whatever
///   waiting for a message raises.
/// - Source: PostgreSQL's `copyfromparse.c`, CopyGetData.
final class CopyIn implements CopyInput {
    private final Output out;
    private final Supplier<FrontendMessage> messages;

    /// @param messages waits for the client's next one
    CopyIn(Output out, Supplier<FrontendMessage> messages) {
        this.out = out;
        this.messages = messages;
    }

    @Override
    public InputStream open(int columnCount, boolean isBinary) {
        out.write(new BackendMessage.CopyInResponse(isBinary, columnCount));
        out.flush();
        return new Sent();
    }

    @Override
    public Object value(byte[] bytes, PgType type, int column) {
        return ParameterDecoder.binaryValue(bytes, type, column);
    }

    private final class Sent extends InputStream {
        private byte[] bytes = new byte[0];
        private int at;
        private boolean isOver;

        @Override
        public int read() {
            return await() ? bytes[at++] & 0xFF : -1;
        }

        @Override
        public int read(byte[] target, int offset, int length) {
            Objects.checkFromIndexSize(offset, length, target.length);
            if (length == 0) {
                return 0;
            }
            if (!await()) {
                return -1;
            }
            int count = Math.min(length, bytes.length - at);
            System.arraycopy(bytes, at, target, offset, count);
            at += count;
            return count;
        }

        /// Whether there is a byte more.
        private boolean await() {
            while (at == bytes.length && !isOver) {
                switch (messages.get()) {
                    case FrontendMessage.CopyData data -> {
                        bytes = data.bytes();
                        at = 0;
                    }
                    case FrontendMessage.CopyDone _ -> isOver = true;
                    case FrontendMessage.CopyFail fail ->
                        throw new QueryException(SqlState.QUERY_CANCELED, "COPY from stdin failed: " + fail.reason());
                    case FrontendMessage.Flush _, FrontendMessage.Sync _ -> {} // sent before it began, perhaps
                    case FrontendMessage.Unusable unusable -> throw unusable.error();
                    case FrontendMessage other ->
                        throw new QueryException(
                                SqlState.PROTOCOL_VIOLATION,
                                "unexpected message " + other.getClass().getSimpleName() + " during COPY from stdin");
                }
            }
            return at < bytes.length;
        }

        /// What the client sends beyond the rows' end is nothing to us, but for its end.
        @Override
        public void close() {
            // After an error the session drops the rest; else all of it has been read.
        }
    }
}
