package dev.quarrel.server.session;

import dev.quarrel.server.catalog.ClientSession;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

/// Counts sessions against max_connections. Threads share it.
public final class Admissions {
    private final SessionList open = new SessionList();
    private final int limit;
    private volatile boolean isStopping;
    private final AtomicInteger sessions = new AtomicInteger();

    public Admissions(int limit) {
        this.limit = limit;
    }

    /// From here on clients are told that the server shuts down.
    public void stop() {
        isStopping = true;
    }

    public boolean isStopping() {
        return isStopping;
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

    /// The sessions that are open.
    public List<ClientSession> all() {
        return open.all();
    }

    /// Those that were admitted, once they are open.
    SessionList open() {
        return open;
    }
}
