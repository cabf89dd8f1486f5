package dev.quarrel.cuda.driver;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;

/// Pinned buffers through which all copies go, in turn: while one is on its way, the next is filled.
///
/// Threads share it.
public final class PinnedRing implements AutoCloseable {
    private final long slotBytes;
    private final List<Slot> slots = new ArrayList<>();
    private final BlockingQueue<Slot> waiting;

    /// One buffer, in the hands of whoever took it.
    public final class Slot {
        private final PinnedBuffer buffer;
        private final Event copied;
        private boolean taken;

        private Slot(PinnedBuffer buffer, Event copied) {
            this.buffer = buffer;
            this.copied = copied;
        }

        /// Its memory, all of it.
        public MemorySegment segment() {
            if (!taken) {
                throw new IllegalStateException("the slot was given back");
            }
            return buffer.segment();
        }

        /// Gives the buffer back; it is used again when `stream` has done what it was given so far.
        public void giveBackAfter(Stream stream) {
            try {
                copied.record(stream);
            } finally {
                giveBack();
            }
        }

        /// Gives the buffer back, which no copy uses.
        public void giveBack() {
            if (!taken) {
                throw new IllegalStateException("the slot was given back");
            }
            taken = false;
            waiting.add(this);
        }
    }

    /// @param count buffers, 2 at least; 8 to 16 of 16 MiB keep a bus busy
    public PinnedRing(CudaContext context, int count, long slotBytes) {
        if (count < 2) {
            throw new IllegalArgumentException("a ring of " + count);
        }
        this.slotBytes = slotBytes;
        this.waiting = new ArrayBlockingQueue<>(count);
        try {
            while (slots.size() < count) {
                PinnedBuffer buffer = context.allocatePinned(slotBytes);
                try {
                    slots.add(new Slot(buffer, Event.forWaiting(context)));
                } catch (CudaException failed) {
                    buffer.close();
                    throw failed;
                }
            }
        } catch (CudaException failed) {
            close();
            throw failed;
        }
        waiting.addAll(slots);
    }

    public long slotBytes() {
        return slotBytes;
    }

    /// The buffer that was given back first, when what was copied from it has arrived; null when all were in
    /// other hands for that long.
    ///
    /// - Errors: [CudaException] of that copy.
    public Slot take(long timeoutMillis) throws InterruptedException {
        Slot slot = waiting.poll(timeoutMillis, TimeUnit.MILLISECONDS);
        if (slot == null) {
            return null;
        }
        try {
            slot.copied.synchronize();
        } catch (CudaException failed) {
            waiting.add(slot);
            throw failed;
        }
        slot.taken = true;
        return slot;
    }

    /// Frees the buffers, when what was copied from those that were given back has arrived; all should be.
    @Override
    public void close() {
        for (Slot slot : slots) {
            try {
                slot.copied.synchronize();
            } catch (CudaException _) {
                // told to whoever waits for that stream
            }
            slot.copied.close();
            slot.buffer.close();
        }
        slots.clear();
        waiting.clear();
    }
}
