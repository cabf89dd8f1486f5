package dev.quarrel.cuda;

import dev.quarrel.core.device.DeviceConfig;
import dev.quarrel.core.device.DeviceProvider;
import dev.quarrel.cuda.backend.Calibration;
import dev.quarrel.cuda.driver.CudaContext;
import dev.quarrel.cuda.driver.CudaException;
import dev.quarrel.cuda.driver.DriverProbe;
import dev.quarrel.cuda.gpu.CalibrationFile;
import dev.quarrel.cuda.gpu.GpuBackend;
import dev.quarrel.cuda.gpu.GpuSearch;
import java.util.function.Function;

/// Finds an NVIDIA GPU. Where there is no driver it is quick to say so, and JCuda is not touched.
///
/// A GPU is used where the environment has `QUARREL_CUDA=on`: the kernels have been tested on the CPU alone
/// so far.
public final class CudaDeviceProvider implements DeviceProvider {
    private static final String SWITCH = "QUARREL_CUDA";
    private static final String KERNELS = "vm";

    @Override
    public String name() {
        return "cuda";
    }

    @Override
    public Probe probe(DeviceConfig config) {
        return probe(DriverProbe.SYSTEM_LIBRARY, "on".equals(System.getenv(SWITCH)), CalibrationFile::of, config);
    }

    /// @param library the driver's, by name or path
    /// @param isWanted whether a GPU that is found is to be used
    /// @param calibrating finds out what it does
    static Probe probe(
            String library, boolean isWanted, Function<CudaContext, Calibration> calibrating, DeviceConfig config) {
        GpuSearch search = isWanted ? GpuSearch.of(library, KERNELS) : GpuSearch.look(library, KERNELS);
        return switch (search) {
            case GpuSearch.Missing(String reason, String remedy) -> new Probe.Missing(reason, remedy);
            case GpuSearch.Seen(var facts) ->
                new Probe.Missing(
                        facts.describe() + ": not in use",
                        "set " + SWITCH
                                + "=on in the environment; its kernels have been tested on the CPU alone so far");
            case GpuSearch.Found found -> {
                try {
                    yield new Probe.Found(new CudaDevice(GpuBackend.open(found, calibrating), config));
                } catch (CudaException failure) {
                    GpuSearch.Missing missing = GpuSearch.missing(failure);
                    yield new Probe.Missing(missing.reason(), missing.remedy());
                }
            }
        };
    }
}
