package dev.quarrel.cuda.service;

import java.util.Locale;

/// Lets pipelines onto the device: so many at a time, each with the memory that it will hold.
///
/// What a pipeline holds is known exactly before it starts, so one that is let in does not run out of memory.
/// One that is not runs on another device at once: nobody waits, so nobody holds a worker that the others
/// need. Those inside take turns by the scheduler, a batch at a time.
///
/// Threads share it.
public final class Admission {
    private final int maxPipelines;
    private final long capacityBytes;
    private long usedBytes;
    private int running;

    /// What became of a request.
    public sealed interface Answer {
        record Admitted(Ticket ticket) implements Answer {}

        /// @param reason for people
        record Refused(String reason) implements Answer {}
    }

    /// A place on the device, until it is closed.
    public final class Ticket implements AutoCloseable {
        private final long bytes;
        private boolean closed;

        private Ticket(long bytes) {
            this.bytes = bytes;
        }

        public long bytes() {
            return bytes;
        }

        @Override
        public void close() {
            synchronized (Admission.this) {
                if (!closed) {
                    closed = true;
                    usedBytes -= bytes;
                    running--;
                }
            }
        }
    }

    /// @param maxPipelines at a time, at least 1
    /// @param capacityBytes of device memory for all of them
    public Admission(int maxPipelines, long capacityBytes) {
        if (maxPipelines < 1 || capacityBytes < 0) {
            throw new IllegalArgumentException(maxPipelines + " pipelines, " + capacityBytes + " bytes");
        }
        this.maxPipelines = maxPipelines;
        this.capacityBytes = capacityBytes;
    }

    /// Asks for a place.
    ///
    /// @param bytes the most device memory that the pipeline will hold at a time, beside cached columns
    public synchronized Answer request(long bytes) {
        if (bytes < 0) {
            throw new IllegalArgumentException(bytes + " bytes");
        }
        if (bytes > capacityBytes) {
            return new Answer.Refused("needs " + text(bytes) + " of device memory, of " + text(capacityBytes));
        }
        if (running == maxPipelines) {
            return new Answer.Refused(running + " pipelines are on the device already");
        }
        if (bytes > capacityBytes - usedBytes) {
            return new Answer.Refused("needs " + text(bytes) + " of device memory, and others hold " + text(usedBytes)
                    + " of " + text(capacityBytes));
        }
        usedBytes += bytes;
        running++;
        return new Answer.Admitted(new Ticket(bytes));
    }

    /// Device memory for all of them.
    public long capacityBytes() {
        return capacityBytes;
    }

    public synchronized int running() {
        return running;
    }

    public synchronized long usedBytes() {
        return usedBytes;
    }

    private static String text(long bytes) {
        return bytes < 1L << 30
                ? String.format(Locale.ROOT, "%.1f MiB", bytes / (double) (1L << 20))
                : String.format(Locale.ROOT, "%.1f GiB", bytes / (double) (1L << 30));
    }
}
