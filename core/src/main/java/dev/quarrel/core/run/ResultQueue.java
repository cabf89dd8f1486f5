package dev.quarrel.core.run;

import dev.quarrel.core.column.Batch;
import dev.quarrel.core.device.Morsel;
import dev.quarrel.core.device.ResultChannel;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;

/// The rows between the root pipeline's workers and the reader: in the morsels' order, bounded, OFFSET and
/// LIMIT applied.
///
/// Every method but [#transfer] is called under the scheduler's lock.
final class ResultQueue implements ResultChannel {
    /// Bytes that may wait for the reader before no further morsel is given out, an eighth of the query's memory at
    /// most. Morsels that run may hand over a few times that together, and the one that is read as much on top,
    /// before they are held back.
    static final long MAX_WAITING_BYTES = 8L << 20;

    private static final int HELD_BACK = 2;

    private final QueryRun query;
    private final RowWindow window;
    private final int windowMorsels;
    private final long maxWaitingBytes;
    private final List<Waiting> morsels = new ArrayList<>();
    private int head; // the morsel the reader reads
    private int settled; // morsels before it have ended without error
    private long settledRows;
    private int failed = Integer.MAX_VALUE;
    private long waitingBytes;
    private int waitingBatches;

    private static final class Waiting {
        final Deque<Batch> batches = new ArrayDeque<>(2);
        long rows;
        long bytes;
        boolean ended;
        RuntimeException error;
    }

    ResultQueue(QueryRun query, RowWindow window, int threads, long memoryBytes) {
        this.query = query;
        this.window = window;
        this.maxWaitingBytes = Math.min(MAX_WAITING_BYTES, memoryBytes / 8);
        this.windowMorsels = 2 * threads + 2;
    }

    private Waiting waiting(int morsel) {
        while (morsels.size() <= morsel) {
            morsels.add(new Waiting());
        }
        return morsels.get(morsel);
    }

    @Override
    public void awaitRoom(Morsel morsel) {
        if (!(Thread.currentThread() instanceof Worker worker)) {
            return; // it may be the reader
        }
        query.lock();
        try {
            while (!hasRoom(morsel, 1) && !query.isStopped() && query.holdBack(worker, morsel)) {
                // until there is
            }
        } finally {
            query.unlock();
        }
        query.cancellation().check();
    }

    /// Whether there is so much room for a morsel's rows that it is worth going on with it.
    boolean hasRoomAgain(Morsel morsel) {
        return hasRoom(morsel, 2);
    }

    /// The morsel that is read always has room when nothing of it is there to read: so there is no end to waiting but
    /// the reader's.
    private boolean hasRoom(Morsel morsel, int part) {
        boolean isRead = morsel.index() <= head;
        long bytes = isRead ? waiting(morsel.index()).bytes : waitingBytes;
        return bytes < (isRead ? maxWaitingBytes : HELD_BACK * maxWaitingBytes) / part || isPastEnd(morsel);
    }

    @Override
    public void transfer(Morsel morsel, Batch batch) {
        query.lock();
        try {
            if (batch.rowCount() > 0 && !query.isStopped() && !isPastEnd(morsel)) {
                Waiting place = waiting(morsel.index());
                place.batches.add(batch);
                place.rows += batch.rowCount();
                long bytes = BatchBytes.of(batch);
                place.bytes += bytes;
                waitingBytes += bytes;
                waitingBatches++;
                if (morsel.index() == head) {
                    query.signalReader();
                }
                return;
            }
        } finally {
            query.unlock();
        }
        batch.close();
    }

    private boolean isPastEnd(Morsel morsel) {
        return morsel.index() > failed || morsel.index() > settled && hasEnoughRows();
    }

    void ended(int morsel) {
        waiting(morsel).ended = true;
        while (settled < morsels.size() && morsels.get(settled).ended && morsels.get(settled).error == null) {
            settledRows += morsels.get(settled).rows;
            settled++;
        }
        query.signalReader();
    }

    /// A morsel that failed. With a LIMIT the error counts only if the reader gets there, as PostgreSQL stops
    /// before it.
    ///
    /// - Returns: whether it was kept for the reader; otherwise the query fails at once.
    boolean failed(int morsel, RuntimeException error) {
        if (!window.isLimited()) {
            return false;
        }
        Waiting place = waiting(morsel);
        place.error = error;
        place.ended = true;
        failed = Math.min(failed, morsel);
        query.signalReader();
        return true;
    }

    /// Whether the reader is near enough for another morsel.
    boolean admits(int morsel) {
        return morsel - head < windowMorsels && waitingBytes < maxWaitingBytes;
    }

    /// Whether no further morsel can change the answer.
    boolean isSatisfied() {
        return failed != Integer.MAX_VALUE || hasEnoughRows();
    }

    private boolean hasEnoughRows() {
        long inProgress = settled < morsels.size() ? morsels.get(settled).rows : 0;
        return settledRows + inProgress >= window.lastRow();
    }

    /// The next rows for the reader, or null while there are none.
    ///
    /// - Errors: that of the morsel the reader has come to.
    Batch poll() {
        while (!window.isSpent() && head < morsels.size()) {
            Waiting place = morsels.get(head);
            Batch batch = place.batches.poll();
            if (batch == null) {
                if (place.error != null) {
                    throw place.error;
                }
                if (!place.ended) {
                    return null;
                }
                morsels.set(head, null);
                head++;
                query.signalWork();
                query.releaseHeld();
                continue;
            }
            boolean wasFull = waitingBytes >= maxWaitingBytes;
            long bytes = BatchBytes.of(batch);
            place.bytes -= bytes;
            waitingBytes -= bytes;
            waitingBatches--;
            if (wasFull) {
                query.signalWork();
            }
            query.releaseHeld();
            Batch given = window.cut(batch);
            if (given != null) {
                return given;
            }
        }
        return null;
    }

    /// Whether the reader has had all it asked for.
    boolean isSpent() {
        return window.isSpent();
    }

    long waitingBytes() {
        return waitingBytes;
    }

    /// Takes out everything that still waits, for closing.
    List<Batch> drain() {
        List<Batch> rest = new ArrayList<>();
        for (int index = head; index < morsels.size(); index++) {
            rest.addAll(morsels.get(index).batches);
            morsels.get(index).batches.clear();
        }
        waitingBytes = 0;
        waitingBatches = 0;
        return rest;
    }
}
