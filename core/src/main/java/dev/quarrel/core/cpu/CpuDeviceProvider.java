package dev.quarrel.core.cpu;

import dev.quarrel.core.device.DeviceConfig;
import dev.quarrel.core.device.DeviceProvider;

/// Provides the CPU device, which every machine has.
public final class CpuDeviceProvider implements DeviceProvider {
    @Override
    public String name() {
        return CpuDevice.NAME;
    }

    @Override
    public Probe probe(DeviceConfig config) {
        return new Probe.Found(new CpuDevice(config));
    }
}
