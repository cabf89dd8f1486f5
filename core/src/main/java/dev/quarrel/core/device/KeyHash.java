package dev.quarrel.core.device;

import static dev.quarrel.core.column.LittleEndian.INT64;

import dev.quarrel.core.type.Interval;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.math.BigInteger;
import java.nio.ByteOrder;

/// The hash that all devices share for partitions and sketches, so that content can move between them.
///
/// Source: MurmurHash3's 64-bit finaliser (Austin Appleby, public domain).
public final class KeyHash {
    /// The hash of a NULL key.
    public static final long NULL = 0x9E37_79B9_7F4A_7C15L;

    private static final VarHandle ARRAY_WORD =
            MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

    private KeyHash() {}

    /// Of integers, dates, timestamps (sign-extended), and the bits of a float64 (-0 as 0, one NaN).
    public static long of(long value) {
        long hash = value;
        hash = (hash ^ hash >>> 33) * 0xFF51_AFD7_ED55_8CCDL;
        hash = (hash ^ hash >>> 33) * 0xC4CE_B9FE_1A85_EC53L;
        return hash ^ hash >>> 33;
    }

    /// Of a key of several columns: the hash so far and the next column's.
    public static long combine(long hash, long next) {
        return of(hash * 31 + next);
    }

    /// Of text and bytes: their length in bytes, then the bytes as little-endian words, the last padded with zeros.
    public static long ofBytes(MemorySegment data, long start, int length) {
        long hash = of(length);
        int offset = 0;
        for (; offset + 8 <= length; offset += 8) {
            hash = combine(hash, data.get(INT64, start + offset));
        }
        if (offset < length) {
            long word = 0;
            if (start + offset + 8 <= data.byteSize()) {
                word = data.get(INT64, start + offset) & -1L >>> 8 * (8 - length + offset);
            } else {
                for (int shift = 0; offset < length; offset++, shift += 8) {
                    word |= (data.get(ValueLayout.JAVA_BYTE, start + offset) & 0xFFL) << shift;
                }
            }
            hash = combine(hash, word);
        }
        return hash;
    }

    /// The same of bytes in an array.
    public static long ofBytes(byte[] data, int start, int length) {
        long hash = of(length);
        int offset = 0;
        for (; offset + 8 <= length; offset += 8) {
            hash = combine(hash, (long) ARRAY_WORD.get(data, start + offset));
        }
        if (offset < length) {
            long word = 0;
            if (start + offset + 8 <= data.length) {
                word = (long) ARRAY_WORD.get(data, start + offset) & -1L >>> 8 * (8 - length + offset);
            } else {
                for (int shift = 0; offset < length; offset++, shift += 8) {
                    word |= (data[start + offset] & 0xFFL) << shift;
                }
            }
            hash = combine(hash, word);
        }
        return hash;
    }

    /// Of an unscaled 128-bit decimal whose scale is the type's, and of a uuid as the words of
    /// [dev.quarrel.core.type.UuidWords].
    public static long ofDecimal(long high, long low) {
        return combine(of(low), high);
    }

    /// Of an interval's words: intervals of one span have equal hashes.
    public static long ofInterval(long calendar, long micros) {
        return combine(of(Interval.spanDays(calendar, micros)), Interval.spanMicros(micros));
    }

    /// Of a number with a scale of its own: equal numbers have equal hashes, whatever their scale.
    ///
    /// @param unscaled and `scale` as they are; trailing zeros after the point are taken away here
    public static long ofNumeric(BigInteger unscaled, int scale) {
        BigInteger rest = unscaled;
        int digits = scale;
        while (digits > 0) {
            BigInteger[] parts = rest.divideAndRemainder(BigInteger.TEN);
            if (parts[1].signum() != 0) {
                break;
            }
            rest = parts[0];
            digits--;
        }
        return ofNormalized(rest.shiftRight(64).longValue(), rest.longValue(), digits);
    }

    /// Of a number without trailing zeros after the point.
    public static long ofNormalized(long high, long low, int scale) {
        return combine(ofDecimal(high, low), scale);
    }

    /// The partition of a hash by fewer of its bits than come first: those after `firstBit` others.
    ///
    /// @param partitionCount a power of two above 1
    /// @param firstBit bits that are left out, the highest first; at most 64 less those of `partitionCount`
    public static int partition(long hash, int firstBit, int partitionCount) {
        return (int) (hash << firstBit >>> (64 - Integer.numberOfTrailingZeros(partitionCount)));
    }
}
