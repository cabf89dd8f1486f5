package dev.quarrel.cuda;

import dev.quarrel.core.device.DeviceConfig;
import dev.quarrel.core.device.DeviceProvider;

/// Finds NVIDIA GPUs. This build holds no kernels yet, so it finds none, and says so before it looks for a driver.
public final class CudaDeviceProvider implements DeviceProvider {
    @Override
    public String name() {
        return "cuda";
    }

    @Override
    public Probe probe(DeviceConfig config) {
        return new Probe.Missing("built without kernels");
    }
}
