package dev.quarrel.tests;

import dev.quarrel.core.device.DeviceConfig;
import dev.quarrel.core.device.DeviceProvider;
import dev.quarrel.cuda.CudaDevice;
import dev.quarrel.cuda.host.HostBackend;
import dev.quarrel.cuda.host.HostLibrary;

/// The CUDA kernels, compiled for the CPU, as a device.
final class CudaHostProvider implements DeviceProvider {
    private volatile HostBackend backend;

    /// Kernels that have run.
    long launches() {
        return backend == null ? 0 : backend.launches();
    }

    @Override
    public String name() {
        return "cuda-host";
    }

    @Override
    public Probe probe(DeviceConfig config) {
        backend = new HostBackend(HostLibrary.open(), 0);
        return new Probe.Found(new CudaDevice(backend, config));
    }
}
