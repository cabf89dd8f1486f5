package dev.quarrel.server.session;

/// The client closed its connection while something was being sent to it. Nobody is left to be told.
final class ClientGoneException extends RuntimeException {
    private static final long serialVersionUID = 1;

    ClientGoneException() {
        super("the client is gone", null, false, false);
    }
}
