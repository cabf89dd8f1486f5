package dev.quarrel.server.wire;

import dev.quarrel.core.type.SqlState;

/// A violation of the protocol by a client: nothing that follows it can be trusted, so the connection ends.
///
/// The message never repeats what the client sent, and its state is mostly 08P01.
public final class ProtocolException extends RuntimeException {
    private static final long serialVersionUID = 1;

    private final SqlState state;

    public ProtocolException(String message) {
        this(SqlState.PROTOCOL_VIOLATION, message);
    }

    public ProtocolException(SqlState state, String message) {
        super(message, null, false, false);
        this.state = state;
    }

    public SqlState state() {
        return state;
    }
}
