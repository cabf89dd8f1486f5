package dev.quarrel.cuda;

/// A place in a queue, and when the device came by it.
public interface DeviceStamp extends AutoCloseable {
    /// Time since an earlier one, perhaps of another queue. Known once the queues of both have been waited for.
    ///
    /// - Errors: [DeviceFault].
    double secondsSince(DeviceStamp earlier);

    @Override
    void close();
}
