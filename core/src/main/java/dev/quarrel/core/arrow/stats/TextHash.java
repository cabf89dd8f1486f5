package dev.quarrel.core.arrow.stats;

import static dev.quarrel.core.column.LittleEndian.INT64;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/// A 64-bit hash of text, and a test for equality, both word by word: for tables and estimates within one run.
/// It is not the hash that devices agree on.
public final class TextHash {
    private static final long MULTIPLIER = 0x9E3779B97F4A7C15L;

    private static final VarHandle WORD = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

    private TextHash() {}

    /// Up to eight bytes of `[start, end)` as a little-endian word, zeros behind.
    public static long word(MemorySegment bytes, long start, long end) {
        long length = end - start;
        if (length >= 8) {
            return bytes.get(INT64, start);
        }
        if (start + 8 <= bytes.byteSize()) {
            return length == 0 ? 0 : bytes.get(INT64, start) & -1L >>> (64 - 8 * length);
        }
        long word = 0;
        for (int index = 0; index < length; index++) {
            word |= (bytes.get(ValueLayout.JAVA_BYTE, start + index) & 0xFFL) << (8 * index);
        }
        return word;
    }

    /// @param first `word` of the same bytes
    public static long of(MemorySegment bytes, long start, long end, long first) {
        long hash = ((end - start) * MULTIPLIER ^ first) * MULTIPLIER;
        if (end - start > 8) {
            // The last word overlaps the one before it: no tail to put together.
            for (long index = start + 8; index < end - 8; index += 8) {
                hash = (Long.rotateLeft(hash, 29) ^ bytes.get(INT64, index)) * MULTIPLIER;
            }
            hash = (Long.rotateLeft(hash, 29) ^ bytes.get(INT64, end - 8)) * MULTIPLIER;
        }
        return mix(hash);
    }

    /// The same of bytes in an array, which are read with fewer checks.
    static long of(byte[] bytes, int start, int end, long first) {
        long hash = ((end - start) * MULTIPLIER ^ first) * MULTIPLIER;
        if (end - start > 8) {
            for (int index = start + 8; index < end - 8; index += 8) {
                hash = (Long.rotateLeft(hash, 29) ^ (long) WORD.get(bytes, index)) * MULTIPLIER;
            }
            hash = (Long.rotateLeft(hash, 29) ^ (long) WORD.get(bytes, end - 8)) * MULTIPLIER;
        }
        return mix(hash);
    }

    /// Whether two texts of the same length and the same first word are equal.
    public static boolean sameRest(
            MemorySegment left, long leftStart, MemorySegment right, long rightStart, long length) {
        if (length <= 8) {
            return true;
        }
        for (long index = 8; index < length - 8; index += 8) {
            if (left.get(INT64, leftStart + index) != right.get(INT64, rightStart + index)) {
                return false;
            }
        }
        return left.get(INT64, leftStart + length - 8) == right.get(INT64, rightStart + length - 8);
    }

    /// Spreads a number over 64 bits (the finaliser of splitmix64).
    static long mix(long value) {
        long mixed = (value ^ (value >>> 30)) * 0xBF58476D1CE4E5B9L;
        mixed = (mixed ^ (mixed >>> 27)) * 0x94D049BB133111EBL;
        return mixed ^ (mixed >>> 31);
    }
}
