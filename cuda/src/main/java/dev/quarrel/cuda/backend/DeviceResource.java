package dev.quarrel.cuda.backend;

/// A resource on the device that its owner closes; closing it fails with no checked exception.
public interface DeviceResource extends AutoCloseable {
    @Override
    void close();

    /// Closes those that are there.
    ///
    /// @param resources each may be null
    static void closeAll(DeviceResource... resources) {
        for (DeviceResource resource : resources) {
            if (resource != null) {
                resource.close();
            }
        }
    }
}
