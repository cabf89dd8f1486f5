package dev.quarrel.core.memory;

import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;
import java.lang.ref.Cleaner;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicLong;

/// Allocates the byte arrays of texts that are being made, one of which may be as large as PostgreSQL's largest
/// value, 1 GB.
///
/// Arrays above a mebibyte are counted from their allocation until the collector has taken them. Together they have a
/// sixth of the heap at most: without that bound a few statements that double a text take the heap from every session,
/// and the collector stops the process for each array that is asked for.
///
/// - Threads: any.
public final class LargeBytes {
    private static final int LARGE_BYTES = 1 << 20;
    private static final int HEAP_SHARE = 6;
    /// An array that is full grows by this part of itself at least: a text that grew by what each of its values needs
    /// would be copied for each.
    private static final int LEAST_GROWTH = 8;
    /// How often the collector is waited for: 1, 2, 4, … ms, a second together.
    private static final int WAITS = 10;
    private static final long NANOS_BETWEEN_COLLECTIONS = 200_000_000;
    private static final Cleaner CLEANER = Cleaner.create();
    private static final LargeBytes HEAP = new LargeBytes(Runtime.getRuntime().maxMemory() / HEAP_SHARE);

    private final long limitBytes;
    private final AtomicLong heldBytes = new AtomicLong();
    private final AtomicLong lastCollection = new AtomicLong(System.nanoTime() - NANOS_BETWEEN_COLLECTIONS);

    LargeBytes(long limitBytes) {
        this.limitBytes = limitBytes;
    }

    /// Copies an array into a larger one.
    ///
    /// - Errors: `QueryException` 53200 where such arrays would take more than their share of the heap.
    ///
    /// @param least what the new array must have; it has an eighth more than the old one besides, up to `wanted`
    /// @param wanted what it has where there is room; not less
    public static byte[] grow(byte[] bytes, int least, int wanted) {
        return HEAP.copy(bytes, least, wanted);
    }

    byte[] copy(byte[] bytes, int least, int wanted) {
        if (wanted <= LARGE_BYTES) {
            return Arrays.copyOf(bytes, wanted);
        }
        int length = wanted;
        if (!tryCount(wanted)) {
            length = (int) Math.clamp(bytes.length + (long) bytes.length / LEAST_GROWTH, least, wanted);
            count(length);
        }
        return counted(bytes, length);
    }

    /// Makes an array that has been counted, and has it counted no more once it is collected.
    private byte[] counted(byte[] bytes, int length) {
        boolean isMade = false;
        try {
            byte[] larger = Arrays.copyOf(bytes, length);
            AtomicLong held = heldBytes;
            CLEANER.register(larger, () -> held.addAndGet(-length));
            isMade = true;
            return larger;
        } finally {
            if (!isMade) {
                heldBytes.addAndGet(-length);
            }
        }
    }

    private boolean tryCount(int bytes) {
        if (heldBytes.addAndGet(bytes) <= limitBytes) {
            return true;
        }
        heldBytes.addAndGet(-bytes);
        return false;
    }

    /// Waits until the collector has taken enough of what is not used any more, as `java.nio` does for direct buffers.
    private void count(int bytes) {
        for (int wait = 0; bytes <= limitBytes && wait < WAITS; wait++) {
            if (tryCount(bytes)) {
                return;
            }
            collect();
            try {
                Thread.sleep(1L << wait);
            } catch (InterruptedException interrupted) {
                Thread.currentThread().interrupt();
                break;
            }
        }
        if (!tryCount(bytes)) {
            throw new QueryException(SqlState.OUT_OF_MEMORY, "out of memory")
                    .withDetail("A text needs " + bytes + " bytes at once; all texts that are being made have "
                            + limitBytes + ", a sixth of the heap.")
                    .withHint("Raise -Xmx, or make shorter texts.");
        }
    }

    private void collect() {
        long last = lastCollection.get();
        long now = System.nanoTime();
        if (now - last >= NANOS_BETWEEN_COLLECTIONS && lastCollection.compareAndSet(last, now)) {
            System.gc();
        }
    }

    long heldBytes() {
        return heldBytes.get();
    }
}
