package dev.quarrel.core.column;

import dev.quarrel.core.type.DataType;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Arrays;

/// Numbers texts in order of arrival, as they come: equal texts have equal codes, from 0.
///
/// - Memory: each distinct text once, on the heap.
final class TextCodes {
    private static final VarHandle WORD = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
    private static final long MULTIPLIER = 0x9E3779B97F4A7C15L;
    private static final int FIRST_SLOTS = 64;

    private int[] slots = new int[FIRST_SLOTS]; // code + 1, or 0
    private int[] hashes = new int[FIRST_SLOTS / 2];
    private long[] firstWords = new long[FIRST_SLOTS / 2];
    private int[] ends = new int[FIRST_SLOTS / 2 + 1]; // of entry i at i + 1
    private byte[] data = new byte[1024];
    private int size;

    /// @param source holds the text at [start, start + length), a range that the caller has checked
    int code(byte[] source, int start, int length) {
        long first = word(source, start, length);
        long mixed = (first ^ length) * MULTIPLIER;
        if (length > Long.BYTES) {
            int end = start + length;
            for (int index = start + 8; index < end - 8; index += 8) {
                mixed = (Long.rotateLeft(mixed, 29) ^ (long) WORD.get(source, index)) * MULTIPLIER;
            }
            mixed = (Long.rotateLeft(mixed, 29) ^ (long) WORD.get(source, end - 8)) * MULTIPLIER;
        }
        int hash = (int) (mixed >>> 32);
        int mask = slots.length - 1;
        for (int slot = hash & mask; ; slot = (slot + 1) & mask) {
            int code = slots[slot] - 1;
            if (code < 0) {
                return insert(slot, hash, first, source, start, length);
            }
            if (firstWords[code] == first
                    && hashes[code] == hash
                    && ends[code + 1] - ends[code] == length
                    && (length <= Long.BYTES
                            || Arrays.equals(source, start, start + length, data, ends[code], ends[code + 1]))) {
                return code;
            }
        }
    }

    private static long word(byte[] source, int start, int length) {
        if (length >= Long.BYTES) {
            return (long) WORD.get(source, start);
        }
        if (start <= source.length - Long.BYTES) {
            return length == 0 ? 0 : (long) WORD.get(source, start) & -1L >>> (64 - 8 * length);
        }
        long word = 0;
        for (int index = 0; index < length; index++) {
            word |= (source[start + index] & 0xFFL) << (8 * index);
        }
        return word;
    }

    private int insert(int slot, int hash, long first, byte[] source, int start, int length) {
        int end = Math.addExact(ends[size], length);
        if (end > data.length) {
            data = Arrays.copyOf(data, (int) Math.min(Integer.MAX_VALUE - 8, Math.max(end, 2L * data.length)));
        }
        System.arraycopy(source, start, data, ends[size], length);
        slots[slot] = size + 1;
        hashes[size] = hash;
        firstWords[size] = first;
        ends[size + 1] = end;
        size++;
        if (size == hashes.length) {
            grow();
        }
        return size - 1;
    }

    private void grow() {
        int capacity = Math.multiplyExact(slots.length, 2);
        hashes = Arrays.copyOf(hashes, capacity / 2);
        firstWords = Arrays.copyOf(firstWords, capacity / 2);
        ends = Arrays.copyOf(ends, capacity / 2 + 1);
        slots = new int[capacity];
        for (int code = 0; code < size; code++) {
            int slot = hashes[code] & (capacity - 1);
            while (slots[slot] != 0) {
                slot = (slot + 1) & (capacity - 1);
            }
            slots[slot] = code + 1;
        }
    }

    /// All texts so far, by code.
    ///
    /// - Memory: in `memory`.
    Dictionary dictionary(DataType type, Allocator memory) {
        ColumnWriter writer = new ColumnWriter(type, memory, Math.max(1, size));
        int[] lengths = new int[size];
        for (int code = 0; code < size; code++) {
            lengths[code] = ends[code + 1] - ends[code];
        }
        writer.appendTexts(data, ends, lengths, null, size);
        return new Dictionary((Utf8Column) writer.finishLast());
    }
}
