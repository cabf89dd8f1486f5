package dev.quarrel.cuda.backend;

/// A failure of the device. It is not an error of the query, which another device can still answer.
public final class DeviceFault extends RuntimeException {
    private static final long serialVersionUID = 1;

    private final Kind kind;

    /// What is left of the device.
    public enum Kind {
        /// As before: less memory may do.
        OUT_OF_MEMORY,
        /// Nothing: every further call fails.
        LOST
    }

    public DeviceFault(Kind kind, String message) {
        super(message);
        this.kind = kind;
    }

    public Kind kind() {
        return kind;
    }
}
