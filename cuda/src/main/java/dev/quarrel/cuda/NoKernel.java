package dev.quarrel.cuda;

/// Says that a pipeline cannot run on the device, and why: EXPLAIN prints it.
final class NoKernel extends RuntimeException {
    private static final long serialVersionUID = 1;

    NoKernel(String reason) {
        super(reason, null, false, false);
    }
}
