package dev.quarrel.cuda.driver;

import java.util.concurrent.atomic.AtomicLong;
import jcuda.driver.CUmemAllocationHandleType;
import jcuda.driver.CUmemAllocationType;
import jcuda.driver.CUmemLocation;
import jcuda.driver.CUmemLocationType;
import jcuda.driver.CUmemPoolProps;
import jcuda.driver.JCudaDriver;

/// A pool of device memory that is allocated and freed in the order of streams and kept in between: after the
/// first queries an allocation costs next to nothing.
///
/// Threads share it.
public final class MemoryPool implements AutoCloseable {
    private static final int RELEASE_THRESHOLD = 4; // CU_MEMPOOL_ATTR_RELEASE_THRESHOLD
    private static final int RESERVED_CURRENT = 5; // CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT

    private final CudaContext context;
    private final PoolHandle pool = new PoolHandle();
    private final AtomicLong usedBytes = new AtomicLong();
    private boolean closed;

    MemoryPool(CudaContext context) {
        this.context = context;
        context.enter();
        CUmemPoolProps properties = new CUmemPoolProps();
        properties.allocType = CUmemAllocationType.CU_MEM_ALLOCATION_TYPE_PINNED;
        properties.handleTypes = CUmemAllocationHandleType.CU_MEM_HANDLE_TYPE_NONE;
        properties.location = new CUmemLocation(CUmemLocationType.CU_MEM_LOCATION_TYPE_DEVICE, context.ordinal());
        context.check(JCudaDriver.cuMemPoolCreate(pool, properties), "cuMemPoolCreate");
        context.opened();
        // Memory stays in the pool until `trim`: what the driver would do by itself, give it back at each
        // synchronisation, costs milliseconds a query.
        int code = context.library().setPoolAttribute(pool.value(), RELEASE_THRESHOLD, Long.MAX_VALUE);
        if (code != CudaException.SUCCESS) {
            close();
            throw context.failed(code, "cuMemPoolSetAttribute", null);
        }
    }

    /// Memory for work of `stream` that is given to it from now on; its content is undefined.
    ///
    /// - Errors: [CudaException], out of memory among others, also when the device has some but in pieces.
    ///
    /// @param bytes above 0
    public DeviceBuffer allocate(Stream stream, long bytes) {
        if (bytes <= 0) {
            throw new IllegalArgumentException(bytes + " bytes of device memory");
        }
        context.enter();
        DeviceAddress address = new DeviceAddress();
        context.check(
                JCudaDriver.cuMemAllocFromPoolAsync(address, bytes, pool, stream.handle()),
                "cuMemAllocFromPoolAsync",
                bytes);
        context.opened();
        usedBytes.addAndGet(bytes);
        return new DeviceBuffer(this, stream, address.address(), bytes);
    }

    void returned(long bytes) {
        usedBytes.addAndGet(-bytes);
    }

    /// Bytes of buffers that are open.
    public long usedBytes() {
        return usedBytes.get();
    }

    /// Bytes that the pool holds of the device, used or not.
    public long reservedBytes() {
        context.enter();
        long[] bytes = new long[1];
        context.check(context.library().poolAttribute(pool.value(), RESERVED_CURRENT, bytes), "cuMemPoolGetAttribute");
        return bytes[0];
    }

    /// Gives back to the device what is not used, beyond `keepBytes`.
    public void trim(long keepBytes) {
        context.enter();
        context.check(JCudaDriver.cuMemPoolTrimTo(pool, keepBytes), "cuMemPoolTrimTo", keepBytes);
    }

    @Override
    public void close() {
        if (!closed) {
            closed = true;
            context.release("cuMemPoolDestroy", () -> JCudaDriver.cuMemPoolDestroy(pool));
        }
    }
}
