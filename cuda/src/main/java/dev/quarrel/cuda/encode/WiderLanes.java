package dev.quarrel.cuda.encode;

/// Says that the number of a group does not fit the lanes.
final class WiderLanes extends RuntimeException {
    private static final long serialVersionUID = 1;

    WiderLanes() {
        super(null, null, false, false);
    }
}
