package dev.quarrel.core.device;

/// A device's answer to "can you run this pipeline?".
public sealed interface Lowering {
    /// @param costSeconds estimated, for comparison between devices
    record Supported(double costSeconds) implements Lowering {}

    /// @param reason for EXPLAIN: `LIKE has no CUDA kernel`
    record Unsupported(String reason) implements Lowering {}
}
