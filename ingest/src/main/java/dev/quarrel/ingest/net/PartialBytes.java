package dev.quarrel.ingest.net;

import java.util.concurrent.atomic.AtomicLong;

/// What messages that have come in part may take, of all connections together. Threads share it.
final class PartialBytes {
    private final long most;
    private final AtomicLong held = new AtomicLong();

    PartialBytes(long most) {
        this.most = most;
    }

    /// Counts what was not asked for: little, or less than nothing.
    void add(long bytes) {
        held.addAndGet(bytes);
    }

    boolean tryAdd(long bytes) {
        if (held.addAndGet(bytes) > most && bytes > 0) {
            held.addAndGet(-bytes);
            return false;
        }
        return true;
    }
}
