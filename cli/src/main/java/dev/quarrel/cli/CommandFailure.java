package dev.quarrel.cli;

/// Says that a command cannot go on, why, and what to do. It is neither a bug of ours nor an error that SQL has
/// a code for.
final class CommandFailure extends RuntimeException {
    private static final long serialVersionUID = 1;

    CommandFailure(String message) {
        super(message);
    }

    CommandFailure(String message, Throwable cause) {
        super(message, cause);
    }
}
