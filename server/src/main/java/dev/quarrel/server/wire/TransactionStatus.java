package dev.quarrel.server.wire;

/// The status of the transaction, as ReadyForQuery reports it.
public enum TransactionStatus {
    IDLE('I'),
    IN_TRANSACTION('T'),
    FAILED('E');

    private final char code;

    TransactionStatus(char code) {
        this.code = code;
    }

    public char code() {
        return code;
    }
}
