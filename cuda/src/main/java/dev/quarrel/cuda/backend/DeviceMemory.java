package dev.quarrel.cuda.backend;

/// A run of bytes on the device, and the right to free it.
public interface DeviceMemory extends DeviceResource {
    /// Where it begins, as kernels see it.
    long address();

    long byteSize();

    /// Frees it; no command that uses it may be under way. A second call does nothing.
    @Override
    void close();
}
