package dev.quarrel.ingest.net;

/// A request's body that is not what it should be; the message says where.
final class FormatException extends RuntimeException {
    private static final long serialVersionUID = 1;

    FormatException(int line, String message) {
        super("line " + line + ": " + message);
    }
}
