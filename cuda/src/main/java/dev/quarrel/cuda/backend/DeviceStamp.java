package dev.quarrel.cuda.backend;

/// A place in a queue, and when the device came by it.
public interface DeviceStamp extends DeviceResource {
    /// Time since an earlier one, perhaps of another queue. Known once the queues of both have been waited for.
    ///
    /// - Errors: [DeviceFault].
    double secondsSince(DeviceStamp earlier);
}
