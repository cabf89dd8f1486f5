package dev.quarrel.core.csv;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/// Looks for one of a few bytes, eight places at a time.
final class ByteSearch {
    private static final VarHandle WORD = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
    private static final long ONES = 0x0101_0101_0101_0101L;
    private static final long HIGH_BITS = 0x8080_8080_8080_8080L;

    private final long first;
    private final long second;
    private final long third;

    ByteSearch(int first, int second, int third) {
        this.first = ONES * first;
        this.second = ONES * second;
        this.third = ONES * third;
    }

    /// The place of the first of them; `end` where there is none.
    int find(byte[] bytes, int start, int end) {
        int at = start;
        for (; at <= end - Long.BYTES; at += Long.BYTES) {
            long word = (long) WORD.get(bytes, at);
            long found = zeros(word ^ first) | zeros(word ^ second) | zeros(word ^ third);
            if (found != 0) {
                return at + (Long.numberOfTrailingZeros(found) >>> 3);
            }
        }
        for (; at < end; at++) {
            byte each = bytes[at];
            if (each == (byte) first || each == (byte) second || each == (byte) third) {
                return at;
            }
        }
        return end;
    }

    /// The high bits of bytes that are 0; of those behind such a one perhaps, too.
    private static long zeros(long word) {
        return word - ONES & ~word & HIGH_BITS;
    }
}
