package dev.quarrel.server.session;

import dev.quarrel.server.catalog.AdvisoryLocks;
import dev.quarrel.server.catalog.ClientSession;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.ConcurrentSkipListMap;

/// The sessions of a server, and what they share.
///
/// Threads share it.
final class SessionList {
    private final ConcurrentSkipListMap<Integer, ClientSession> sessions = new ConcurrentSkipListMap<>();
    private final AdvisoryLocks locks = new AdvisoryLocks();
    private final Instant start = Instant.now();

    void add(ClientSession session) {
        sessions.put(session.processId(), session);
    }

    /// Forgets a session, and gives back its locks.
    void remove(int processId) {
        sessions.remove(processId);
        locks.releaseAll(processId);
    }

    List<ClientSession> all() {
        return List.copyOf(sessions.values());
    }

    AdvisoryLocks locks() {
        return locks;
    }

    /// When the server was started.
    Instant start() {
        return start;
    }
}
