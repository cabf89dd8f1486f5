package dev.quarrel.core.memory;

import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;
import java.lang.ref.Cleaner;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicLong;

/// The byte array of a text, or of a tile's texts, that is being made, which may be as large as PostgreSQL's largest
/// value, 1 GB.
///
/// Arrays above a mebibyte are counted as long as somebody has them: one that has grown is counted no more, and
/// the last one is until the collector has found that its owner is gone. Together they have a sixth of the heap
/// at most: without that bound a few statements that double a text take the heap from every session, and the
/// collector stops the process for each array that is asked for.
///
/// - Threads: its owner's.
public final class LargeBytes {
    private static final int LARGE_BYTES = 1 << 20;
    private static final int HEAP_SHARE = 6;
    /// An array that is full grows by this part of itself at least: a text that grew by what each of its values needs
    /// would be copied for each.
    private static final int LEAST_GROWTH = 8;
    private static final Cleaner CLEANER = Cleaner.create();
    private static final Share HEAP = new Share(Runtime.getRuntime().maxMemory() / HEAP_SHARE);

    private final Counted counted;

    /// Whoever has the array has this, too, and nobody else.
    public LargeBytes() {
        this(HEAP);
    }

    LargeBytes(Share share) {
        this.counted = new Counted(share);
        CLEANER.register(this, counted);
    }

    /// Whether an array of so many bytes is counted.
    public static boolean isLarge(int bytes) {
        return bytes > LARGE_BYTES;
    }

    /// Copies the array into a larger one, which takes its place.
    ///
    /// - Errors: `QueryException` 53200 where such arrays would take more than their share of the heap.
    ///
    /// @param least what the new array must have; it has an eighth more than the old one besides, up to `wanted`
    /// @param wanted what it has where there is room; not less
    public byte[] grow(byte[] bytes, int least, int wanted) {
        int length = wanted;
        if (!counted.share.tryCount(wanted)) {
            length = (int) Math.clamp(bytes.length + (long) bytes.length / LEAST_GROWTH, least, wanted);
            counted.share.count(length);
        }
        boolean isMade = false;
        try {
            byte[] larger = Arrays.copyOf(bytes, length);
            isMade = true;
            return larger;
        } finally {
            counted.share.release(isMade ? counted.bytes : length);
            counted.bytes = isMade ? length : counted.bytes;
        }
    }

    /// The owner has no large array any more.
    public void drop() {
        counted.share.release(counted.bytes);
        counted.bytes = 0;
    }

    /// What the owner's array has been counted as.
    private static final class Counted implements Runnable {
        private final Share share;
        private volatile long bytes;

        Counted(Share share) {
            this.share = share;
        }

        @Override
        public void run() {
            share.release(bytes);
        }
    }

    /// The room that all such arrays have.
    static final class Share {
        /// Whoever waits for room has so many collections.
        private static final int COLLECTIONS = 4;
        /// After a collection its cleaner is waited for: 1, 2, 4, … ms, a quarter of a second together.
        private static final int WAITS = 8;

        private final long limitBytes;
        private final AtomicLong heldBytes = new AtomicLong();
        private final AtomicLong collections = new AtomicLong();

        Share(long limitBytes) {
            this.limitBytes = limitBytes;
        }

        long heldBytes() {
            return heldBytes.get();
        }

        private boolean tryCount(int bytes) {
            if (heldBytes.addAndGet(bytes) <= limitBytes) {
                return true;
            }
            heldBytes.addAndGet(-bytes);
            return false;
        }

        private void release(long bytes) {
            heldBytes.addAndGet(-bytes);
        }

        /// Waits until the collector has found what is not used any more, as `java.nio` does for direct buffers.
        private void count(int bytes) {
            for (int round = 0; bytes <= limitBytes && round < COLLECTIONS; round++) {
                collect();
                for (int wait = 0; wait < WAITS; wait++) {
                    if (tryCount(bytes)) {
                        return;
                    }
                    if (!pause(1L << wait)) {
                        throw outOfMemory(bytes);
                    }
                }
            }
            if (!tryCount(bytes)) {
                throw outOfMemory(bytes);
            }
        }

        private QueryException outOfMemory(int bytes) {
            return new QueryException(SqlState.OUT_OF_MEMORY, "out of memory")
                    .withDetail("A text needs " + bytes + " bytes at once; all texts that are being made have "
                            + limitBytes + ", a sixth of the heap.")
                    .withHint("Raise -Xmx, or make shorter texts.");
        }

        /// Waits for the end of a collection that has not begun yet: many who wait have the same one.
        private void collect() {
            long before = collections.get();
            synchronized (this) {
                if (collections.get() - before < 2) { // one that was under way may have missed something
                    System.gc();
                    collections.incrementAndGet();
                }
            }
        }

        /// @return false where the thread was interrupted
        private static boolean pause(long millis) {
            try {
                Thread.sleep(millis);
                return true;
            } catch (InterruptedException interrupted) {
                Thread.currentThread().interrupt();
                return false;
            }
        }
    }
}
