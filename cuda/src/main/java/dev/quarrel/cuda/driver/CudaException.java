package dev.quarrel.cuda.driver;

import java.util.Map;
import java.util.Set;

/// The failure of a call to the CUDA driver.
public final class CudaException extends RuntimeException {
    private static final long serialVersionUID = 1;

    static final int SUCCESS = 0;
    static final int INVALID_VALUE = 1;
    static final int OUT_OF_MEMORY = 2;
    static final int STUB_LIBRARY = 34;
    static final int NO_DEVICE = 100;
    static final int NO_BINARY_FOR_GPU = 209;
    static final int UNSUPPORTED_PTX_VERSION = 222;
    static final int NOT_READY = 600;
    static final int SYSTEM_NOT_READY = 802;
    static final int SYSTEM_DRIVER_MISMATCH = 803;
    static final int COMPAT_NOT_SUPPORTED_ON_DEVICE = 804;

    /// Errors after which every further call in this process fails: the context is lost, and with it all that
    /// was on the device.
    ///
    /// Source: CUDA driver API, "Data types used by CUDA driver", the codes of which it says that the process
    /// must be ended.
    private static final Set<Integer> STICKY = Set.of(
            4, // CUDA_ERROR_DEINITIALIZED
            201, // CUDA_ERROR_INVALID_CONTEXT
            214, // CUDA_ERROR_ECC_UNCORRECTABLE
            220, // CUDA_ERROR_NVLINK_UNCORRECTABLE
            226, // CUDA_ERROR_CONTAINED
            700, // CUDA_ERROR_ILLEGAL_ADDRESS
            702, // CUDA_ERROR_LAUNCH_TIMEOUT
            709, // CUDA_ERROR_CONTEXT_IS_DESTROYED
            710, // CUDA_ERROR_ASSERT
            714, // CUDA_ERROR_HARDWARE_STACK_ERROR
            715, // CUDA_ERROR_ILLEGAL_INSTRUCTION
            716, // CUDA_ERROR_MISALIGNED_ADDRESS
            717, // CUDA_ERROR_INVALID_ADDRESS_SPACE
            718, // CUDA_ERROR_INVALID_PC
            719, // CUDA_ERROR_LAUNCH_FAILED
            721, // CUDA_ERROR_TENSOR_MEMORY_LEAK
            999); // CUDA_ERROR_UNKNOWN

    /// The names of those that occur; the driver is not asked, since it may be what is broken.
    private static final Map<Integer, String> NAMES = Map.ofEntries(
            Map.entry(INVALID_VALUE, "CUDA_ERROR_INVALID_VALUE"),
            Map.entry(OUT_OF_MEMORY, "CUDA_ERROR_OUT_OF_MEMORY"),
            Map.entry(3, "CUDA_ERROR_NOT_INITIALIZED"),
            Map.entry(4, "CUDA_ERROR_DEINITIALIZED"),
            Map.entry(STUB_LIBRARY, "CUDA_ERROR_STUB_LIBRARY"),
            Map.entry(46, "CUDA_ERROR_DEVICE_UNAVAILABLE"),
            Map.entry(NO_DEVICE, "CUDA_ERROR_NO_DEVICE"),
            Map.entry(101, "CUDA_ERROR_INVALID_DEVICE"),
            Map.entry(200, "CUDA_ERROR_INVALID_IMAGE"),
            Map.entry(201, "CUDA_ERROR_INVALID_CONTEXT"),
            Map.entry(NO_BINARY_FOR_GPU, "CUDA_ERROR_NO_BINARY_FOR_GPU"),
            Map.entry(214, "CUDA_ERROR_ECC_UNCORRECTABLE"),
            Map.entry(218, "CUDA_ERROR_INVALID_PTX"),
            Map.entry(220, "CUDA_ERROR_NVLINK_UNCORRECTABLE"),
            Map.entry(221, "CUDA_ERROR_JIT_COMPILER_NOT_FOUND"),
            Map.entry(UNSUPPORTED_PTX_VERSION, "CUDA_ERROR_UNSUPPORTED_PTX_VERSION"),
            Map.entry(226, "CUDA_ERROR_CONTAINED"),
            Map.entry(304, "CUDA_ERROR_OPERATING_SYSTEM"),
            Map.entry(400, "CUDA_ERROR_INVALID_HANDLE"),
            Map.entry(500, "CUDA_ERROR_NOT_FOUND"),
            Map.entry(NOT_READY, "CUDA_ERROR_NOT_READY"),
            Map.entry(700, "CUDA_ERROR_ILLEGAL_ADDRESS"),
            Map.entry(701, "CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES"),
            Map.entry(702, "CUDA_ERROR_LAUNCH_TIMEOUT"),
            Map.entry(709, "CUDA_ERROR_CONTEXT_IS_DESTROYED"),
            Map.entry(710, "CUDA_ERROR_ASSERT"),
            Map.entry(714, "CUDA_ERROR_HARDWARE_STACK_ERROR"),
            Map.entry(715, "CUDA_ERROR_ILLEGAL_INSTRUCTION"),
            Map.entry(716, "CUDA_ERROR_MISALIGNED_ADDRESS"),
            Map.entry(717, "CUDA_ERROR_INVALID_ADDRESS_SPACE"),
            Map.entry(718, "CUDA_ERROR_INVALID_PC"),
            Map.entry(719, "CUDA_ERROR_LAUNCH_FAILED"),
            Map.entry(721, "CUDA_ERROR_TENSOR_MEMORY_LEAK"),
            Map.entry(800, "CUDA_ERROR_NOT_PERMITTED"),
            Map.entry(801, "CUDA_ERROR_NOT_SUPPORTED"),
            Map.entry(SYSTEM_NOT_READY, "CUDA_ERROR_SYSTEM_NOT_READY"),
            Map.entry(SYSTEM_DRIVER_MISMATCH, "CUDA_ERROR_SYSTEM_DRIVER_MISMATCH"),
            Map.entry(COMPAT_NOT_SUPPORTED_ON_DEVICE, "CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE"),
            Map.entry(999, "CUDA_ERROR_UNKNOWN"));

    private final int code;
    private final String call;

    /// @param call the driver's function
    /// @param detail sizes and names, or null
    CudaException(int code, String call, String detail) {
        super(call + ": " + name(code) + (detail == null ? "" : ", " + detail));
        this.code = code;
        this.call = call;
    }

    static String name(int code) {
        String name = NAMES.get(code);
        return name == null ? "CUDA error " + code : name;
    }

    /// The driver's `CUresult`.
    public int code() {
        return code;
    }

    /// `CUDA_ERROR_OUT_OF_MEMORY`.
    public String errorName() {
        return name(code);
    }

    /// `cuMemcpyHtoDAsync`.
    public String call() {
        return call;
    }

    /// Whether the device is of no more use to this process.
    public boolean isSticky() {
        return STICKY.contains(code);
    }

    /// Whether the device had no memory for it: something smaller, or something else first freed, may do.
    public boolean isOutOfMemory() {
        return code == OUT_OF_MEMORY;
    }

    /// Whether a fatbin holds no code for this device, or none that this driver reads.
    public boolean isWithoutImage() {
        return code == NO_BINARY_FOR_GPU || code == UNSUPPORTED_PTX_VERSION;
    }
}
