package dev.quarrel.ingest.net;

import java.util.Map;

/// The units of times, as InfluxDB's clients name them.
final class TimeUnitName {
    private static final Map<String, Long> NANOS = Map.of(
            "n", 1L,
            "ns", 1L,
            "u", 1_000L,
            "us", 1_000L,
            "µ", 1_000L,
            "ms", 1_000_000L,
            "s", 1_000_000_000L,
            "m", 60_000_000_000L,
            "h", 3_600_000_000_000L);

    private TimeUnitName() {}

    /// Nanoseconds of a unit.
    ///
    /// - Errors: [IllegalArgumentException].
    static long nanos(String name) {
        Long nanos = NANOS.get(name);
        if (nanos == null) {
            throw new IllegalArgumentException("a precision is one of ns, us, ms, s, m, h, not \"" + name + "\"");
        }
        return nanos;
    }

    /// Microseconds of so many units, rounded down.
    ///
    /// - Errors: [ArithmeticException] beyond 64 bits.
    static long micros(long count, long nanos) {
        return nanos < 1000
                ? Math.floorDiv(Math.multiplyExact(count, nanos), 1000L)
                : Math.multiplyExact(count, nanos / 1000);
    }
}
