package dev.quarrel.cuda.driver;

import jcuda.driver.JCudaDriver;

/// Device memory of fixed size, from a [MemoryPool].
///
/// - Memory: given back in the order of the stream it was allocated on: closing does not wait for work there,
///   but work on *other* streams that uses it must have been waited for.
public final class DeviceBuffer implements DeviceRange, AutoCloseable {
    private final MemoryPool pool;
    private final Stream stream;
    private final long address;
    private final long bytes;
    private boolean closed;

    DeviceBuffer(MemoryPool pool, Stream stream, long address, long bytes) {
        this.pool = pool;
        this.stream = stream;
        this.address = address;
        this.bytes = bytes;
    }

    @Override
    public long address() {
        if (closed) {
            throw new IllegalStateException("the device buffer is closed");
        }
        return address;
    }

    @Override
    public long bytes() {
        return bytes;
    }

    @Override
    public void close() {
        if (closed) {
            return;
        }
        closed = true;
        pool.returned(bytes);
        stream.context()
                .release(
                        "cuMemFreeAsync",
                        () -> JCudaDriver.cuMemFreeAsync(new DeviceAddress(address), stream.handle()));
    }
}
