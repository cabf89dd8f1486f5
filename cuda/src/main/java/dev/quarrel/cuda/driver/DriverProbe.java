package dev.quarrel.cuda.driver;

import java.util.Locale;
import java.util.Optional;

/// Finds out whether this machine has a CUDA driver and a device. It does so without touching JCuda, from which
/// no process recovers where there is no driver.
public sealed interface DriverProbe {
    /// The driver's library, as the system finds it.
    String SYSTEM_LIBRARY = "libcuda.so.1";

    /// The fatbins are made by CUDA 13.0; a driver reads those of its own major version and older ones.
    int REQUIRED_VERSION = 13_000;

    /// A driver, initialised, with at least one device.
    ///
    /// @param version 1000 × major + 10 × minor
    record Ready(DriverAccess driver, int version, int deviceCount) implements DriverProbe {}

    /// @param reason for people, in a few words
    /// @param remedy what to do about it
    record Missing(String reason, String remedy) implements DriverProbe {}

    /// Looks for the driver. Cheap where there is none; it never throws.
    ///
    /// @param library its name or path: [#SYSTEM_LIBRARY]
    static DriverProbe of(String library) {
        String system = System.getProperty("os.name");
        String processor = System.getProperty("os.arch");
        if (!system.equals("Linux") || !processor.equals("amd64")) {
            return new Missing("no CUDA on " + system + ", " + processor, "use Linux on x86-64");
        }
        try {
            Optional<DriverLibrary> found = DriverLibrary.open(library);
            return found.isPresent()
                    ? of(found.get())
                    : new Missing(
                            "no NVIDIA driver",
                            library + " was not found: install driver 580 or newer, or give the container its GPU");
        } catch (RuntimeException | LinkageError problem) {
            return new Missing("the NVIDIA driver does not answer: " + problem, "try nvidia-smi");
        }
    }

    private static DriverProbe of(DriverLibrary library) {
        if (!library.isComplete()) {
            return tooOld("functions of CUDA 11.3 are missing");
        }
        int version = library.version();
        if (version < REQUIRED_VERSION) {
            return tooOld(String.format(
                    Locale.ROOT, "it supports CUDA %d.%d, not 13.0", version / 1000, version % 1000 / 10));
        }
        int code = library.init();
        if (code != CudaException.SUCCESS) {
            return failed(code);
        }
        int count = library.deviceCount();
        if (count == 0) {
            return failed(CudaException.NO_DEVICE);
        }
        return new Ready(new DriverAccess(library), version, count);
    }

    private static Missing tooOld(String why) {
        return new Missing("the NVIDIA driver is too old: " + why, "install driver 580 or newer");
    }

    private static Missing failed(int code) {
        String name = " (" + CudaException.name(code) + ")";
        return switch (code) {
            case CudaException.NO_DEVICE ->
                new Missing("the NVIDIA driver finds no GPU" + name, "see whether CUDA_VISIBLE_DEVICES hides it");
            case CudaException.STUB_LIBRARY ->
                new Missing("libcuda.so.1 is the toolkit's stub, not a driver" + name, "mend LD_LIBRARY_PATH");
            case CudaException.SYSTEM_NOT_READY ->
                new Missing("the GPU is not ready" + name, "start nvidia-fabricmanager");
            case CudaException.SYSTEM_DRIVER_MISMATCH ->
                new Missing("the NVIDIA driver's library and kernel module differ" + name, "restart the machine");
            case CudaException.COMPAT_NOT_SUPPORTED_ON_DEVICE ->
                new Missing("this GPU does not run the forward-compatible driver" + name, "install its own");
            case CudaException.OUT_OF_MEMORY ->
                new Missing("the NVIDIA driver has no memory to start" + name, "end what holds it");
            default -> new Missing("the NVIDIA driver does not start" + name, "try nvidia-smi");
        };
    }
}
