package dev.quarrel.core.parquet;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;

/// Bytes that grow, numbers the lowest byte first.
final class ByteQueue {
    private byte[] bytes = new byte[1 << 10];
    private int size;

    byte[] array() {
        return bytes;
    }

    int size() {
        return size;
    }

    void clear() {
        size = 0;
    }

    private void reserve(int more) {
        int needed = Math.addExact(size, more);
        if (needed > bytes.length) {
            bytes = Arrays.copyOf(bytes, Math.max(needed, (int) Math.min(bytes.length * 2L, Integer.MAX_VALUE - 8)));
        }
    }

    void put(int value) {
        reserve(1);
        bytes[size++] = (byte) value;
    }

    void put(byte[] source, int start, int length) {
        reserve(length);
        System.arraycopy(source, start, bytes, size, length);
        size += length;
    }

    void put(MemorySegment source, long start, int length) {
        reserve(length);
        MemorySegment.copy(source, ValueLayout.JAVA_BYTE, start, bytes, size, length);
        size += length;
    }

    void putInt(int value) {
        putLow(value, Integer.BYTES);
    }

    void putLong(long value) {
        putLow(value, Long.BYTES);
    }

    /// The lowest `count` bytes of `value`.
    void putLow(long value, int count) {
        reserve(count);
        for (int at = 0; at < count; at++) {
            bytes[size++] = (byte) (value >>> 8 * at);
        }
    }

    void putVarint(int value) {
        int left = value;
        for (; (left & ~0x7F) != 0; left >>>= 7) {
            put(left & 0x7F | 0x80);
        }
        put(left);
    }
}
