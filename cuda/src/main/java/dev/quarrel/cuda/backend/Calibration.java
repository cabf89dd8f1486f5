package dev.quarrel.cuda.backend;

import dev.quarrel.core.device.Device;

/// The figures of one device that estimates are made of, as they were measured when it was first used on this machine.
///
/// @param linkBytes copied to it a second
/// @param memoryBytes read from its memory a second
/// @param lookups a second, at random places of a table that its cache holds
/// @param launchSeconds for starting a kernel and waiting for its end
/// @param isMeasured false for guesses
public record Calibration(
        double linkBytes, double memoryBytes, double lookups, double launchSeconds, boolean isMeasured) {
    /// A middling card; only proportions matter.
    public static final Calibration GUESSED = new Calibration(20e9, 1e12, 50e9, 30e-6, false);

    public Calibration {
        if (!(linkBytes > 0 && memoryBytes > 0 && lookups > 0 && launchSeconds > 0)) {
            throw new IllegalArgumentException(linkBytes + ", " + memoryBytes + ", " + lookups + ", " + launchSeconds);
        }
    }

    public Device.Peaks peaks() {
        return isMeasured ? new Device.Peaks(linkBytes, memoryBytes) : null;
    }
}
