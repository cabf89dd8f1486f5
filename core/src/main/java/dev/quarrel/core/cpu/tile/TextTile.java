package dev.quarrel.core.cpu.tile;

import dev.quarrel.core.device.KeyHash;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Arrays;

/// The texts of a tile's rows in one array, and their hashes ([KeyHash]): many are looked up at a time, so
/// that the core overlaps their cache misses.
///
/// - Memory: some hundred kilobytes a thread, for as long as the thread lives.
public final class TextTile {
    /// Tiles of longer texts are not taken.
    private static final int MAX_BYTES = 1 << 19;

    private static final int WORD_BYTES = 8;
    private static final VarHandle WORD = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
    private static final ThreadLocal<TextTile> OWN = ThreadLocal.withInitial(TextTile::new);

    public byte[] bytes = new byte[1 << 12]; // and as many behind the last text as a word has
    public int[] starts = new int[0];
    public int[] lengths = new int[0];
    public long[] hashes = new long[0];
    public int[] codes = new int[0];
    public int[] knownStarts = new int[0];
    public int[] knownLengths = new int[0];

    private TextTile() {}

    /// The thread's own, with a vector's rows; null if their texts are too long. NULLs are empty texts.
    ///
    /// @param text of references
    public static TextTile of(TextVector text, int[] rows, int count) {
        TextTile tile = OWN.get();
        tile.ensure(count);
        return tile.load(text, rows, count) ? tile : null;
    }

    private void ensure(int count) {
        if (starts.length < count) {
            starts = new int[count];
            lengths = new int[count];
            hashes = new long[count];
            codes = new int[count];
            knownStarts = new int[count];
            knownLengths = new int[count];
        }
    }

    private boolean load(TextVector text, int[] rows, int count) {
        long[] offsets = text.offsets();
        long[] present = text.validity();
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
        MemorySegment base = text.base();
        boolean isSpan = sum > 0 && to - from <= 2 * sum;
        int needed = (int) (isSpan ? to - from : sum) + WORD_BYTES;
        if (bytes.length < needed) {
            bytes = new byte[Math.max(needed, Math.min(2 * MAX_BYTES, 2 * bytes.length))];
        }
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
        for (int index = 0; index < count; index++) {
            hashes[index] = KeyHash.ofBytes(bytes, starts[index], lengths[index]);
        }
        return true;
    }

    /// Whether the text at a place is that of another array.
    public boolean isEqual(int index, byte[] other, int otherStart, int otherLength) {
        int length = lengths[index];
        return length == otherLength && isEqual(bytes, starts[index], other, otherStart, length);
    }

    private static boolean isEqual(byte[] one, int oneStart, byte[] other, int otherStart, int length) {
        if (length < WORD_BYTES) {
            if (length == 0) {
                return true;
            }
            if (otherStart + WORD_BYTES > other.length) {
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
