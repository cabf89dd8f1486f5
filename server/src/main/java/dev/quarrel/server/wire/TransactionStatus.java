package dev.quarrel.server.wire;

/// What ReadyForQuery says about the transaction.
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
