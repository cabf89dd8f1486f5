package dev.quarrel.cuda.driver;

import java.nio.charset.StandardCharsets;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.IntSupplier;
import jcuda.driver.CUcontext;
import jcuda.driver.CUctx_flags;
import jcuda.driver.CUdevice;
import jcuda.driver.CUdevice_attribute;
import jcuda.driver.JCudaDriver;

/// A device in use: its primary context, from which everything else is created.
///
/// Threads share it; they must be platform threads, since a context belongs to the thread of the operating
/// system that calls.
/// - Errors: every call of the driver is checked, and fails with [CudaException]. After a sticky one the
///   device is *down* for the rest of the process: further calls fail with that same error, without asking
///   the driver, and closing what is open does nothing more.
public final class CudaContext implements AutoCloseable {
    /// The context that the calling thread's calls go to.
    private static final ThreadLocal<CudaContext> ATTACHED = new ThreadLocal<>();

    private final DriverLibrary library;
    private final CUdevice device;
    private final int ordinal;
    private final CUcontext context;
    private final DeviceFacts facts;
    private final AtomicInteger openResources = new AtomicInteger();
    private final AtomicReference<CudaException> down = new AtomicReference<>();
    private volatile boolean closed;

    private CudaContext(DriverLibrary library, int ordinal, CUdevice device, CUcontext context, DeviceFacts facts) {
        this.library = library;
        this.ordinal = ordinal;
        this.device = device;
        this.context = context;
        this.facts = facts;
    }

    /// Starts using a device: a second or so, and some hundred MiB of its memory.
    ///
    /// - Errors: [CudaException], such as out of memory where other processes hold it.
    public static CudaContext open(DriverAccess driver, int ordinal) {
        JCudaNatives.load();
        CUdevice device = new CUdevice();
        require(JCudaDriver.cuDeviceGet(device, ordinal), "cuDeviceGet");
        DeviceFacts facts = facts(device);
        // Waiting threads sleep: the CPU device's workers have better use for the cores than spinning.
        int code = JCudaDriver.cuDevicePrimaryCtxSetFlags(device, CUctx_flags.CU_CTX_SCHED_BLOCKING_SYNC);
        require(code, "cuDevicePrimaryCtxSetFlags");
        CUcontext context = new CUcontext();
        require(JCudaDriver.cuDevicePrimaryCtxRetain(context, device), "cuDevicePrimaryCtxRetain");
        return new CudaContext(driver.library(), ordinal, device, context, facts);
    }

    /// What a device is, without starting to use it.
    public static DeviceFacts facts(DriverAccess driver, int ordinal) {
        Objects.requireNonNull(driver, "driver");
        JCudaNatives.load();
        CUdevice device = new CUdevice();
        require(JCudaDriver.cuDeviceGet(device, ordinal), "cuDeviceGet");
        return facts(device);
    }

    private static DeviceFacts facts(CUdevice device) {
        byte[] name = new byte[256];
        require(JCudaDriver.cuDeviceGetName(name, name.length, device), "cuDeviceGetName");
        int length = 0;
        while (length < name.length && name[length] != 0) {
            length++;
        }
        long[] total = new long[1];
        require(JCudaDriver.cuDeviceTotalMem(total, device), "cuDeviceTotalMem");
        return new DeviceFacts(
                new String(name, 0, length, StandardCharsets.UTF_8),
                attribute(device, CUdevice_attribute.CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR),
                attribute(device, CUdevice_attribute.CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR),
                attribute(device, CUdevice_attribute.CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT),
                total[0],
                attribute(device, CUdevice_attribute.CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN),
                attribute(device, CUdevice_attribute.CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE),
                attribute(device, CUdevice_attribute.CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED) != 0,
                attribute(device, CUdevice_attribute.CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED) != 0,
                attribute(device, CUdevice_attribute.CU_DEVICE_ATTRIBUTE_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR_SUPPORTED)
                        != 0);
    }

    private static int attribute(CUdevice device, int attribute) {
        int[] value = new int[1];
        require(JCudaDriver.cuDeviceGetAttribute(value, attribute, device), "cuDeviceGetAttribute");
        return value[0];
    }

    private static void require(int code, String call) {
        if (code != CudaException.SUCCESS) {
            throw new CudaException(code, call, null);
        }
    }

    public DeviceFacts facts() {
        return facts;
    }

    /// 1000 × major + 10 × minor of the CUDA version that the driver has.
    public int driverVersion() {
        return library.version();
    }

    /// Bytes that the device could still give out, to this process or another.
    public long freeBytes() {
        enter();
        long[] free = new long[1];
        check(JCudaDriver.cuMemGetInfo(free, new long[1]), "cuMemGetInfo");
        return free[0];
    }

    /// The error that took the device away, or null while it works.
    public CudaException downReason() {
        return down.get();
    }

    /// Resources that are open; none should be when this closes.
    public int openResources() {
        return openResources.get();
    }

    /// A stream of work, which runs in its own order and beside other streams'.
    public Stream newStream() {
        return new Stream(this);
    }

    /// A pool of device memory that gives out and takes back in a stream's order.
    public MemoryPool newPool() {
        return new MemoryPool(this);
    }

    /// Device memory whose address stays when it grows.
    ///
    /// @param stream whose work uses it
    /// @param maxBytes addresses to reserve; no memory yet
    public GrowableArena reserve(Stream stream, long maxBytes) {
        return new GrowableArena(this, stream, maxBytes);
    }

    /// Memory of this process that the device copies at full speed.
    public PinnedBuffer allocatePinned(long bytes) {
        return new PinnedBuffer(this, bytes);
    }

    /// Loads kernels.
    ///
    /// - Errors: [CudaException], of which [CudaException#isWithoutImage] says whether the fatbin has no code
    ///   for this device.
    public KernelModule load(Fatbin fatbin) {
        return new KernelModule(this, fatbin);
    }

    // What follows serves this package.

    DriverLibrary library() {
        return library;
    }

    int ordinal() {
        return ordinal;
    }

    /// Makes the calling thread's calls go to this context; before each call of the driver.
    ///
    /// - Errors: the sticky error, when the device is down.
    void enter() {
        CudaException reason = down.get();
        if (reason != null) {
            throw reason;
        }
        if (closed) {
            throw new IllegalStateException("the device is closed");
        }
        attach();
    }

    private void attach() {
        if (ATTACHED.get() == this) {
            return;
        }
        if (Thread.currentThread().isVirtual()) {
            throw new IllegalStateException("a virtual thread cannot call the CUDA driver");
        }
        check(JCudaDriver.cuCtxSetCurrent(context), "cuCtxSetCurrent");
        ATTACHED.set(this);
    }

    /// - Errors: [CudaException] unless the code is success.
    void check(int code, String call) {
        if (code != CudaException.SUCCESS) {
            throw failed(code, call, null);
        }
    }

    /// As `check`, of a call about so many bytes.
    void check(int code, String call, long bytes) {
        if (code != CudaException.SUCCESS) {
            throw failed(code, call, bytes + " bytes");
        }
    }

    CudaException failed(int code, String call, String detail) {
        CudaException failure = new CudaException(code, call, detail);
        if (failure.isSticky()) {
            down.compareAndSet(null, failure);
        }
        return failure;
    }

    /// Takes the device out of use, for an error after which nobody knows what it did.
    void giveUp(CudaException failure) {
        down.compareAndSet(null, failure);
    }

    void opened() {
        openResources.incrementAndGet();
    }

    /// Gives a resource back: once, whatever the state of the device, in which case there is nothing left to
    /// give back.
    void release(String call, IntSupplier driverCall) {
        openResources.decrementAndGet();
        if (down.get() != null || closed) {
            return;
        }
        attach();
        int code = driverCall.getAsInt();
        if (code != CudaException.SUCCESS) {
            CudaException failure = failed(code, call, null);
            if (!failure.isSticky()) { // a sticky error was some kernel's, and is told to whoever waits for that
                throw failure;
            }
        }
    }

    /// Ends the use of the device.
    ///
    /// - Errors: [IllegalStateException] when something made of it is still open; the device is given back
    ///   all the same.
    @Override
    public void close() {
        if (closed) {
            return;
        }
        int left = openResources.get();
        closed = true;
        if (ATTACHED.get() == this) {
            ATTACHED.remove();
        }
        int code = JCudaDriver.cuDevicePrimaryCtxRelease(device);
        if (down.get() == null) {
            require(code, "cuDevicePrimaryCtxRelease");
        }
        if (left != 0) {
            throw new IllegalStateException(left + " resources of the device are still open");
        }
    }
}
