package dev.quarrel.cuda.encode;

/// Says that narrow lanes do not do: the number of a group does not fit them, or an opcode has none.
final class WiderLanes extends RuntimeException {
    private static final long serialVersionUID = 1;

    WiderLanes() {
        super(null, null, false, false);
    }
}
