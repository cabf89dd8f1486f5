package dev.quarrel.core.type;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.util.UUID;

/// A uuid as two words that order as a signed 128-bit integer the way its bytes do, for loops and keys.
///
/// A column holds the 16 bytes as Arrow has them, the most significant first. `high` is the first eight with the sign
/// bit turned round, `low` the other eight.
public final class UuidWords {
    private static final ValueLayout.OfLong WORD = ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);

    private UuidWords() {}

    public static long high(MemorySegment values, long offset) {
        return values.get(WORD, offset) ^ Long.MIN_VALUE;
    }

    public static long low(MemorySegment values, long offset) {
        return values.get(WORD, offset + Long.BYTES);
    }

    public static long high(UUID uuid) {
        return uuid.getMostSignificantBits() ^ Long.MIN_VALUE;
    }

    public static long low(UUID uuid) {
        return uuid.getLeastSignificantBits();
    }

    public static UUID uuid(long high, long low) {
        return new UUID(high ^ Long.MIN_VALUE, low);
    }

    /// The uuid whose bytes start at `offset`.
    public static UUID uuid(MemorySegment values, long offset) {
        return new UUID(values.get(WORD, offset), values.get(WORD, offset + Long.BYTES));
    }

    /// Writes the 16 bytes.
    public static void put(MemorySegment values, long offset, long high, long low) {
        values.set(WORD, offset, high ^ Long.MIN_VALUE);
        values.set(WORD, offset + Long.BYTES, low);
    }

    /// By bytes, which [UUID#compareTo] does not do.
    public static int compare(UUID one, UUID other) {
        int order = Long.compareUnsigned(one.getMostSignificantBits(), other.getMostSignificantBits());
        return order != 0
                ? order
                : Long.compareUnsigned(one.getLeastSignificantBits(), other.getLeastSignificantBits());
    }
}
