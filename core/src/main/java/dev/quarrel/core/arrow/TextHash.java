package dev.quarrel.core.arrow;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

/// A 64-bit hash of bytes, for tables and estimates within one run; not the hash that devices agree on.
final class TextHash {
    private static final ValueLayout.OfLong INT64 = ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    private static final long MULTIPLIER = 0x9E3779B97F4A7C15L;

    private TextHash() {}

    static long of(MemorySegment bytes, long offset, long length) {
        long hash = length * MULTIPLIER;
        long index = offset;
        long end = offset + length;
        for (; index + 8 <= end; index += 8) {
            hash = (Long.rotateLeft(hash, 29) ^ bytes.get(INT64, index)) * MULTIPLIER;
        }
        if (index < end) {
            long tail = 0;
            for (int shift = 0; index < end; index++, shift += 8) {
                tail |= (bytes.get(ValueLayout.JAVA_BYTE, index) & 0xFFL) << shift;
            }
            hash = (Long.rotateLeft(hash, 29) ^ tail) * MULTIPLIER;
        }
        return mix(hash);
    }

    /// Spreads a number over 64 bits (the finaliser of splitmix64).
    static long mix(long value) {
        long mixed = (value ^ (value >>> 30)) * 0xBF58476D1CE4E5B9L;
        mixed = (mixed ^ (mixed >>> 27)) * 0x94D049BB133111EBL;
        return mixed ^ (mixed >>> 31);
    }
}
