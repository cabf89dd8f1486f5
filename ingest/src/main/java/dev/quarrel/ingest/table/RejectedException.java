package dev.quarrel.ingest.table;

/// An event that its table cannot take; the message says why.
final class RejectedException extends RuntimeException {
    private static final long serialVersionUID = 1;

    RejectedException(String message) {
        super(message, null, false, false); // many may come: no stack
    }
}
