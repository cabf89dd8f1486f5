package dev.quarrel.cuda.service;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.locks.ReentrantLock;

/// Which queries are on the device: so many at a time, each with the memory that it said it needs, first come
/// first served.
///
/// What a query needs is known exactly before it starts, from the metadata of its files, so none that is
/// admitted runs out of memory, and one that can never fit is told so at once, with the reason.
///
/// Threads share it. Nobody waits inside: who must wait is called when its turn comes.
public final class Admission {
    private final ReentrantLock lock = new ReentrantLock();
    private final int maxQueries;
    private final Deque<Ticket> waiting = new ArrayDeque<>();
    private long capacityBytes;
    private long usedBytes;
    private int running;
    private String downReason;

    /// What became of a request.
    public sealed interface Answer {
        /// In, or in the queue.
        record Queued(Ticket ticket) implements Answer {}

        /// @param reason for EXPLAIN
        record Refused(String reason) implements Answer {}
    }

    /// A query's place on the device, or in the queue before it; closed when it needs it no longer.
    public final class Ticket implements AutoCloseable {
        private final long bytes;
        private final Runnable whenAdmitted;
        private boolean admitted;
        private boolean closed;

        private Ticket(long bytes, Runnable whenAdmitted) {
            this.bytes = bytes;
            this.whenAdmitted = whenAdmitted;
        }

        public long bytes() {
            return bytes;
        }

        public boolean isAdmitted() {
            lock.lock();
            try {
                return admitted && !closed;
            } finally {
                lock.unlock();
            }
        }

        /// Leaves the device, or the queue.
        @Override
        public void close() {
            List<Ticket> next;
            lock.lock();
            try {
                if (closed) {
                    return;
                }
                closed = true;
                if (admitted) {
                    usedBytes -= bytes;
                    running--;
                } else {
                    waiting.remove(this);
                }
                next = admitWaiting();
            } finally {
                lock.unlock();
            }
            next.forEach(ticket -> ticket.whenAdmitted.run());
        }
    }

    /// @param maxQueries at a time, at least 1
    /// @param capacityBytes of device memory for all of them
    public Admission(int maxQueries, long capacityBytes) {
        if (maxQueries < 1 || capacityBytes < 0) {
            throw new IllegalArgumentException(maxQueries + " queries, " + capacityBytes + " bytes");
        }
        this.maxQueries = maxQueries;
        this.capacityBytes = capacityBytes;
    }

    /// Asks for a place. One that waits lets nobody past, however little they need: so none waits for ever.
    ///
    /// @param bytes the most device memory that the query will hold at a time, beside cached columns
    /// @param whenAdmitted called once, from any thread and perhaps before this returns; it must be quick
    public Answer request(long bytes, Runnable whenAdmitted) {
        if (bytes < 0) {
            throw new IllegalArgumentException(bytes + " bytes");
        }
        Ticket ticket = new Ticket(bytes, whenAdmitted);
        List<Ticket> next;
        lock.lock();
        try {
            if (downReason != null) {
                return new Answer.Refused(downReason);
            }
            if (bytes > capacityBytes) {
                return new Answer.Refused(
                        "needs " + text(bytes) + " of device memory, queries have " + text(capacityBytes));
            }
            waiting.add(ticket);
            next = admitWaiting();
        } finally {
            lock.unlock();
        }
        next.forEach(admitted -> admitted.whenAdmitted.run());
        return new Answer.Queued(ticket);
    }

    /// Moves those at the head of the queue onto the device; under the lock.
    private List<Ticket> admitWaiting() {
        List<Ticket> next = new ArrayList<>();
        while (!waiting.isEmpty() && running < maxQueries && waiting.getFirst().bytes <= capacityBytes - usedBytes) {
            Ticket ticket = waiting.removeFirst();
            ticket.admitted = true;
            usedBytes += ticket.bytes;
            running++;
            next.add(ticket);
        }
        return next;
    }

    /// Says that the device is gone: nobody is admitted any more. Those who wait are called, to find that out.
    public void shutDown(String reason) {
        List<Ticket> left;
        lock.lock();
        try {
            if (downReason != null) {
                return;
            }
            downReason = reason;
            left = new ArrayList<>(waiting);
            waiting.clear();
        } finally {
            lock.unlock();
        }
        left.forEach(ticket -> ticket.whenAdmitted.run());
    }

    /// Why nobody is admitted any more, or null.
    public String downReason() {
        lock.lock();
        try {
            return downReason;
        } finally {
            lock.unlock();
        }
    }

    public int running() {
        lock.lock();
        try {
            return running;
        } finally {
            lock.unlock();
        }
    }

    public long usedBytes() {
        lock.lock();
        try {
            return usedBytes;
        } finally {
            lock.unlock();
        }
    }

    private static String text(long bytes) {
        return bytes < 1L << 30
                ? String.format(Locale.ROOT, "%.1f MiB", bytes / (double) (1L << 20))
                : String.format(Locale.ROOT, "%.1f GiB", bytes / (double) (1L << 30));
    }
}
