package dev.quarrel.cuda.driver;

/// A range of memory on the device.
public sealed interface DeviceRange permits DeviceBuffer, GrowableArena {
    /// Where kernels find it.
    ///
    /// - Errors: [IllegalStateException] when it is closed.
    long address();

    /// How much of it may be used.
    long bytes();
}
