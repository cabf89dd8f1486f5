package dev.quarrel.cuda.host;

import dev.quarrel.core.device.DeviceConfig;
import dev.quarrel.core.device.DeviceProvider;
import dev.quarrel.cuda.CudaDevice;

/// The CUDA kernels, compiled for the CPU, as a device: for tests, and for the GPU suite where there is no GPU.
public final class HostProvider implements DeviceProvider {
    private final long memoryBytes;
    private volatile HostBackend backend;

    public HostProvider() {
        this(HostBackend.MEMORY_BYTES);
    }

    /// @param memoryBytes what the device is to have
    public HostProvider(long memoryBytes) {
        this.memoryBytes = memoryBytes;
    }

    /// Kernels that have run.
    public long launches() {
        return backend == null ? 0 : backend.launches();
    }

    @Override
    public String name() {
        return "cuda-host";
    }

    @Override
    public Probe probe(DeviceConfig config) {
        String missing = HostLibrary.missing();
        if (missing != null) {
            return new Probe.Missing(missing, "install g++");
        }
        backend = new HostBackend(HostLibrary.open(), 0, memoryBytes);
        return new Probe.Found(new CudaDevice(backend, config, 1));
    }
}
