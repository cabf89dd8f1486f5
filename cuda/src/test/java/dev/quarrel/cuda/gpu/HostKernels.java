package dev.quarrel.cuda.gpu;

import dev.quarrel.cuda.backend.Calibration;
import dev.quarrel.cuda.driver.FakeDriver;
import dev.quarrel.cuda.host.HostLibrary;
import dev.quarrel.cuda.vm.ParameterBlock;

/// The driver without a device, whose launches run the kernels as g++ built them: so all of the device but
/// the GPU itself is tested.
public final class HostKernels {
    private HostKernels() {}

    /// The driver's path; as [FakeDriver#start], which skips the test where there is no g++.
    ///
    /// @param seed decides the order in which threads run
    public static String start(long seed) {
        String driver = FakeDriver.start();
        FakeDriver.kernels(HostLibrary.file().toAbsolutePath(), ParameterBlock.BYTES, seed);
        return driver;
    }

    /// A backend over it, with pinned buffers small enough for uploads to need several.
    public static GpuBackend backend(long seed) {
        return GpuBackend.open((GpuSearch.Found) GpuSearch.of(start(seed), "vm"), 4096, _ -> Calibration.GUESSED);
    }
}
