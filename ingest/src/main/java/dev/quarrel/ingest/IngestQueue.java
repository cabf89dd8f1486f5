package dev.quarrel.ingest;

import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;
import dev.quarrel.ingest.intake.Chunk;
import dev.quarrel.ingest.intake.Intake;
import dev.quarrel.ingest.intake.Receipt;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/// Chunks that wait for the log.
final class IngestQueue implements Intake {
    /// A chunk with whom to tell what became of it.
    record Offer(Chunk chunk, Receipt receipt) {}

    private final long mostBytes;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private final ArrayDeque<Offer> offers = new ArrayDeque<>(); // guarded by lock
    private final List<Runnable> waiting = new ArrayList<>(); // guarded by lock
    private long waitingBytes; // guarded by lock
    private long pendingBytes; // guarded by lock: taken, and not settled yet
    private boolean isClosed; // guarded by lock

    IngestQueue(long mostBytes) {
        this.mostBytes = mostBytes;
    }

    @Override
    public void offer(Chunk chunk, Receipt receipt) {
        lock.lock();
        try {
            if (!isClosed) {
                offers.add(new Offer(chunk, receipt));
                waitingBytes += chunk.byteSize();
                changed.signal();
                return;
            }
        } finally {
            lock.unlock();
        }
        receipt.refused(closing());
    }

    private static QueryException closing() {
        return new QueryException(SqlState.ADMIN_SHUTDOWN, "the process is being shut down");
    }

    @Override
    public boolean hasRoom() {
        lock.lock();
        try {
            return hasRoomNow();
        } finally {
            lock.unlock();
        }
    }

    private boolean hasRoomNow() {
        return waitingBytes + pendingBytes < mostBytes || isClosed;
    }

    @Override
    public void whenRoom(Runnable action) {
        lock.lock();
        try {
            if (!hasRoomNow()) {
                waiting.add(action);
                return;
            }
        } finally {
            lock.unlock();
        }
        action.run();
    }

    /// Waits for chunks and takes them, as many as a group is to have.
    ///
    /// @return none where none came in time; null when the queue is closed and empty
    List<Offer> take(long groupBytes, long waitMillis) throws InterruptedException {
        lock.lock();
        try {
            long nanos = TimeUnit.MILLISECONDS.toNanos(waitMillis);
            while (offers.isEmpty() && !isClosed && nanos > 0) {
                nanos = changed.awaitNanos(nanos);
            }
            if (offers.isEmpty()) {
                return isClosed ? null : List.of();
            }
            List<Offer> taken = new ArrayList<>();
            long bytes = 0;
            while (!offers.isEmpty() && bytes < groupBytes) {
                Offer offer = offers.poll();
                taken.add(offer);
                bytes += offer.chunk().byteSize();
            }
            waitingBytes -= bytes;
            pendingBytes += bytes;
            return taken;
        } finally {
            lock.unlock();
        }
    }

    /// Says that what was taken needs no memory any more.
    void settled(long bytes) {
        List<Runnable> woken = List.of();
        lock.lock();
        try {
            pendingBytes -= bytes;
            if (hasRoomNow() && !waiting.isEmpty()) {
                woken = List.copyOf(waiting);
                waiting.clear();
            }
        } finally {
            lock.unlock();
        }
        woken.forEach(Runnable::run);
    }

    /// Bytes that are not settled.
    long byteSize() {
        lock.lock();
        try {
            return waitingBytes + pendingBytes;
        } finally {
            lock.unlock();
        }
    }

    /// Takes no more; what there is can be taken still.
    void close() {
        List<Runnable> woken;
        lock.lock();
        try {
            isClosed = true;
            woken = List.copyOf(waiting);
            waiting.clear();
            changed.signalAll();
        } finally {
            lock.unlock();
        }
        woken.forEach(Runnable::run);
    }
}
