package dev.quarrel.core.type;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/// Eight bytes at a time, as a word whose lowest byte is the first.
public final class ByteWords {
    /// Times a byte, that byte eight times.
    public static final long ONES = 0x0101_0101_0101_0101L;

    public static final long HIGH_BITS = 0x8080_8080_8080_8080L;

    private static final VarHandle WORD = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

    private ByteWords() {}

    /// The bytes [at, at + 8).
    public static long get(byte[] bytes, int at) {
        return (long) WORD.get(bytes, at);
    }

    /// The high bits of bytes that are 0; of those behind such a one perhaps, too.
    public static long zeros(long word) {
        return word - ONES & ~word & HIGH_BITS;
    }
}
