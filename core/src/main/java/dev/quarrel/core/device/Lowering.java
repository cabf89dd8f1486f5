package dev.quarrel.core.device;

/// A device's answer to "can you run this pipeline?".
public sealed interface Lowering {
    /// @param costSeconds estimated, for comparison between devices
    /// @param basis what the estimate is made of, for EXPLAIN; or ""
    record Supported(double costSeconds, String basis) implements Lowering {
        public Supported(double costSeconds) {
            this(costSeconds, "");
        }
    }

    /// @param reason for EXPLAIN: `LIKE has no CUDA kernel`
    record Unsupported(String reason) implements Lowering {}
}
