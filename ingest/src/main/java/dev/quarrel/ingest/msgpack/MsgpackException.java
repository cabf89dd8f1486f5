package dev.quarrel.ingest.msgpack;

/// Bytes that are no MessagePack, or not what a protocol wants there.
public final class MsgpackException extends RuntimeException {
    private static final long serialVersionUID = 1;

    public MsgpackException(String message) {
        super(message);
    }
}
