package dev.quarrel.cuda.backend;

/// A device that runs kernels: a GPU through its driver, or the host build of the same kernels.
///
/// - Threads share it; each uses a [CommandQueue] of its own.
/// - Errors: [DeviceFault], from here, the memory and the queues.
public interface Backend extends AutoCloseable {
    /// The device's name in settings and EXPLAIN: `cuda`, `cuda-host`.
    String name();

    /// One line for people: model, memory, driver.
    String description();

    Limits limits();

    /// Bytes of the device's memory that are in use.
    default long usedBytes() {
        return 0;
    }

    /// What the device was measured to do.
    default Calibration calibration() {
        return Calibration.GUESSED;
    }

    /// Why the device is of no more use, or null while it is.
    default String lostReason() {
        return null;
    }

    /// Memory on the device, whose content is anything.
    ///
    /// - Memory: aligned to 256 bytes; the caller closes it.
    /// - Errors: a [DeviceFault] that is OUT_OF_MEMORY; nothing is allocated then.
    ///
    /// @param byteSize above 0
    DeviceMemory allocate(long byteSize);

    /// A queue whose commands run in their order; those of different queues at the same time.
    CommandQueue newQueue();

    @Override
    void close();

    /// What the device can do.
    ///
    /// @param multiprocessors blocks that run at the same time, one on each
    /// @param threadsPerBlock of one block at most
    /// @param sharedBytes of a block's shared memory at most
    /// @param memoryBytes of the device in all
    record Limits(int multiprocessors, int threadsPerBlock, int sharedBytes, long memoryBytes) {}
}
