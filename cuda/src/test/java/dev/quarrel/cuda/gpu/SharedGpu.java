package dev.quarrel.cuda.gpu;

import dev.quarrel.cuda.backend.Backend;
import dev.quarrel.cuda.backend.Calibration;
import dev.quarrel.cuda.backend.CommandQueue;
import dev.quarrel.cuda.backend.DeviceMemory;
import dev.quarrel.cuda.backend.DeviceStamp;
import dev.quarrel.cuda.backend.Kernel;
import dev.quarrel.cuda.driver.DriverProbe;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.atomic.AtomicLong;

/// This machine's GPU, opened once for all tests; it counts what is asked of it.
public final class SharedGpu implements Backend {
    private static SharedGpu gpu;

    private final Backend backend;
    private final AtomicLong launches = new AtomicLong();
    private final AtomicLong allocations = new AtomicLong();

    private SharedGpu(Backend backend) {
        this.backend = backend;
    }

    /// - Errors: [AssertionError] where there is none.
    public static synchronized SharedGpu get() {
        if (gpu == null) {
            gpu = switch (GpuSearch.of(DriverProbe.SYSTEM_LIBRARY, "vm")) {
                case GpuSearch.Found found -> new SharedGpu(GpuBackend.open(found, _ -> Calibration.GUESSED));
                case GpuSearch.Missing(String reason, String remedy) ->
                    throw new AssertionError(reason + "; " + remedy);
                case GpuSearch.Seen seen -> throw new AssertionError("only seen: " + seen);
            };
        }
        return gpu;
    }

    public long launches() {
        return launches.get();
    }

    /// Pieces of memory that are not freed.
    public long allocations() {
        return allocations.get();
    }

    @Override
    public String name() {
        return backend.name();
    }

    @Override
    public String description() {
        return backend.description();
    }

    @Override
    public Limits limits() {
        return backend.limits();
    }

    @Override
    public String lostReason() {
        return backend.lostReason();
    }

    @Override
    public DeviceMemory allocate(long byteSize) {
        DeviceMemory memory = backend.allocate(byteSize);
        allocations.incrementAndGet();
        return new Counted(memory);
    }

    @Override
    public CommandQueue newQueue() {
        return new Queue(backend.newQueue());
    }

    @Override
    public void close() {
        // The next test uses it too.
    }

    private final class Counted implements DeviceMemory {
        private final DeviceMemory memory;
        private boolean closed;

        Counted(DeviceMemory memory) {
            this.memory = memory;
        }

        @Override
        public long address() {
            return memory.address();
        }

        @Override
        public long byteSize() {
            return memory.byteSize();
        }

        @Override
        public synchronized void close() {
            if (!closed) {
                closed = true;
                allocations.decrementAndGet();
            }
            memory.close();
        }
    }

    private final class Queue implements CommandQueue {
        private final CommandQueue queue;

        Queue(CommandQueue queue) {
            this.queue = queue;
        }

        @Override
        public void upload(MemorySegment from, DeviceMemory to, long toOffset) {
            queue.upload(from, ((Counted) to).memory, toOffset);
        }

        @Override
        public void download(DeviceMemory from, long fromOffset, MemorySegment to) {
            queue.download(((Counted) from).memory, fromOffset, to);
        }

        @Override
        public void fill(DeviceMemory memory, long offset, long byteSize, byte value) {
            queue.fill(((Counted) memory).memory, offset, byteSize, value);
        }

        @Override
        public void launch(Kernel kernel, int blocks, int threads, int sharedBytes, MemorySegment parameters) {
            launches.incrementAndGet();
            queue.launch(kernel, blocks, threads, sharedBytes, parameters);
        }

        @Override
        public DeviceStamp stamp() {
            return queue.stamp();
        }

        @Override
        public void synchronize() {
            queue.synchronize();
        }

        @Override
        public void close() {
            queue.close();
        }
    }
}
