package dev.quarrel.server.auth;

import java.net.Inet6Address;
import java.net.InetAddress;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;

/// How long logins wait after failed ones: by the client's address and the user's name, 250 ms after the first failure,
/// twice as long after each further one, up to 16 s. Attempts of the same address and name wait for one another, so
/// that many connections guess no faster than one; everybody else waits for nothing. A login that succeeds, or ten
/// minutes without an attempt, end it.
///
/// - Memory: at most [#SIZE] addresses and names; the one heard of longest ago goes first.
/// - Threads: share it.
public final class FailedLogins {
    static final int SIZE = 10_000;
    private static final long FIRST_MILLIS = 250;
    private static final int MAX_DOUBLINGS = 6;
    private static final long FORGOTTEN_MILLIS = 600_000;
    private static final int MAX_NAME = 64; // longer ones are nobody's
    private static final int NETWORK_BYTES = 8; // of an IPv6 address: whoever has one has all those of its network

    private final LongSupplier clockMillis;
    private final LongAdder count = new LongAdder();
    private final Map<Attempts, Delay> delays = new LinkedHashMap<>(64, 0.75f, true) {
        private static final long serialVersionUID = 1;

        @Override
        protected boolean removeEldestEntry(Map.Entry<Attempts, Delay> eldest) {
            return size() > SIZE;
        }
    };

    private record Attempts(String network, String user) {
        static Attempts of(InetAddress address, String user) {
            byte[] bytes = address.getAddress();
            return new Attempts(
                    Arrays.toString(address instanceof Inet6Address ? Arrays.copyOf(bytes, NETWORK_BYTES) : bytes),
                    user.length() > MAX_NAME ? user.substring(0, MAX_NAME) : user);
        }
    }

    /// @param free when the next attempt may begin
    private record Delay(int failures, long free) {
        long millis() {
            return FIRST_MILLIS << Math.min(failures - 1, MAX_DOUBLINGS);
        }
    }

    public FailedLogins() {
        this(() -> System.nanoTime() / 1_000_000);
    }

    /// @param clockMillis never goes back
    FailedLogins(LongSupplier clockMillis) {
        this.clockMillis = clockMillis;
    }

    /// How many milliseconds an attempt that begins now is to wait; mostly 0.
    public long waitMillis(InetAddress address, String user) {
        Attempts attempts = Attempts.of(address, user);
        synchronized (delays) {
            Delay delay = delays.get(attempts);
            if (delay == null) {
                return 0;
            }
            long now = clockMillis.getAsLong();
            if (now - delay.free() > FORGOTTEN_MILLIS) {
                delays.remove(attempts);
                return 0;
            }
            long start = Math.max(now, delay.free());
            delays.put(attempts, new Delay(delay.failures(), start + delay.millis()));
            return start - now;
        }
    }

    public void failed(InetAddress address, String user) {
        count.increment();
        Attempts attempts = Attempts.of(address, user);
        synchronized (delays) {
            long now = clockMillis.getAsLong();
            Delay before = delays.get(attempts);
            Delay after = new Delay(before == null ? 1 : Math.min(before.failures() + 1, MAX_DOUBLINGS + 1), now);
            long free = before == null ? now : Math.max(now, before.free());
            delays.put(attempts, new Delay(after.failures(), Math.max(free, now + after.millis())));
        }
    }

    public void succeeded(InetAddress address, String user) {
        synchronized (delays) {
            delays.remove(Attempts.of(address, user));
        }
    }

    /// How many logins have failed since the server started.
    public long count() {
        return count.sum();
    }

    int size() {
        synchronized (delays) {
            return delays.size();
        }
    }
}
