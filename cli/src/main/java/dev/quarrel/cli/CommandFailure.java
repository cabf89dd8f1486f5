package dev.quarrel.cli;

/// A command cannot go on, and the message says why and what to do: no bug of ours, and nothing that SQL has a
/// code for.
final class CommandFailure extends RuntimeException {
    private static final long serialVersionUID = 1;

    CommandFailure(String message) {
        super(message);
    }

    CommandFailure(String message, Throwable cause) {
        super(message, cause);
    }
}
