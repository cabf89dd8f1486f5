package dev.quarrel.core.cpu.expr;

import dev.quarrel.core.column.LittleEndian;
import dev.quarrel.core.cpu.tile.BoolVector;
import dev.quarrel.core.cpu.tile.Mask;
import dev.quarrel.core.cpu.tile.TextVector;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/// Compares a column of plain text with one text: lengths first, then words of memory, so that nothing is copied.
final class TextEquality {
    private TextEquality() {}

    /// - Shape: `out`'s bits of the selected rows that are present there; its validity is the caller's.
    ///
    /// @param column in the reference form
    /// @param constant present, the same in each row
    /// @param flip all ones for `<>`
    static void compare(TextVector column, TextVector constant, long flip, BoolVector out, Mask rows) {
        MemorySegment text = MemorySegment.ofArray(constant.bytes(0));
        int length = (int) text.byteSize();
        MemorySegment data = column.base();
        long[] offsets = column.offsets();
        int[] lengths = column.lengths();
        int words = rows.wordCount();
        for (int word = 0; word < words; word++) {
            long wanted = rows.bits()[word] & (out.validity() == null ? -1L : out.validity()[word]);
            long equal = 0;
            for (long rest = wanted; rest != 0; rest &= rest - 1) {
                int row = (word << 6) + Long.numberOfTrailingZeros(rest);
                equal |= lengths[row] == length && isEqual(data, offsets[row], text, length) ? rest & -rest : 0;
            }
            out.bits()[word] = equal ^ flip;
        }
    }

    /// The last word of 8, 4 or 2 bytes overlaps the one before it, so that nothing beyond the texts is read.
    private static boolean isEqual(MemorySegment data, long start, MemorySegment text, int length) {
        if (length >= 8) {
            for (int at = 0; at < length - 8; at += 8) {
                if (data.get(LittleEndian.INT64, start + at) != text.get(LittleEndian.INT64, at)) {
                    return false;
                }
            }
            return data.get(LittleEndian.INT64, start + length - 8) == text.get(LittleEndian.INT64, length - 8);
        }
        if (length >= 4) {
            return data.get(LittleEndian.INT32, start) == text.get(LittleEndian.INT32, 0)
                    && data.get(LittleEndian.INT32, start + length - 4) == text.get(LittleEndian.INT32, length - 4);
        }
        for (int at = 0; at < length; at++) {
            if (data.get(ValueLayout.JAVA_BYTE, start + at) != text.get(ValueLayout.JAVA_BYTE, at)) {
                return false;
            }
        }
        return true;
    }
}
