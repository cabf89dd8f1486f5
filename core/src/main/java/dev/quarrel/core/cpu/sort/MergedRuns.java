package dev.quarrel.core.cpu.sort;

import dev.quarrel.core.budget.Cancellation;
import dev.quarrel.core.column.Batch;
import dev.quarrel.core.device.Materialized;
import dev.quarrel.core.ir.Pipeline;
import dev.quarrel.core.run.BatchBytes;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/// Sorted rows, merged from runs as they are asked for.
///
/// Each batch can be had once, and is the receiver's. One thread merges a part at a time; who finds the part of its
/// batch taken merges a later one meanwhile, whose batches wait until they are asked for.
final class MergedRuns implements Materialized {
    private static final long WAIT_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

    private final Pipeline pipeline;
    private final SortedRuns runs;
    private final long rowCount;
    private final int batchRows;
    private final int threads;
    private final long maxWaitingBytes;
    private final Cancellation cancellation;
    private final List<Part> parts = new ArrayList<>();
    private final int batchCount;

    // Guarded by the lock.
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private final Map<Integer, Batch> waiting = new HashMap<>();
    private long waitingBytes;
    private boolean closed;

    /// Rows of one part that are wanted, and its batches.
    private static final class Part {
        private final int number;
        private final int index;
        private final int firstBatch;
        private final long rowCount;
        private long toSkip;
        private int made;
        private boolean isTaken; // some thread merges it
        private RowMerge merge; // from its first batch to its last

        Part(int number, int index, int firstBatch, long toSkip, long rowCount) {
            this.number = number;
            this.index = index;
            this.firstBatch = firstBatch;
            this.toSkip = toSkip;
            this.rowCount = rowCount;
        }

        int batchCount(int batchRows) {
            return Math.toIntExact((rowCount + batchRows - 1) / batchRows);
        }

        int batchRows(int batch, int batchRows) {
            return (int) Math.min(batchRows, rowCount - (long) batch * batchRows);
        }
    }

    /// @param runs cut; owned from here on
    /// @param first, `end` the places in order of the rows wanted
    /// @param threads that merge at the same time at most
    /// @param maxWaitingBytes of batches made before they are asked for, about
    MergedRuns(
            Pipeline pipeline,
            SortedRuns runs,
            long first,
            long end,
            int threads,
            long maxWaitingBytes,
            Cancellation cancellation) {
        this.pipeline = pipeline;
        this.runs = runs;
        this.rowCount = Math.max(0, end - first);
        this.batchRows = runs.batchRows();
        this.threads = threads;
        this.maxWaitingBytes = maxWaitingBytes;
        this.cancellation = cancellation;
        int batches = 0;
        long start = 0;
        for (int number = 0; number < runs.partCount(); number++) {
            long partRows = runs.rowCount(number);
            long from = Math.max(start, first);
            long to = Math.min(start + partRows, end);
            if (from < to) {
                Part part = new Part(number, parts.size(), batches, from - start, to - from);
                parts.add(part);
                batches += part.batchCount(batchRows);
            }
            start += partRows;
        }
        this.batchCount = batches;
    }

    @Override
    public Pipeline pipeline() {
        return pipeline;
    }

    @Override
    public long rowCount() {
        return rowCount;
    }

    @Override
    public boolean isReadOnce() {
        return true;
    }

    @Override
    public int batchCount() {
        return batchCount;
    }

    @Override
    public int batchRows(int batch) {
        Part part = partOf(batch);
        return part.batchRows(batch - part.firstBatch, batchRows);
    }

    private Part partOf(int batch) {
        int low = 0;
        int high = parts.size() - 1;
        while (low < high) {
            int middle = low + high + 1 >>> 1;
            if (parts.get(middle).firstBatch <= batch) {
                low = middle;
            } else {
                high = middle - 1;
            }
        }
        return parts.get(low);
    }

    @Override
    public Batch batch(int batch) {
        Part part = partOf(batch);
        while (true) {
            Part work;
            lock.lock();
            try {
                cancellation.check();
                Batch ready = waiting.remove(batch);
                if (ready != null) {
                    waitingBytes -= BatchBytes.of(ready);
                    changed.signalAll();
                    return ready;
                }
                if (batch - part.firstBatch < part.made) {
                    throw new IllegalStateException("batch " + batch + " of sorted rows is asked for twice");
                }
                work = part.isTaken ? later(part) : part;
                if (work == null) {
                    // Its maker says when it is there; a query that stops is looked for.
                    if (changed.awaitNanos(WAIT_NANOS) <= 0) {
                        cancellation.check();
                    }
                    continue;
                }
                work.isTaken = true;
            } catch (InterruptedException interrupted) {
                Thread.currentThread().interrupt();
                throw new IllegalStateException("interrupted", interrupted);
            } finally {
                lock.unlock();
            }
            merge(work);
        }
    }

    /// A later part to merge while another thread has this one, or null.
    private Part later(Part part) {
        if (waitingBytes >= maxWaitingBytes) {
            return null;
        }
        int end = Math.min(parts.size(), part.index + threads);
        for (int index = part.index + 1; index < end; index++) {
            Part candidate = parts.get(index);
            if (!candidate.isTaken && candidate.made < candidate.batchCount(batchRows)) {
                return candidate;
            }
        }
        return null;
    }

    /// Makes the next batch of a part that is taken, and lets go of it.
    private void merge(Part part) {
        Batch made = null;
        try {
            made = next(part);
        } finally {
            lock.lock();
            try {
                part.isTaken = false;
                if (made != null) {
                    waiting.put(part.firstBatch + part.made, made);
                    waitingBytes += BatchBytes.of(made);
                    part.made++;
                }
                changed.signalAll();
            } finally {
                lock.unlock();
            }
        }
    }

    private Batch next(Part part) {
        if (part.merge == null) {
            part.merge = runs.merge(part.number);
        }
        while (part.toSkip > 0) {
            cancellation.check();
            int count = (int) Math.min(part.toSkip, batchRows);
            part.merge.next(count).close();
            part.toSkip -= count;
        }
        cancellation.check();
        Batch made = part.merge.next(part.batchRows(part.made, batchRows));
        if (part.made + 1 == part.batchCount(batchRows)) {
            part.merge.close();
            part.merge = null;
        }
        return made;
    }

    @Override
    public void close() {
        lock.lock();
        try {
            if (closed) {
                return;
            }
            closed = true;
            waiting.values().forEach(Batch::close);
            waiting.clear();
        } finally {
            lock.unlock();
        }
        for (Part part : parts) {
            if (part.merge != null) {
                part.merge.close();
                part.merge = null;
            }
        }
        runs.close();
    }
}
