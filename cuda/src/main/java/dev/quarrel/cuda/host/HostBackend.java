package dev.quarrel.cuda.host;

import dev.quarrel.cuda.backend.Backend;
import dev.quarrel.cuda.backend.CommandQueue;
import dev.quarrel.cuda.backend.DeviceFault;
import dev.quarrel.cuda.backend.DeviceMemory;
import dev.quarrel.cuda.backend.DeviceStamp;
import dev.quarrel.cuda.backend.Kernel;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.concurrent.atomic.AtomicLong;

/// Runs the kernels on the CPU, with one fiber per thread: for tests, which see every write past a buffer's end.
///
/// Fresh memory is poisoned, and canaries stand behind each buffer.
public final class HostBackend implements Backend {
    private static final long CANARY_BYTES = 256;
    private static final byte CANARY = (byte) 0xC7;
    private static final byte POISON = (byte) 0xA9;
    static final long MEMORY_BYTES = 1L << 30;

    private final HostLibrary library;
    private final long seed;
    private final Limits limits;
    private final AtomicLong allocatedBytes = new AtomicLong();
    private final AtomicLong launches = new AtomicLong();

    /// @param seed decides the order in which threads run: 0 in order, 1 backwards, others mixed
    public HostBackend(HostLibrary library, long seed) {
        this(library, seed, MEMORY_BYTES);
    }

    /// @param memoryBytes what the device is to have
    public HostBackend(HostLibrary library, long seed, long memoryBytes) {
        this.library = library;
        this.seed = seed;
        this.limits = new Limits(2, 64, 48 << 10, memoryBytes);
    }

    @Override
    public String name() {
        return "cuda-host";
    }

    @Override
    public String description() {
        return "the CUDA kernels on the CPU, schedule " + seed;
    }

    @Override
    public Limits limits() {
        return limits;
    }

    /// Kernels that have run.
    public long launches() {
        return launches.get();
    }

    /// Bytes that are allocated now.
    public long allocatedBytes() {
        return allocatedBytes.get();
    }

    @Override
    public DeviceMemory allocate(long byteSize) {
        if (byteSize <= 0) {
            throw new IllegalArgumentException(byteSize + " bytes");
        }
        if (allocatedBytes.addAndGet(byteSize) > limits.memoryBytes()) {
            allocatedBytes.addAndGet(-byteSize);
            throw new DeviceFault(DeviceFault.Kind.OUT_OF_MEMORY, byteSize + " bytes more than the device has");
        }
        return new Memory(byteSize);
    }

    @Override
    public CommandQueue newQueue() {
        return new Queue();
    }

    @Override
    public void close() {
        // The library stays loaded, and memory belongs to those who allocated it.
    }

    private final class Memory implements DeviceMemory {
        private final Arena arena = Arena.ofShared();
        private final MemorySegment bytes;
        private final long byteSize;
        private boolean closed;

        Memory(long byteSize) {
            this.byteSize = byteSize;
            this.bytes = arena.allocate(byteSize + CANARY_BYTES, 256);
            bytes.asSlice(0, byteSize).fill(POISON);
            bytes.asSlice(byteSize).fill(CANARY);
            library.poison(bytes.asSlice(byteSize), true);
        }

        MemorySegment at(long offset, long size) {
            if (offset < 0 || size < 0 || offset > byteSize - size) {
                throw new IllegalArgumentException(size + " bytes at " + offset + " of " + byteSize);
            }
            return bytes.asSlice(offset, size);
        }

        @Override
        public long address() {
            return bytes.address();
        }

        @Override
        public long byteSize() {
            return byteSize;
        }

        @Override
        public synchronized void close() {
            if (closed) {
                return;
            }
            closed = true;
            allocatedBytes.addAndGet(-byteSize);
            library.poison(bytes.asSlice(byteSize), false);
            boolean isIntact = true;
            for (long at = byteSize; at < byteSize + CANARY_BYTES; at++) {
                isIntact &= bytes.get(ValueLayout.JAVA_BYTE, at) == CANARY;
            }
            arena.close();
            if (!isIntact) {
                throw new IllegalStateException("a kernel wrote past a buffer of " + byteSize + " bytes");
            }
        }
    }

    private final class Queue implements CommandQueue {
        @Override
        public void upload(MemorySegment from, DeviceMemory to, long toOffset) {
            ((Memory) to).at(toOffset, from.byteSize()).copyFrom(from);
        }

        @Override
        public void download(DeviceMemory from, long fromOffset, MemorySegment to) {
            to.copyFrom(((Memory) from).at(fromOffset, to.byteSize()));
        }

        @Override
        public void fill(DeviceMemory memory, long offset, long byteSize, byte value) {
            ((Memory) memory).at(offset, byteSize).fill(value);
        }

        @Override
        public void launch(Kernel kernel, int blocks, int threads, int sharedBytes, MemorySegment parameters) {
            launches.incrementAndGet();
            String failure = library.launch(kernel, blocks, threads, sharedBytes, parameters, seed);
            if (failure != null) {
                throw new IllegalStateException(kernel.symbol() + ": " + failure);
            }
        }

        @Override
        public DeviceStamp stamp() {
            return new Stamp(System.nanoTime());
        }

        @Override
        public void synchronize() {
            // Every command is done when its call returns.
        }

        @Override
        public void close() {
            // Nothing is under way.
        }
    }

    private record Stamp(long nanos) implements DeviceStamp {
        @Override
        public double secondsSince(DeviceStamp earlier) {
            return (nanos - ((Stamp) earlier).nanos) / 1e9;
        }

        @Override
        public void close() {
            // It holds nothing.
        }
    }
}
