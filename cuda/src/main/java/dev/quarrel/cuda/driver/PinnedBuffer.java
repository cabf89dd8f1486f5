package dev.quarrel.cuda.driver;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import jcuda.driver.JCudaDriver;

/// Memory of this process that stays in place, so that the device reads and writes it by itself: the only kind
/// whose copies run at the speed of the bus, and alongside other work.
public final class PinnedBuffer implements AutoCloseable {
    private final CudaContext context;
    private final HostAddress pointer = new HostAddress();
    private final Arena arena = Arena.ofShared();
    private final MemorySegment segment;
    private final long deviceAddress;
    private boolean closed;

    PinnedBuffer(CudaContext context, long bytes) {
        if (bytes <= 0) {
            throw new IllegalArgumentException(bytes + " bytes of pinned memory");
        }
        this.context = context;
        context.enter();
        int flags = JCudaDriver.CU_MEMHOSTALLOC_PORTABLE | JCudaDriver.CU_MEMHOSTALLOC_DEVICEMAP;
        context.check(JCudaDriver.cuMemHostAlloc(pointer, bytes, flags), "cuMemHostAlloc", bytes);
        context.opened();
        DeviceAddress mapped = new DeviceAddress();
        int code = JCudaDriver.cuMemHostGetDevicePointer(mapped, pointer, 0);
        this.deviceAddress = mapped.address();
        this.segment = MemorySegment.ofAddress(pointer.address()).reinterpret(bytes, arena, null);
        if (code != CudaException.SUCCESS) {
            close();
            throw context.failed(code, "cuMemHostGetDevicePointer", null);
        }
    }

    /// The memory; of no use once this is closed.
    public MemorySegment segment() {
        return segment;
    }

    /// Where kernels find it, over the bus.
    public long deviceAddress() {
        return deviceAddress;
    }

    /// Gives it back; no copy may be on its way.
    @Override
    public void close() {
        if (!closed) {
            closed = true;
            arena.close();
            context.release("cuMemFreeHost", () -> JCudaDriver.cuMemFreeHost(pointer));
        }
    }
}
