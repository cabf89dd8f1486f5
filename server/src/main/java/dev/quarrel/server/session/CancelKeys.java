package dev.quarrel.server.session;

import java.security.MessageDigest;
import java.security.SecureRandom;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

/// The keys that allow a client to cancel a session: a number and a secret for each.
///
/// Threads share it, without locks. A wrong key costs its sender the same time as a right one, and nobody gets an
/// answer.
public final class CancelKeys {
    /// What protocol 3.0 has room for.
    static final int SHORT = 4;
    /// What protocol 3.2 gives, as PostgreSQL does.
    static final int LONG = 32;

    private final SecureRandom random = new SecureRandom();
    private final AtomicInteger nextProcessId = new AtomicInteger();
    private final ConcurrentHashMap<Integer, Entry> entries = new ConcurrentHashMap<>();

    private record Entry(byte[] key, Runnable cancel) {}

    /// What BackendKeyData tells a client.
    record Key(int processId, byte[] bytes) {}

    /// @param length of the secret, in bytes
    Key register(int length, Runnable cancel) {
        byte[] bytes = new byte[length];
        random.nextBytes(bytes);
        while (true) {
            int processId = nextProcessId.incrementAndGet() & Integer.MAX_VALUE;
            if (processId != 0 && entries.putIfAbsent(processId, new Entry(bytes, cancel)) == null) {
                return new Key(processId, bytes);
            }
        }
    }

    void remove(Key key) {
        entries.remove(key.processId());
    }

    void cancel(int processId, byte[] key) {
        Entry entry = entries.get(processId);
        byte[] expected = entry == null ? new byte[LONG] : entry.key();
        boolean matches = MessageDigest.isEqual(expected, key);
        if (entry != null && matches) {
            entry.cancel().run();
        }
    }
}
