package dev.quarrel.cuda.driver;

import java.lang.foreign.MemorySegment;
import java.util.Objects;
import jcuda.driver.CUstream;
import jcuda.driver.CUstream_flags;
import jcuda.driver.JCudaDriver;

/// A sequence of work that the device does in order while the caller goes on.
///
/// - Memory: what a copy reads or writes must stay as it is until the stream has passed it: `synchronize`, or
///   an [Event] recorded after it.
/// - Errors: besides their own, all methods may tell of an error of earlier work.
public final class Stream implements AutoCloseable {
    private final CudaContext context;
    private final CUstream stream = new CUstream();
    private boolean closed;

    Stream(CudaContext context) {
        this.context = context;
        context.enter();
        context.check(JCudaDriver.cuStreamCreate(stream, CUstream_flags.CU_STREAM_NON_BLOCKING), "cuStreamCreate");
        context.opened();
    }

    CudaContext context() {
        return context;
    }

    CUstream handle() {
        if (closed) {
            throw new IllegalStateException("the stream is closed");
        }
        return stream;
    }

    /// Copies all of `source` to `target`, from byte `targetOffset` on.
    ///
    /// - Errors: [IllegalArgumentException] for memory in Java's heap; at full speed goes that of a
    ///   [PinnedBuffer] alone.
    public void copyToDevice(MemorySegment source, DeviceRange target, long targetOffset) {
        long bytes = source.byteSize();
        long address = place(target, targetOffset, bytes);
        if (bytes == 0) {
            return;
        }
        context.enter();
        context.check(
                JCudaDriver.cuMemcpyHtoDAsync(new DeviceAddress(address), HostAddress.of(source), bytes, handle()),
                "cuMemcpyHtoDAsync",
                bytes);
    }

    /// Fills all of `target` from byte `sourceOffset` of `source` on.
    public void copyToHost(DeviceRange source, long sourceOffset, MemorySegment target) {
        long bytes = target.byteSize();
        long address = place(source, sourceOffset, bytes);
        if (target.isReadOnly()) {
            throw new IllegalArgumentException("the target is read only");
        }
        if (bytes == 0) {
            return;
        }
        context.enter();
        context.check(
                JCudaDriver.cuMemcpyDtoHAsync(HostAddress.of(target), new DeviceAddress(address), bytes, handle()),
                "cuMemcpyDtoHAsync",
                bytes);
    }

    /// Copies on the device.
    public void copy(DeviceRange source, long sourceOffset, DeviceRange target, long targetOffset, long bytes) {
        long from = place(source, sourceOffset, bytes);
        long to = place(target, targetOffset, bytes);
        if (bytes == 0) {
            return;
        }
        context.enter();
        context.check(
                JCudaDriver.cuMemcpyDtoDAsync(new DeviceAddress(to), new DeviceAddress(from), bytes, handle()),
                "cuMemcpyDtoDAsync",
                bytes);
    }

    /// Sets bytes.
    public void fill(DeviceRange target, long offset, long bytes, byte value) {
        long address = place(target, offset, bytes);
        if (bytes == 0) {
            return;
        }
        context.enter();
        context.check(
                JCudaDriver.cuMemsetD8Async(new DeviceAddress(address), value, bytes, handle()),
                "cuMemsetD8Async",
                bytes);
    }

    private static long place(DeviceRange memory, long offset, long bytes) {
        Objects.checkFromIndexSize(offset, bytes, memory.bytes());
        return memory.address() + offset;
    }

    /// Lets later work of this stream wait until another has passed an event.
    public void waitFor(Event event) {
        context.enter();
        context.check(JCudaDriver.cuStreamWaitEvent(handle(), event.handle(), 0), "cuStreamWaitEvent");
    }

    /// Waits until all work is done.
    ///
    /// - Errors: [CudaException] of whatever work failed. The device is down then, whatever the error: what
    ///   was done and what not, and whether memory is still in use, nobody knows.
    public void synchronize() {
        context.enter();
        int code = JCudaDriver.cuStreamSynchronize(handle());
        if (code != CudaException.SUCCESS) {
            CudaException failure = context.failed(code, "cuStreamSynchronize", null);
            context.giveUp(failure);
            throw failure;
        }
    }

    /// Whether all work is done; does not wait.
    public boolean isIdle() {
        context.enter();
        int code = JCudaDriver.cuStreamQuery(handle());
        if (code == CudaException.NOT_READY) {
            return false;
        }
        context.check(code, "cuStreamQuery");
        return true;
    }

    /// Gives the stream back; work that is on its way goes on.
    @Override
    public void close() {
        if (!closed) {
            closed = true;
            context.release("cuStreamDestroy", () -> JCudaDriver.cuStreamDestroy(stream));
        }
    }
}
