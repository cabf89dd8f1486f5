package dev.quarrel.cuda.backend;

/// A point in a queue, and the time at which the device reached it.
public interface DeviceStamp extends DeviceResource {
    /// Time since an earlier one, perhaps of another queue. Known once the queues of both have been waited for.
    ///
    /// - Errors: [DeviceFault].
    double secondsSince(DeviceStamp earlier);
}
