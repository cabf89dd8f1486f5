package dev.quarrel.core.cpu.tile;

import dev.quarrel.core.device.KeyHash;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Arrays;

/// The texts of a tile's rows in one array, which is the vector's own where it has one, with their hashes ([KeyHash]):
/// many are looked up at a time, so that the core overlaps their cache misses.
///
/// - Memory: some hundred kilobytes.
public final class TextTile {
    /// Tiles of longer texts are not taken.
    private static final int MAX_BYTES = 1 << 19;

    private static final int WORD_BYTES = 8;
    private static final VarHandle WORD = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

    private byte[] copied = {};
    private byte[] bytes = copied; // these, or those that a vector refers to
    private int[] starts = new int[0];
    private int[] lengths = new int[0];
    private int[] knownStarts = new int[0];
    private int[] knownLengths = new int[0];

    private void ensure(int count) {
        if (starts.length < count) {
            starts = new int[count];
            lengths = new int[count];
            knownStarts = new int[count];
            knownLengths = new int[count];
        }
    }

    /// Takes a vector's rows; NULLs are empty texts.
    ///
    /// @param text of references
    /// @return whether it did: not where texts are too long
    public boolean load(TextVector text, int[] rows, int count) {
        ensure(count);
        long[] offsets = text.offsets();
        long[] present = text.validity();
        MemorySegment base = text.base();
        if (base.heapBase().orElse(null) instanceof byte[] array) {
            bytes = array;
            long first = base.address();
            for (int index = 0; index < count; index++) {
                int row = rows[index];
                boolean isThere = present == null || Bits.get(present, row);
                lengths[index] = isThere ? text.lengths()[row] : 0;
                starts[index] = lengths[index] == 0 ? 0 : (int) (first + offsets[row]);
            }
            return true;
        }
        long from = Long.MAX_VALUE;
        long to = 0;
        long sum = 0;
        for (int index = 0; index < count; index++) {
            int row = rows[index];
            boolean isThere = present == null || Bits.get(present, row);
            int length = isThere ? text.lengths()[row] : 0;
            lengths[index] = length;
            if (length > 0) {
                from = Math.min(from, offsets[row]);
                to = Math.max(to, offsets[row] + length);
                sum += length;
            }
        }
        if (sum > MAX_BYTES) {
            return false;
        }
        boolean isSpan = sum > 0 && to - from <= 2 * sum;
        int needed = (int) (isSpan ? to - from : sum) + WORD_BYTES;
        if (copied.length < needed) {
            copied = new byte[Math.max(needed, Math.min(2 * MAX_BYTES, 2 * copied.length))];
        }
        bytes = copied;
        if (isSpan) {
            MemorySegment.copy(base, ValueLayout.JAVA_BYTE, from, bytes, 0, (int) (to - from));
            for (int index = 0; index < count; index++) {
                starts[index] = lengths[index] == 0 ? 0 : (int) (offsets[rows[index]] - from);
            }
        } else {
            int at = 0;
            for (int index = 0; index < count; index++) {
                starts[index] = at;
                if (lengths[index] > 0) { // under a NULL may stand any place
                    MemorySegment.copy(base, ValueLayout.JAVA_BYTE, offsets[rows[index]], bytes, at, lengths[index]);
                    at += lengths[index];
                }
            }
        }
        return true;
    }

    /// The texts' hashes.
    public void hash(int count, long[] hashes) {
        for (int index = 0; index < count; index++) {
            hashes[index] = KeyHash.ofBytes(bytes, starts[index], lengths[index]);
        }
    }

    /// Compares texts with others, which lie one behind the other.
    ///
    /// @param places of the texts here
    /// @param others of what each is compared with
    /// @param ends where each of the others ends
    /// @param differing gets 0 for equal texts, else something else
    public void compare(int[] places, int count, int[] others, int[] ends, byte[] known, long[] differing) {
        // In two loops, so that cache misses do not wait for each other.
        for (int index = 0; index < count; index++) {
            int other = others[index];
            int start = other == 0 ? 0 : ends[other - 1];
            knownStarts[index] = start;
            knownLengths[index] = ends[other] - start;
        }
        for (int index = 0; index < count; index++) {
            int place = places[index];
            int length = lengths[place];
            boolean isEqual =
                    length == knownLengths[index] && isEqual(bytes, starts[place], known, knownStarts[index], length);
            differing[index] = isEqual ? 0 : 1;
        }
    }

    private static boolean isEqual(byte[] one, int oneStart, byte[] other, int otherStart, int length) {
        if (length < WORD_BYTES) {
            if (length == 0) {
                return true;
            }
            if (otherStart + WORD_BYTES > other.length || oneStart + WORD_BYTES > one.length) {
                return Arrays.equals(one, oneStart, oneStart + length, other, otherStart, otherStart + length);
            }
            long differing = (long) WORD.get(one, oneStart) ^ (long) WORD.get(other, otherStart);
            return differing << 8 * (WORD_BYTES - length) == 0;
        }
        int last = length - WORD_BYTES;
        for (int at = 0; at < last; at += WORD_BYTES) {
            if ((long) WORD.get(one, oneStart + at) != (long) WORD.get(other, otherStart + at)) {
                return false;
            }
        }
        return (long) WORD.get(one, oneStart + last) == (long) WORD.get(other, otherStart + last);
    }
}
