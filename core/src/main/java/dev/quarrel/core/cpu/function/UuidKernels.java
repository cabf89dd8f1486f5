package dev.quarrel.core.cpu.function;

import dev.quarrel.core.cpu.text.Arguments;
import dev.quarrel.core.cpu.tile.Vector;
import java.util.Map;
import java.util.UUID;
import java.util.function.Supplier;

/// Functions of UUIDs. Those that are not of RFC 9562's variant tell nothing.
///
/// - Source: PostgreSQL's `uuid.c`.
final class UuidKernels {
    private static final int RFC_VARIANT = 2;
    private static final int BY_TIME = 1;
    private static final int BY_UNIX_TIME = 7;
    /// Tenths of a microsecond from the Gregorian calendar's begin, in 1582, to 1970.
    private static final long GREGORIAN_TO_UNIX = 0x01B2_1DD2_1381_4000L;

    private static final int MICROS_PER_MILLI = 1000;
    private static final int TICKS_PER_MICRO = 10;

    private UuidKernels() {}

    static void register(Map<String, Supplier<BatchFunction>> kernels) {
        kernels.put("uuid_extract_version", () -> BatchFunction.eachRow(UuidKernels::version));
        kernels.put("uuid_extract_timestamp", () -> BatchFunction.eachRow(UuidKernels::timestamp));
    }

    private static void version(Arguments in, Vector out, int row) {
        UUID uuid = (UUID) in.value(0);
        Results.set(out, row, uuid.variant() == RFC_VARIANT ? (Object) (long) uuid.version() : null);
    }

    private static void timestamp(Arguments in, Vector out, int row) {
        UUID uuid = (UUID) in.value(0);
        Long micros =
                switch (uuid.variant() == RFC_VARIANT ? uuid.version() : 0) {
                    case BY_TIME -> Math.floorDiv(uuid.timestamp() - GREGORIAN_TO_UNIX, TICKS_PER_MICRO);
                    case BY_UNIX_TIME -> (uuid.getMostSignificantBits() >>> Short.SIZE) * MICROS_PER_MILLI;
                    default -> null;
                };
        Results.set(out, row, micros);
    }
}
