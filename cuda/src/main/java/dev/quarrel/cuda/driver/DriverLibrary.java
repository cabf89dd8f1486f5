package dev.quarrel.cuda.driver;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.util.Optional;

/// The driver's own library, by native access: what answers before JCuda is touched, and the functions that
/// JCuda lacks or passes wrongly.
final class DriverLibrary {
    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT;
    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG;

    private static final int RECOMMENDED_GRANULARITY = 1;

    private final MethodHandle init;
    private final MethodHandle driverGetVersion;
    private final MethodHandle deviceGetCount;
    private final MethodHandle poolSetAttribute;
    private final MethodHandle poolGetAttribute;
    private final MethodHandle allocationGranularity;
    private final MethodHandle createMemory;
    private final MethodHandle mapMemory;
    private final MethodHandle releaseMemory;
    private final MethodHandle setAccess;
    private final MethodHandle exportToShareableHandle;

    private DriverLibrary(SymbolLookup symbols) {
        this.init = function(symbols, "cuInit", INT);
        this.driverGetVersion = function(symbols, "cuDriverGetVersion", ValueLayout.ADDRESS);
        this.deviceGetCount = function(symbols, "cuDeviceGetCount", ValueLayout.ADDRESS);
        this.poolSetAttribute = function(symbols, "cuMemPoolSetAttribute", LONG, INT, ValueLayout.ADDRESS);
        this.poolGetAttribute = function(symbols, "cuMemPoolGetAttribute", LONG, INT, ValueLayout.ADDRESS);
        this.allocationGranularity =
                function(symbols, "cuMemGetAllocationGranularity", ValueLayout.ADDRESS, ValueLayout.ADDRESS, INT);
        this.createMemory = function(symbols, "cuMemCreate", ValueLayout.ADDRESS, LONG, ValueLayout.ADDRESS, LONG);
        this.mapMemory = function(symbols, "cuMemMap", LONG, LONG, LONG, LONG, LONG);
        this.releaseMemory = function(symbols, "cuMemRelease", LONG);
        this.setAccess = function(symbols, "cuMemSetAccess", LONG, LONG, ValueLayout.ADDRESS, LONG);
        this.exportToShareableHandle =
                function(symbols, "cuMemExportToShareableHandle", ValueLayout.ADDRESS, LONG, INT, LONG);
    }

    /// The library of that name or path; empty where the system has none. It stays loaded as long as the
    /// process lives: what it starts cannot be stopped.
    ///
    /// - Errors: [IllegalArgumentException] for a library without the driver's functions.
    static Optional<DriverLibrary> open(String library) {
        SymbolLookup symbols;
        try {
            symbols = SymbolLookup.libraryLookup(library, Arena.global());
        } catch (IllegalArgumentException _) {
            return Optional.empty();
        }
        return Optional.of(new DriverLibrary(symbols));
    }

    private static MethodHandle function(SymbolLookup symbols, String name, MemoryLayout... arguments) {
        MemorySegment symbol = symbols.find(name).orElse(null);
        if (symbol == null) {
            return null; // an older driver: `isComplete` says so before anything calls it
        }
        return Linker.nativeLinker().downcallHandle(symbol, FunctionDescriptor.of(INT, arguments));
    }

    /// Whether all functions are there.
    boolean isComplete() {
        return init != null
                && driverGetVersion != null
                && deviceGetCount != null
                && poolSetAttribute != null
                && poolGetAttribute != null
                && allocationGranularity != null
                && createMemory != null
                && mapMemory != null
                && releaseMemory != null
                && setAccess != null
                && exportToShareableHandle != null;
    }

    /// @return the driver's code
    int init() {
        try {
            return (int) init.invokeExact(0);
        } catch (Throwable problem) {
            throw unexpected(problem);
        }
    }

    /// The newest CUDA that the driver supports, as 1000 × major + 10 × minor; asked without `init`.
    int version() {
        return number(driverGetVersion, "cuDriverGetVersion");
    }

    int deviceCount() {
        return number(deviceGetCount, "cuDeviceGetCount");
    }

    private static int number(MethodHandle function, String call) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment number = arena.allocate(INT);
            int code = (int) function.invokeExact(number);
            if (code != CudaException.SUCCESS) {
                throw new CudaException(code, call, null);
            }
            return number.get(INT, 0);
        } catch (CudaException failed) {
            throw failed;
        } catch (Throwable problem) {
            throw unexpected(problem);
        }
    }

    /// @return the driver's code
    int setPoolAttribute(long pool, int attribute, long value) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment cell = arena.allocateFrom(LONG, value);
            return (int) poolSetAttribute.invokeExact(pool, attribute, cell);
        } catch (Throwable problem) {
            throw unexpected(problem);
        }
    }

    /// @param value one cell for the answer
    /// @return the driver's code
    int poolAttribute(long pool, int attribute, long[] value) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment cell = arena.allocate(LONG);
            int code = (int) poolGetAttribute.invokeExact(pool, attribute, cell);
            value[0] = cell.get(LONG, 0);
            return code;
        } catch (Throwable problem) {
            throw unexpected(problem);
        }
    }

    /// What memory made by `createMemory` is a multiple of.
    ///
    /// @param isExported whether pieces can be given to other processes as file descriptors
    /// @param bytes one cell for the answer
    /// @return the driver's code
    int allocationGranularity(int ordinal, boolean isExported, long[] bytes) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment cell = arena.allocate(LONG);
            int code = (int) allocationGranularity.invokeExact(
                    cell, memoryProperties(arena, ordinal, isExported), RECOMMENDED_GRANULARITY);
            bytes[0] = cell.get(LONG, 0);
            return code;
        } catch (Throwable problem) {
            throw unexpected(problem);
        }
    }

    /// Makes memory that is yet to be mapped: JCuda's own call leaves parts of the properties as they happen to be,
    /// which newer drivers refuse.
    ///
    /// @param handle one cell for the answer
    /// @return the driver's code
    int createMemory(int ordinal, boolean isExported, long bytes, long[] handle) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment cell = arena.allocate(LONG);
            int code = (int) createMemory.invokeExact(cell, bytes, memoryProperties(arena, ordinal, isExported), 0L);
            handle[0] = cell.get(LONG, 0);
            return code;
        } catch (Throwable problem) {
            throw unexpected(problem);
        }
    }

    /// Maps made memory at reserved addresses.
    ///
    /// @return the driver's code
    int mapMemory(long address, long bytes, long handle) {
        try {
            return (int) mapMemory.invokeExact(address, bytes, 0L, handle, 0L);
        } catch (Throwable problem) {
            throw unexpected(problem);
        }
    }

    /// Gives made memory back, once it is mapped nowhere.
    ///
    /// @return the driver's code
    int releaseMemory(long handle) {
        try {
            return (int) releaseMemory.invokeExact(handle);
        } catch (Throwable problem) {
            throw unexpected(problem);
        }
    }

    /// CUmemAllocationProp: pinned; the kinds of handles; the place's kind (a device) and number; nothing else.
    private static MemorySegment memoryProperties(Arena arena, int ordinal, boolean isExported) {
        return arena.allocateFrom(INT, 1, isExported ? GrowableArena.POSIX_FILE_DESCRIPTOR : 0, 1, ordinal, 0, 0, 0, 0);
    }

    /// Lets a device read and write mapped memory: JCuda's own call puts the flags where the kind of place
    /// belongs.
    ///
    /// @return the driver's code
    int allowAccess(long address, long bytes, int ordinal) {
        try (Arena arena = Arena.ofConfined()) {
            // CUmemAccessDesc: the place's kind (a device) and number, then read and write.
            MemorySegment access = arena.allocateFrom(INT, 1, ordinal, 3);
            return (int) setAccess.invokeExact(address, bytes, access, 1L);
        } catch (Throwable problem) {
            throw unexpected(problem);
        }
    }

    /// A file descriptor for an allocation's handle: JCuda's own call passes no place for the answer.
    ///
    /// @param descriptor one cell for the answer
    /// @return the driver's code
    int exportFileDescriptor(long handle, int[] descriptor) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment cell = arena.allocate(INT);
            int code = (int) exportToShareableHandle.invokeExact(cell, handle, GrowableArena.POSIX_FILE_DESCRIPTOR, 0L);
            descriptor[0] = cell.get(INT, 0);
            return code;
        } catch (Throwable problem) {
            throw unexpected(problem);
        }
    }

    /// Native calls throw nothing of their own.
    private static IllegalStateException unexpected(Throwable problem) {
        return new IllegalStateException("calling the CUDA driver", problem);
    }
}
