package dev.quarrel.server.session;

import java.util.concurrent.atomic.AtomicInteger;

/// Counts sessions against max_connections. Threads share it.
public final class Admissions {
    private final SessionList open = new SessionList();
    private final int limit;
    private final AtomicInteger sessions = new AtomicInteger();

    public Admissions(int limit) {
        this.limit = limit;
    }

    boolean admit() {
        while (true) {
            int now = sessions.get();
            if (now >= limit) {
                return false;
            }
            if (sessions.compareAndSet(now, now + 1)) {
                return true;
            }
        }
    }

    void leave() {
        sessions.decrementAndGet();
    }

    public int sessions() {
        return sessions.get();
    }

    /// Those that were admitted, once they are open.
    SessionList open() {
        return open;
    }
}
