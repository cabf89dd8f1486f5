package dev.quarrel.core.cpu.encoded;

import dev.quarrel.core.column.Utf8Column;
import dev.quarrel.core.column.Validity;
import dev.quarrel.core.cpu.loop.LoopMath;
import dev.quarrel.core.cpu.rows.SharedTexts;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;

/// Finds the codes of a text column's rows in one worker's table of the texts that it has met.
///
/// A text of up to 16 bytes is two words, masked by its length, that are looked up without a branch on the length; of a
/// longer one the words are the first eight bytes and a hash, and the bytes are compared.
public final class TextEncoder {
    /// The most rows at a time.
    public static final int TILE_ROWS = 1024;
    private static final int SHORT = 16;
    private static final long FIRST = 0x9E3779B97F4A7C15L;
    private static final long SECOND = 0xC2B2AE3D27D4EB4FL;
    /// By length, up to SHORT: the bits of the first, and of the second, word that are the text's.
    private static final long[] FIRST_BITS = new long[SHORT + 1];
    private static final long[] SECOND_BITS = new long[SHORT + 1];

    static {
        for (int length = 1; length <= SHORT; length++) {
            FIRST_BITS[length] = length >= 8 ? -1L : -1L >>> 64 - 8 * length;
            SECOND_BITS[length] = length <= 8 ? 0 : -1L >>> 128 - 8 * length;
        }
    }

    private final SharedTexts shared;
    private final int[] offsets = new int[TILE_ROWS + 1];
    private final short[] codes = new short[TILE_ROWS];
    // A slot: the words, and the length << 32 | the code; -1 where it is free.
    private long[] slots = newSlots(256);
    private byte[][] longTexts = new byte[256][];
    private int shift = 64 - 8;
    private int size;

    public TextEncoder(SharedTexts shared) {
        this.shared = shared;
    }

    private static long[] newSlots(int count) {
        long[] made = new long[count * 4];
        Arrays.fill(made, -1L);
        return made;
    }

    /// Writes the codes of up to TILE_ROWS rows, 0 for NULL; false if there are too many texts.
    ///
    /// @param out two bytes a row of the whole column
    public boolean encode(Utf8Column column, int first, int count, MemorySegment out) {
        boolean isDone = encodeTile(column, first, count);
        MemorySegment.copy(codes, 0, out, LoopMath.INT16, first * 2L, count);
        return isDone;
    }

    private boolean encodeTile(Utf8Column column, int first, int count) {
        long base = column.offset(first);
        long end = column.offset(first + count);
        if (base < 0 || end < base || end > column.data().byteSize() || end - base > Integer.MAX_VALUE) {
            return false; // whoever reads the values says what is wrong with them
        }
        if (column.largeOffsets()) {
            for (int row = 0; row <= count; row++) {
                offsets[row] = (int) (column.offset(first + row) - base);
            }
        } else {
            MemorySegment.copy(column.offsets(), LoopMath.INT32, first * 4L, offsets, 0, count + 1);
            for (int row = 0; row <= count; row++) {
                offsets[row] -= (int) base;
            }
        }
        MemorySegment texts = column.data().asSlice(base);
        // Two words are read of every text, past its end; the last rows go byte by byte.
        int safe = count;
        while (safe > 0 && offsets[safe - 1] + SHORT > texts.byteSize()) {
            safe--;
        }
        return encodeRows(column.validity(), first, 0, safe, (int) (end - base), texts, false)
                && encodeRows(column.validity(), first, safe, count, (int) (end - base), texts, true);
    }

    /// @param limit where the tile's texts end: offsets come from files
    /// @param isNearEnd whether no two words may be read
    private boolean encodeRows(
            Validity validity, int first, int from, int to, int limit, MemorySegment texts, boolean isNearEnd) {
        boolean mayBeNull = !validity.isAllPresent();
        int start = offsets[from];
        for (int row = from; row < to; row++) {
            int end = offsets[row + 1];
            int length = end - start;
            if (mayBeNull && !validity.isPresent(first + row)) {
                codes[row] = 0;
                start = end;
                continue;
            }
            if (length < 0 || start < 0 || end > limit) {
                return false;
            }
            int code;
            if (length <= SHORT) {
                long one = isNearEnd ? word(texts, start, Math.min(8, length)) : texts.get(LoopMath.INT64, start);
                long two = isNearEnd ? word(texts, start + 8L, length - 8) : texts.get(LoopMath.INT64, start + 8L);
                one &= FIRST_BITS[length];
                two &= SECOND_BITS[length];
                code = find(one, two, length);
                if (code < 0) {
                    code = add(one, two, length, texts, start);
                }
            } else {
                code = encodeLong(texts, start, length);
            }
            if (code < 0) {
                return false;
            }
            codes[row] = (short) code;
            start = end;
        }
        return true;
    }

    private static long word(MemorySegment texts, long start, int length) {
        long word = 0;
        for (int index = 0; index < length; index++) {
            word |= (texts.get(ValueLayout.JAVA_BYTE, start + index) & 0xFFL) << 8 * index;
        }
        return word;
    }

    private static long hash(long one, long two, int length) {
        long mixed = (one ^ length) * FIRST + Long.rotateLeft(two * SECOND, 32);
        return (mixed ^ mixed >>> 32) * FIRST;
    }

    /// The code of a short text, or -1.
    private int find(long one, long two, int length) {
        int last = slots.length - 4;
        int at = (int) (hash(one, two, length) >>> shift) * 4;
        while (true) {
            long entry = slots[at + 2];
            if (slots[at] == one && slots[at + 1] == two && entry >> 32 == length) {
                return (int) entry;
            }
            if (entry < 0) {
                return -1;
            }
            at = at + 4 & last;
        }
    }

    private int encodeLong(MemorySegment texts, long start, int length) {
        long one = texts.get(LoopMath.INT64, start);
        long two = texts.get(LoopMath.INT64, start + length - 8);
        for (long at = start + 8; at < start + length - 8; at += 8) {
            two = Long.rotateLeft(two, 29) * SECOND + texts.get(LoopMath.INT64, at);
        }
        int last = slots.length - 4;
        int at = (int) (hash(one, two, length) >>> shift) * 4;
        while (true) {
            long entry = slots[at + 2];
            if (entry < 0) {
                return add(one, two, length, texts, start);
            }
            if (slots[at] == one && slots[at + 1] == two && entry >> 32 == length) {
                byte[] known = longTexts[at >> 2];
                if (MemorySegment.mismatch(MemorySegment.ofArray(known), 0, length, texts, start, start + length) < 0) {
                    return (int) entry;
                }
            }
            at = at + 4 & last;
        }
    }

    private int add(long one, long two, int length, MemorySegment texts, long start) {
        byte[] text = new byte[length];
        MemorySegment.copy(texts, start, MemorySegment.ofArray(text), 0, length);
        int code = shared.code(text);
        if (code >= 0) {
            if (++size * 8L > slots.length) {
                grow();
            }
            put(one, two, (long) length << 32 | code, length > SHORT ? text : null);
        }
        return code;
    }

    private void put(long one, long two, long entry, byte[] longText) {
        int last = slots.length - 4;
        int at = (int) (hash(one, two, (int) (entry >> 32)) >>> shift) * 4;
        while (slots[at + 2] >= 0) {
            at = at + 4 & last;
        }
        slots[at] = one;
        slots[at + 1] = two;
        slots[at + 2] = entry;
        longTexts[at >> 2] = longText;
    }

    private void grow() {
        long[] old = slots;
        byte[][] oldTexts = longTexts;
        slots = newSlots(old.length / 2);
        longTexts = new byte[oldTexts.length * 2][];
        shift--;
        for (int at = 0; at < old.length; at += 4) {
            if (old[at + 2] >= 0) {
                put(old[at], old[at + 1], old[at + 2], oldTexts[at >> 2]);
            }
        }
    }
}
