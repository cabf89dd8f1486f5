package dev.quarrel.cuda;

import dev.quarrel.core.device.DeviceConfig;
import dev.quarrel.core.device.DeviceProvider;
import dev.quarrel.cuda.driver.DriverProbe;

/// Finds an NVIDIA GPU. Where there is no driver it is quick to say so, and JCuda is not touched.
public final class CudaDeviceProvider implements DeviceProvider {
    private static final String KERNELS = "probe_bench";

    @Override
    public String name() {
        return "cuda";
    }

    @Override
    public Probe probe(DeviceConfig config) {
        return probe(DriverProbe.SYSTEM_LIBRARY);
    }

    static Probe probe(String library) {
        return switch (GpuSearch.of(library, KERNELS)) {
            case GpuSearch.Missing(String reason, String remedy) -> new Probe.Missing(reason, remedy);
            case GpuSearch.Found found -> {
                // It is there, and works; which pipelines run on it is the next thing to be built.
                String description = found.context().facts().describe();
                found.kernels().close();
                found.context().close();
                yield new Probe.Missing(description + " is there, but no pipeline runs on it yet", "");
            }
        };
    }
}
