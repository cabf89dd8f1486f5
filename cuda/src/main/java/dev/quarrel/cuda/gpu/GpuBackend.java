package dev.quarrel.cuda.gpu;

import dev.quarrel.cuda.backend.Backend;
import dev.quarrel.cuda.backend.Calibration;
import dev.quarrel.cuda.backend.CommandQueue;
import dev.quarrel.cuda.backend.DeviceFault;
import dev.quarrel.cuda.backend.DeviceMemory;
import dev.quarrel.cuda.backend.DeviceStamp;
import dev.quarrel.cuda.backend.Kernel;
import dev.quarrel.cuda.driver.CudaContext;
import dev.quarrel.cuda.driver.CudaException;
import dev.quarrel.cuda.driver.DeviceBuffer;
import dev.quarrel.cuda.driver.DeviceFacts;
import dev.quarrel.cuda.driver.Event;
import dev.quarrel.cuda.driver.Fatbin;
import dev.quarrel.cuda.driver.KernelFunction;
import dev.quarrel.cuda.driver.KernelModule;
import dev.quarrel.cuda.driver.LaunchParameters;
import dev.quarrel.cuda.driver.MemoryPool;
import dev.quarrel.cuda.driver.PinnedRing;
import dev.quarrel.cuda.driver.Stream;
import java.lang.foreign.MemorySegment;
import java.util.EnumMap;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Runs the kernels on a GPU.
public final class GpuBackend implements Backend {
    /// What is left to the driver, to other processes, and to the pieces that a pool cannot join.
    private static final double USABLE_SHARE = 0.9;

    private static final int RING_SLOTS = 32;
    private static final long RING_SLOT_BYTES = 4L << 20;
    private static final long WAIT_MILLIS = 1000;
    private static final int THREADS_PER_BLOCK = 1024;

    private static final Logger LOG = LoggerFactory.getLogger(GpuBackend.class);

    private final AtomicBoolean lossIsTold = new AtomicBoolean();
    private final CudaContext context;
    private final KernelModule module;
    private final KernelModule sorting;
    private final Limits limits;
    private final Map<Kernel, KernelFunction> kernels;
    private final MemoryPool pool;
    /// Allocates and frees; nothing else, so that its order is that of the calls.
    private final Stream allocations;
    private final PinnedRing ring;
    private final Queue<Event> idleEvents = new ConcurrentLinkedQueue<>();
    private final Calibration calibration;

    private GpuBackend(
            CudaContext context,
            KernelModule module,
            KernelModule sorting,
            Map<Kernel, KernelFunction> kernels,
            Limits limits,
            MemoryPool pool,
            Stream allocations,
            PinnedRing ring,
            Calibration calibration) {
        this.context = context;
        this.module = module;
        this.sorting = sorting;
        this.kernels = kernels;
        this.limits = limits;
        this.pool = pool;
        this.allocations = allocations;
        this.ring = ring;
        this.calibration = calibration;
    }

    /// A backend on a device that was found.
    ///
    /// - Memory: takes `found` over, also when this fails.
    /// - Errors: [CudaException].
    ///
    /// @param calibrating finds out what the device does
    public static GpuBackend open(GpuSearch.Found found, Function<CudaContext, Calibration> calibrating) {
        return open(found, RING_SLOT_BYTES, calibrating);
    }

    static GpuBackend open(GpuSearch.Found found, long ringSlotBytes, Function<CudaContext, Calibration> calibrating) {
        CudaContext context = found.context();
        MemoryPool pool = null;
        Stream allocations = null;
        PinnedRing ring = null;
        KernelModule sorting = null;
        Map<Kernel, KernelFunction> kernels = new EnumMap<>(Kernel.class);
        try {
            DeviceFacts facts = context.facts();
            Calibration calibration = calibrating.apply(context);
            long usable = (long) (context.freeBytes() * USABLE_SHARE);
            int sharedBytes = facts.sharedBytesPerBlock();
            sorting = context.load(Fatbin.find(Kernel.SORT).orElseThrow());
            for (Kernel kernel : Kernel.values()) {
                KernelModule of = kernel.fatbin().equals(Kernel.SORT) ? sorting : found.kernels();
                KernelFunction entry = of.kernel(kernel.symbol());
                sharedBytes = Math.min(sharedBytes, facts.sharedBytesPerBlock() - entry.staticSharedBytes());
                kernels.put(kernel, entry);
            }
            for (KernelFunction entry : kernels.values()) {
                entry.allowSharedBytes(sharedBytes);
            }
            Limits limits = new Limits(facts.multiprocessors(), THREADS_PER_BLOCK, sharedBytes, usable);
            pool = context.newPool();
            allocations = context.newStream();
            ring = new PinnedRing(context, RING_SLOTS, ringSlotBytes);
            return new GpuBackend(
                    context, found.kernels(), sorting, kernels, limits, pool, allocations, ring, calibration);
        } catch (RuntimeException | Error failure) {
            closeAll(failure, ring, allocations, pool, sorting, found.kernels(), context);
            throw failure;
        }
    }

    private static void closeAll(Throwable failure, AutoCloseable... parts) {
        for (AutoCloseable part : parts) {
            try {
                if (part != null) {
                    part.close();
                }
            } catch (Exception second) {
                failure.addSuppressed(second);
            }
        }
    }

    @Override
    public String name() {
        return "cuda";
    }

    @Override
    public long usedBytes() {
        return pool.usedBytes();
    }

    @Override
    public String description() {
        return context.facts().describe();
    }

    @Override
    public Limits limits() {
        return limits;
    }

    @Override
    public Calibration calibration() {
        return calibration;
    }

    @Override
    public DeviceMemory allocate(long byteSize) {
        return answer(() -> {
            DeviceBuffer buffer = pool.allocate(allocations, byteSize);
            try {
                // All queues may use it from here on. Mostly it is there at once, and waiting would cost more than
                // asking.
                if (!allocations.isIdle()) {
                    allocations.synchronize();
                }
            } catch (CudaException failure) {
                buffer.close();
                throw failure;
            }
            return new Memory(buffer);
        });
    }

    @Override
    public CommandQueue newQueue() {
        return answer(() -> new Commands(context.newStream()));
    }

    /// Turns errors of the driver that another device can make good into [DeviceFault]; others are bugs.
    private <T> T answer(Supplier<T> call) {
        try {
            return call.get();
        } catch (CudaException failure) {
            if (context.downReason() != null) {
                if (lossIsTold.compareAndSet(false, true)) {
                    LOG.warn("device.lost device={} reason={} remedy=restart the server", name(), failure.getMessage());
                }
                throw fault(DeviceFault.Kind.LOST, failure);
            }
            if (failure.isOutOfMemory()) {
                throw fault(DeviceFault.Kind.OUT_OF_MEMORY, failure);
            }
            throw failure;
        }
    }

    private static DeviceFault fault(DeviceFault.Kind kind, CudaException failure) {
        DeviceFault fault = new DeviceFault(kind, failure.getMessage());
        fault.initCause(failure);
        return fault;
    }

    private void perform(Runnable call) {
        answer(() -> {
            call.run();
            return null;
        });
    }

    @Override
    public String lostReason() {
        CudaException reason = context.downReason();
        return reason == null ? null : "the GPU was lost (" + reason.getMessage() + ")";
    }

    @Override
    public void close() {
        for (Event event = idleEvents.poll(); event != null; event = idleEvents.poll()) {
            event.close();
        }
        ring.close();
        allocations.close();
        pool.close();
        sorting.close();
        module.close();
        context.close();
    }

    private final class Memory implements DeviceMemory {
        private final DeviceBuffer buffer;

        Memory(DeviceBuffer buffer) {
            this.buffer = buffer;
        }

        @Override
        public long address() {
            return buffer.address();
        }

        @Override
        public long byteSize() {
            return buffer.bytes();
        }

        @Override
        public synchronized void close() {
            perform(buffer::close);
        }
    }

    /// Its event goes back to the others: the driver makes and destroys events one at a time for all threads, which
    /// took nine tenths of the time of 16 workers.
    private final class Stamp implements DeviceStamp {
        private final Event event;
        private boolean closed;

        Stamp(Event event) {
            this.event = event;
        }

        @Override
        public double secondsSince(DeviceStamp earlier) {
            return answer(() -> event.secondsSince(((Stamp) earlier).event));
        }

        @Override
        public void close() {
            if (!closed) {
                closed = true;
                idleEvents.add(event);
            }
        }
    }

    private final class Commands implements CommandQueue {
        private final Stream stream;
        private final LaunchParameters parameters = new LaunchParameters(LaunchParameters.MAX_BYTES);

        Commands(Stream stream) {
            this.stream = stream;
        }

        /// Through the ring: pages of a mapped file would be copied by the driver itself, at a fraction of
        /// the bus' speed, and nothing else would go on meanwhile.
        @Override
        public void upload(MemorySegment from, DeviceMemory to, long toOffset) {
            perform(() -> {
                for (long done = 0; done < from.byteSize(); ) {
                    long bytes = Math.min(ring.slotBytes(), from.byteSize() - done);
                    PinnedRing.Slot slot = takeSlot();
                    boolean isQueued = false;
                    try {
                        MemorySegment piece = slot.segment().asSlice(0, bytes);
                        piece.copyFrom(from.asSlice(done, bytes));
                        stream.copyToDevice(piece, ((Memory) to).buffer, toOffset + done);
                        isQueued = true;
                    } finally {
                        if (isQueued) {
                            slot.giveBackAfter(stream);
                        } else {
                            slot.giveBack();
                        }
                    }
                    done += bytes;
                }
            });
        }

        private PinnedRing.Slot takeSlot() {
            try {
                PinnedRing.Slot slot = null;
                while (slot == null) {
                    CudaException reason = context.downReason();
                    if (reason != null) {
                        throw reason;
                    }
                    slot = ring.take(WAIT_MILLIS);
                }
                return slot;
            } catch (InterruptedException interrupt) {
                Thread.currentThread().interrupt();
                throw new IllegalStateException("interrupted while waiting for a buffer", interrupt);
            }
        }

        @Override
        public void download(DeviceMemory from, long fromOffset, MemorySegment to) {
            perform(() -> stream.copyToHost(((Memory) from).buffer, fromOffset, to));
        }

        @Override
        public void fill(DeviceMemory memory, long offset, long byteSize, byte value) {
            perform(() -> stream.fill(((Memory) memory).buffer, offset, byteSize, value));
        }

        @Override
        public void launch(Kernel kernel, int blocks, int threads, int sharedBytes, MemorySegment block) {
            parameters.struct().asSlice(0, block.byteSize()).copyFrom(block);
            perform(() -> kernels.get(kernel).launch(stream, blocks, threads, sharedBytes, parameters));
        }

        @Override
        public DeviceStamp stamp() {
            return answer(() -> {
                Event idle = idleEvents.poll();
                Event event = idle != null ? idle : Event.forTiming(context);
                try {
                    event.record(stream);
                    return new Stamp(event);
                } catch (CudaException failure) {
                    event.close();
                    throw failure;
                }
            });
        }

        @Override
        public void synchronize() {
            perform(stream::synchronize);
        }

        @Override
        public void close() {
            try {
                perform(stream::synchronize);
            } catch (DeviceFault _) {
                // told to whoever waited for those commands; there is nothing to wait for any more
            } finally {
                stream.close();
                parameters.close();
            }
        }
    }
}
