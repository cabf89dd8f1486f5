package dev.quarrel.core.cpu.loop;

/// Says that a pipeline has no form as one compiled loop.
final class NotFused extends RuntimeException {
    private static final long serialVersionUID = 1;

    NotFused() {
        super(null, null, false, false);
    }
}
