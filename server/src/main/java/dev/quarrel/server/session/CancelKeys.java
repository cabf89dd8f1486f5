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
    private static final int KEY_BYTES = 4; // what protocol 3.0 has room for

    private final SecureRandom random = new SecureRandom();
    private final AtomicInteger nextProcessId = new AtomicInteger();
    private final ConcurrentHashMap<Integer, Entry> entries = new ConcurrentHashMap<>();

    private record Entry(byte[] key, Runnable cancel) {}

    /// What BackendKeyData tells a client.
    record Key(int processId, byte[] bytes) {}

    Key register(Runnable cancel) {
        byte[] bytes = new byte[KEY_BYTES];
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
        byte[] expected = entry == null ? new byte[KEY_BYTES] : entry.key();
        boolean matches = MessageDigest.isEqual(expected, key);
        if (entry != null && matches) {
            entry.cancel().run();
        }
    }
}
